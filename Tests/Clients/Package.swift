// swift-tools-version: 6.2
import PackageDescription

// Programs that use only the public products, as users write them. They are in one package, so that
// SwiftPM plans and builds them together. A package has its own manifest if its tests need a hook
// in the process or search for models next to the program.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "faultline") }

/// A program in one language mode.
///
/// - Parameter sources: the folder of the sources, below this one.
func app(
    _ name: String, _ mode: SwiftLanguageMode, _ products: [Target.Dependency], in sources: String
) -> Target {
    .executableTarget(
        name: name, dependencies: products, path: sources,
        swiftSettings: [.swiftLanguageMode(mode)])
}

/// A program in both language modes; the second target has a link to the sources of the first.
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

        // Sorts by key paths of classes in two modules. One module has classes that `faultline
        // model --generate` has generated from the model next to them; the other has handwritten
        // classes.
        .target(
            name: "Shop", dependencies: [product("CoreData")], path: "KeyPaths/Generated",
            resources: [.copy("Shop.xcdatamodeld")]),
        .executableTarget(
            name: "KeyPaths", dependencies: [product("CoreData"), "Shop"],
            path: "KeyPaths/Sources"),

        // Gates work on a custom model.
        .executableTarget(
            name: "shelf-bench", dependencies: [product("CoreData"), product("FaultlineBench")],
            path: "BenchApp/Sources"),
    ]
        // Subclasses of the classes that Core Data lets programs subclass: every open member is
        // overridden, and test doubles replace a context.
        + apps("Overrides", [product("CoreData")])
        // Observing keys, key-value coding and publishers.
        + apps("Observing", [product("CoreData")])
        + apps("Documents", [product("CoreData"), product("CoreDataDocuments")])
)
