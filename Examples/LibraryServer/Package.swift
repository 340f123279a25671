// swift-tools-version: 6.2
import PackageDescription

// A store behind HTTP: what several clients change at once is saved under Core Data's own version
// check, and the loser is told.
let package = Package(
    name: "LibraryServer",
    // Elsewhere: .package(url: "<this repository>", from: "0.1.0")
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
