// swift-tools-version: 6.0
import PackageDescription

// A package of an app beside sources that stay as they are; `Scripts/apps.sh` puts a link to them
// here and compiles the models.
let coreData: Target.Dependency = .product(name: "CoreData", package: "faultline")
let sources: Target.PluginUsage = .plugin(name: "CoreDataSources", package: "faultline")

let package = Package(
    name: "JSQCoreDataKit",
    dependencies: [.package(name: "faultline", path: "../../../..")],
    targets: [
        .target(
            name: "JSQCoreDataKit", dependencies: [coreData], path: "Linux/JSQCoreDataKit",
            plugins: [sources]),
        .target(
            name: "ExampleModel", dependencies: [coreData, "JSQCoreDataKit"],
            path: "Linux/ExampleModel",
            resources: [
                .copy("Resources/ExampleModel.momd"),
                .copy("Resources/Version1_to_Version2.cdm"),
                .copy("Resources/Version2_to_Version3.cdm"),
            ],
            plugins: [sources]),
        .testTarget(
            name: "JSQCoreDataKitTests",
            dependencies: [coreData, "JSQCoreDataKit", "ExampleModel"],
            path: "Linux/JSQCoreDataKitTests", plugins: [sources]),
    ],
    swiftLanguageModes: [.v5]
)
