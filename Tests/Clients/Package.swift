// swift-tools-version: 6.2
import PackageDescription

// Programs that use only the public products, as users do. They share a package, so that SwiftPM
// plans and builds them together. A program has a separate package if its tests need a hook in the
// process or search for models next to the program.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "faultline") }

/// A program in one language mode.
///
/// - Parameter sources: the folder of the sources, relative to the package.
func app(
    _ name: String, _ mode: SwiftLanguageMode, _ products: [Target.Dependency], in sources: String
) -> Target {
    .executableTarget(
        name: name, dependencies: products, path: sources,
        swiftSettings: [.swiftLanguageMode(mode)])
}

/// A program in both language modes. The folder of the second target is a link to that of the
/// first.
func apps(_ name: String, _ products: [Target.Dependency]) -> [Target] {
    [
        app(name + "5", .v5, products, in: "\(name)/Sources"),
        app(name + "6", .v6, products, in: "\(name)/SameSources"),
    ]
}

let package = Package(
    name: "Clients",
    dependencies: [.package(name: "faultline", path: "../..")],
    targets: [
        app("Swift5App", .v5, [product("CoreData")], in: "Swift5App/Sources"),
        app("Swift6App", .v6, [product("CoreData")], in: "Swift6App/Sources"),

        // Sorts by key paths of classes in two modules. One module contains classes that `faultline
        // model --generate` generated from the model next to them. The other one contains
        // handwritten classes.
        .target(
            name: "Shop", dependencies: [product("CoreData")], path: "KeyPaths/Generated",
            resources: [.copy("Shop.xcdatamodeld")]),
        .executableTarget(
            name: "KeyPaths", dependencies: [product("CoreData"), "Shop"],
            path: "KeyPaths/Sources"),

        // Runs gates on a custom model.
        .executableTarget(
            name: "shelf-bench", dependencies: [product("CoreData"), product("FaultlineBench")],
            path: "BenchApp/Sources"),
    ]
        // Subclasses override every open member of Core Data's classes. Test doubles replace a
        // context.
        + apps("Overrides", [product("CoreData")])
        // Key-value observation, key-value coding and publishers.
        + apps("Observing", [product("CoreData")])
        + apps("Documents", [product("CoreData"), product("CoreDataDocuments")])
)
