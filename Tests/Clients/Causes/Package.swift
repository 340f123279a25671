// swift-tools-version: 6.2
import PackageDescription

// Code of apps that compiles and works on Apple's systems, with one check for each difference that
// apps once had on Linux.
let package = Package(
    name: "Causes",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        // Sources and a model of an Xcode project, which the plugins rewrite and compile.
        .target(
            name: "Shop", dependencies: [.product(name: "CoreData", package: "faultline")],
            path: "Linux/Shop",
            plugins: [
                .plugin(name: "CoreDataSources", package: "faultline"),
                .plugin(name: "CoreDataModelPlugin", package: "faultline"),
            ]),
        // Has a class with the name of one of the app's classes.
        .target(name: "Rival", dependencies: [.product(name: "CoreData", package: "faultline")]),
        .executableTarget(
            name: "Causes",
            dependencies: ["Shop", "Rival", .product(name: "CoreData", package: "faultline")]),
    ],
    swiftLanguageModes: [.v5]
)
