// swift-tools-version: 6.0
import PackageDescription

// Sorts by key paths over classes of two modules: generated ones, whose files `faultline model
// --generate` has written from the model next to them, and handwritten ones.
let coreData: Target.Dependency = .product(name: "CoreData", package: "faultline")

let package = Package(
    name: "KeyPaths",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .target(
            name: "Shop", dependencies: [coreData], path: "Generated",
            resources: [.copy("Shop.xcdatamodeld")]),
        .executableTarget(name: "KeyPaths", dependencies: [coreData, "Shop"], path: "Sources"),
    ],
    swiftLanguageModes: [.v6]
)
