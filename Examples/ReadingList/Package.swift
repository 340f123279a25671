// swift-tools-version: 6.2
import PackageDescription

// The model layer of an Xcode app, built on Linux. Xcode builds the folders `ReadingList` and
// `ReadingListTests` unchanged. Each target of this package is a folder below `Linux`. Its only
// file contains the path of the app's folder.
let coreData: Target.Dependency = .product(name: "CoreData", package: "faultline")
let sources: Target.PluginUsage = .plugin(name: "CoreDataSources", package: "faultline")
let models: Target.PluginUsage = .plugin(name: "CoreDataModelPlugin", package: "faultline")

let package = Package(
    name: "ReadingList",
    // In your own package: .package(url: "<this repository>", from: "0.1.0")
    dependencies: [.package(name: "faultline", path: "../..")],
    targets: [
        .target(
            name: "ReadingList", dependencies: [coreData], path: "Linux/ReadingList",
            plugins: [sources, models]),
        .testTarget(
            name: "ReadingListTests", dependencies: [coreData, "ReadingList"],
            path: "Linux/ReadingListTests", plugins: [sources]),
    ],
    swiftLanguageModes: [.v5]
)
