// swift-tools-version: 6.2
import PackageDescription

// A library with its model and its tests, as in Apple's documentation.
let package = Package(
    name: "ModelApp",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .target(
            name: "Library", dependencies: [.product(name: "CoreData", package: "faultline")],
            exclude: ["Library.xcdatamodeld"],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "faultline")]),
        .testTarget(name: "LibraryTests", dependencies: ["Library"]),
    ],
    swiftLanguageModes: [.v6]
)
