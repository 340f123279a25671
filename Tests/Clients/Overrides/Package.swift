// swift-tools-version: 6.0
import PackageDescription

// Subclasses of the classes that Core Data lets programs subclass, in Swift 5 and in Swift 6 mode:
// every open member is overridden, and test doubles replace a context.
let coreData: Target.Dependency = .product(name: "CoreData", package: "faultline")

let package = Package(
    name: "Overrides",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Overrides5", dependencies: [coreData], path: "Sources",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // A link to the same sources.
        .executableTarget(
            name: "Overrides6", dependencies: [coreData], path: "SameSources",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
