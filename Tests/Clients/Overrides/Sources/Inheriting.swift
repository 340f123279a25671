import CoreData

// These subclasses declare no initialisers and inherit those of their superclasses.

/// `@unchecked Sendable` because it adds no state.
final class AppContainer: NSPersistentContainer, @unchecked Sendable {
    func save() throws {
        if viewContext.hasChanges { try viewContext.save() }
    }
}

/// `@unchecked Sendable` because it adds no state.
final class AppContext: NSManagedObjectContext, @unchecked Sendable {
    func saveIfNeeded() throws {
        if hasChanges { try save() }
    }
}

func inherit(_ model: NSManagedObjectModel) throws {
    let container = AppContainer(name: "Inherited", managedObjectModel: model)
    check(container.name == "Inherited", "an inherited initialiser keeps the name")
    try container.save()
    check(AppContainer(name: "Missing").name == "Missing", "the initialiser that finds a model")
    for context in [
        AppContext(.mainQueue), AppContext(.privateQueue),
        AppContext(concurrencyType: .privateQueueConcurrencyType),
    ] {
        try context.performAndWait { try context.saveIfNeeded() }
    }
}
