// swift-tools-version: 6.0
import PackageDescription

// Documents as apps write them, in Swift 5 and in Swift 6 mode.
let products: [Target.Dependency] = [
    .product(name: "CoreData", package: "faultline"),
    .product(name: "CoreDataDocuments", package: "faultline"),
]

let package = Package(
    name: "Documents",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Documents5", dependencies: products, path: "Sources",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // A link to the same sources.
        .executableTarget(
            name: "Documents6", dependencies: products, path: "SameSources",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
