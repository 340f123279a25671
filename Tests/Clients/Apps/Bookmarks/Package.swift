// swift-tools-version: 6.0
import PackageDescription

// A package of an app beside sources that stay as they are; `Scripts/apps.sh` puts a link to them
// here. `Common`, `Combine` and `os` stand for what the app has from its
// own other packages and from the system.
let coreData: Target.Dependency = .product(name: "CoreData", package: "faultline")
// Has tests explored where FAULTLINE_EXPLORED says so; nothing imports it.
let schedules: Target.Dependency = .product(name: "LabXCTest", package: "faultline")
let sources: Target.PluginUsage = .plugin(name: "CoreDataSources", package: "faultline")
let models: Target.PluginUsage = .plugin(name: "CoreDataModelPlugin", package: "faultline")

let package = Package(
    name: "Bookmarks",
    dependencies: [
        .package(name: "faultline", path: "../../../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .target(name: "Common", path: "Linux/Common"),
        .target(
            name: "Combine",
            dependencies: [
                "OpenCombine",
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ],
            path: "Linux/Combine"),
        .target(name: "os", path: "Linux/os"),
        .target(
            name: "Persistence", dependencies: [coreData, "Common"], path: "Linux/Persistence",
            plugins: [sources]),
        .target(
            name: "Bookmarks", dependencies: [coreData, "Combine", "Common", "Persistence", "os"],
            path: "Linux/Bookmarks", plugins: [sources, models]),
        .target(
            name: "BookmarksTestsUtils", dependencies: [coreData, "Bookmarks"],
            path: "Linux/BookmarksTestsUtils", plugins: [sources]),
        .testTarget(
            name: "PersistenceTests", dependencies: [coreData, schedules, "Persistence"],
            path: "Linux/PersistenceTests", plugins: [sources]),
        .testTarget(
            name: "BookmarksTests",
            dependencies: [
                coreData, schedules, "Bookmarks", "BookmarksTestsUtils", "Common", "Persistence",
            ],
            path: "Linux/BookmarksTests", plugins: [sources]),
        // The app's own operations under every interleaving.
        .testTarget(
            name: "ExploredTests",
            dependencies: [
                coreData, "Bookmarks", "Persistence",
                .product(name: "LabRunner", package: "faultline"),
            ],
            path: "Explored"),
    ],
    swiftLanguageModes: [.v5]
)
