// swift-tools-version: 6.0
import PackageDescription

// Observing keys, key-value coding and publishers in app code, in Swift 5 and in Swift 6 mode.
let coreData: Target.Dependency = .product(name: "CoreData", package: "faultline")

let package = Package(
    name: "Observing",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Observing5", dependencies: [coreData], path: "Sources",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // A link to the same sources.
        .executableTarget(
            name: "Observing6", dependencies: [coreData], path: "SameSources",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
