import CoreData

final class Foo: NSManagedObject {
    final class Inner: NSManagedObject {}
}

/// A model with an entity that has a number, and a container of it in memory.
func model(_ change: (NSEntityDescription) -> Void = { _ in }) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    let entity = NSEntityDescription()
    entity.name = "Foo"
    entity.managedObjectClassName = NSStringFromClass(Foo.self)
    let attribute = NSAttributeDescription()
    attribute.name = "n"
    attribute.attributeType = .integer64AttributeType
    attribute.isOptional = true
    entity.properties = [attribute]
    change(entity)
    model.entities = [entity]
    return model
}

func container(
    _ model: NSManagedObjectModel = model(),
    _ option: (NSPersistentStoreDescription) -> Void = { _ in }
) -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "x", managedObjectModel: model)
    let name = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
    let description = NSPersistentStoreDescription(url: name)
    option(description)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in check(error == nil, "a store: \(error as Any)") }
    return container
}
