// swift-tools-version: 6.0
import PackageDescription

// Builds the unchanged sources of an app, which `Scripts/apps.sh` links into this folder. `Common`,
// `Combine` and `os` replace modules of other packages and of the system.
let coreData: Target.Dependency = .product(name: "CoreData", package: "faultline")
// This product explores the tests if FAULTLINE_EXPLORED is set. No source file imports it.
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
        // Explores the operations of the app.
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
