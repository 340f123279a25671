// swift-tools-version: 6.2
import PackageDescription

// A library with its model and its tests, as in Apple's documentation. The tests merge the models
// of all bundles next to the program. This package must therefore not be built together with other
// clients.
let package = Package(
    name: "ModelApp",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .target(
            name: "Library", dependencies: [.product(name: "CoreData", package: "faultline")],
            exclude: ["Library.xcdatamodeld"],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "faultline")]),
        // The default isolation in new Xcode projects.
        .target(
            name: "Records", dependencies: [.product(name: "CoreData", package: "faultline")],
            exclude: ["Records.xcdatamodeld"], swiftSettings: [.defaultIsolation(MainActor.self)],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "faultline")]),
        .testTarget(name: "LibraryTests", dependencies: ["Library"]),
    ],
    swiftLanguageModes: [.v6]
)
