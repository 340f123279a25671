// swift-tools-version: 6.2
import PackageDescription

// A server that lets clients use a Core Data store over HTTP. If several clients change a book
// concurrently, Core Data's version check lets only one save succeed. The other clients get an
// error.
let package = Package(
    name: "LibraryServer",
    // In your own package: .package(url: "<this repository>", from: "0.1.0")
    dependencies: [
        .package(name: "faultline", path: "../.."),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        .target(
            name: "LibraryService",
            dependencies: [
                .product(name: "CoreData", package: "faultline"),
                .product(name: "FlyingFox", package: "FlyingFox"),
            ],
            exclude: ["Library.xcdatamodeld"],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "faultline")]),
        .executableTarget(name: "library-server", dependencies: ["LibraryService"]),
        .testTarget(
            name: "LibraryServiceTests",
            dependencies: [
                "LibraryService", .product(name: "FlyingFox", package: "FlyingFox"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
