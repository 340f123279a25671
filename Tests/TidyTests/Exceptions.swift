// Owns the places where a rule does not hold, each with its reason. An exception that nothing
// needs any more fails a test.

struct Exception {
    let rule: String
    let path: String
    let reason: String
}

enum Exceptions {
    private static let coordinator = "Sources/CoreDataEngine/Coordinator/"

    static let all: [Exception] = contextsInPublicAPI + layers

    /// Core Data's own signatures hand contexts to a coordinator and to a container.
    private static let contextsInPublicAPI = [
        "NSPersistentContainer.swift", "NSPersistentStoreCoordinator.swift",
    ].flatMap { file in
        ["layer", "values-below"].map { rule in
            Exception(
                rule: rule, path: coordinator + file,
                reason: "Core Data's public methods name the context here")
        }
    }

    private static let layers = [
        Exception(
            rule: "layer", path: coordinator + "CachedRowReading.swift",
            reason: "the protocol belongs to the contexts that read through it"),
        Exception(
            rule: "layer", path: "Sources/CoreDataEngine/Stores/StoreFactory.swift",
            reason: "a store is made for a model that is bound to its classes"),
    ]
}
