import CoreData

private(set) var failures = 0
private(set) var count = 0

/// Compares the result of a snippet with the expected value.
func expect<T: Equatable>(_ name: String, _ value: T, _ wanted: T) {
    count += 1
    if value == wanted { return }
    failures += 1
    print("\(name): \(value), not \(wanted)")
}

/// Creates an entity. Its class has the entity's name unless `className` is set.
func entity(
    _ name: String, _ properties: [NSPropertyDescription], className: String? = nil,
    parent: NSEntityDescription? = nil
) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = className ?? name
    entity.properties = properties
    parent?.subentities.append(entity)
    return entity
}

func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    SnippetModel.attribute(name, type)
}

/// Creates a context with an in-memory store for the given entities.
func stack(_ entities: [NSEntityDescription]) -> NSManagedObjectContext {
    let model = NSManagedObjectModel()
    model.entities = entities
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    _ = try! coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}
