// swift-tools-version: 6.2
import PackageDescription

// An app's data layer with a performance gate. The gate measures the cost of each screen, and fails
// if a change increases a cost. The folder CI contains configuration files for two CI systems.
let package = Package(
    name: "ShelfBench",
    // In your own package: .package(url: "<this repository>", from: "0.1.0")
    dependencies: [.package(name: "faultline", path: "../..")],
    targets: [
        .target(
            name: "Shelf", dependencies: [.product(name: "CoreData", package: "faultline")],
            exclude: ["Shelf.xcdatamodeld"],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "faultline")]),
        .executableTarget(
            name: "shelf-bench",
            dependencies: ["Shelf", .product(name: "FaultlineBench", package: "faultline")]),
    ],
    swiftLanguageModes: [.v6]
)
