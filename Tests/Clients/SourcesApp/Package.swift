// swift-tools-version: 6.2
import PackageDescription

// Snippets of code that compiles in Xcode but not on Linux, one for each construct. `Sources`
// contains the unchanged snippets, and a comment in the target's own folder names this folder.
let package = Package(
    name: "SourcesApp",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .target(
            name: "Shared", dependencies: [.product(name: "CoreData", package: "faultline")],
            path: "Linux/Shared",
            plugins: [.plugin(name: "CoreDataSources", package: "faultline")]),
        .executableTarget(
            name: "SourcesApp",
            dependencies: ["Shared", .product(name: "CoreData", package: "faultline")],
            path: "Linux/SourcesApp",
            plugins: [.plugin(name: "CoreDataSources", package: "faultline")]),
        .executableTarget(
            name: "SourcesAppMain",
            dependencies: [.product(name: "CoreData", package: "faultline")],
            path: "Linux/SourcesAppMain",
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)],
            plugins: [.plugin(name: "CoreDataSources", package: "faultline")]),
        .executableTarget(
            name: "SourcesAppModel",
            dependencies: [.product(name: "CoreData", package: "faultline")],
            path: "Linux/SourcesAppModel",
            plugins: [
                .plugin(name: "CoreDataSources", package: "faultline"),
                .plugin(name: "CoreDataModelPlugin", package: "faultline"),
            ]),
        .executableTarget(
            name: "SourcesApp6", dependencies: [.product(name: "CoreData", package: "faultline")],
            path: "Linux/SourcesApp6", swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "CoreDataSources", package: "faultline")]),
    ],
    swiftLanguageModes: [.v5]
)
