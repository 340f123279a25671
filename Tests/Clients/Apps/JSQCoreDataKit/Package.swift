// swift-tools-version: 6.0
import PackageDescription

// Builds the unchanged sources of an app, which `Scripts/apps.sh` links into this folder.
let coreData: Target.Dependency = .product(name: "CoreData", package: "faultline")
// This product explores the tests if FAULTLINE_EXPLORED is set. No source file imports it.
let schedules: Target.Dependency = .product(name: "LabXCTest", package: "faultline")
let sources: Target.PluginUsage = .plugin(name: "CoreDataSources", package: "faultline")
let models: Target.PluginUsage = .plugin(name: "CoreDataModelPlugin", package: "faultline")

let package = Package(
    name: "JSQCoreDataKit",
    dependencies: [.package(name: "faultline", path: "../../../..")],
    targets: [
        .target(
            name: "JSQCoreDataKit", dependencies: [coreData], path: "Linux/JSQCoreDataKit",
            plugins: [sources]),
        .target(
            name: "ExampleModel", dependencies: [coreData, "JSQCoreDataKit"],
            path: "Linux/ExampleModel", plugins: [sources, models]),
        .testTarget(
            name: "JSQCoreDataKitTests",
            dependencies: [coreData, schedules, "JSQCoreDataKit", "ExampleModel"],
            path: "Linux/JSQCoreDataKitTests", plugins: [sources]),
    ],
    swiftLanguageModes: [.v5]
)
