// swift-tools-version: 5.10
import PackageDescription

// An app as a user of Core Data writes it, in Swift 5 mode; it uses only the public product.
let package = Package(
    name: "Swift5App",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Swift5App", dependencies: [.product(name: "CoreData", package: "faultline")],
            path: "Sources")
    ]
)
