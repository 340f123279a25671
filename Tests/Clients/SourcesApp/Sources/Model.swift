import CoreData

/// The model that the snippets' classes belong to.
enum SnippetModel {
    static func attribute(
        _ name: String, _ type: NSAttributeType, transient: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.isTransient = transient
        return attribute
    }

    static func relationship(
        _ name: String, to entity: NSEntityDescription, many: Bool, ordered: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.minCount = 0
        relationship.maxCount = many ? 0 : 1
        relationship.isOrdered = ordered
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }

    static let model: NSManagedObjectModel = {
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = "LibraryBook"
        let shelf = NSEntityDescription()
        shelf.name = "Shelf"
        shelf.managedObjectClassName = "Shelf"
        let onShelf = relationship("shelf", to: shelf, many: false)
        let books = relationship("books", to: book, many: true)
        onShelf.inverseRelationship = books
        books.inverseRelationship = onShelf
        let list = relationship("readingList", to: book, many: true, ordered: true)
        let readers = relationship("readers", to: shelf, many: true)
        list.inverseRelationship = readers
        readers.inverseRelationship = list
        book.properties = [
            attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType),
            attribute("count16", .integer16AttributeType),
            attribute("count64", .integer64AttributeType),
            attribute("rating", .doubleAttributeType), attribute("weight", .floatAttributeType),
            attribute("isRead", .booleanAttributeType), attribute("added", .dateAttributeType),
            attribute("cover", .binaryDataAttributeType), attribute("code", .UUIDAttributeType),
            attribute("link", .URIAttributeType), attribute("price", .decimalAttributeType),
            attribute("kind", .integer16AttributeType), attribute("stamp", .dateAttributeType),
            attribute("number", .integer32AttributeType),
            attribute("note", .stringAttributeType, transient: true),
            attribute("secret", .stringAttributeType), onShelf, readers,
        ]
        shelf.properties = [attribute("name", .stringAttributeType), books, list]
        let model = NSManagedObjectModel()
        model.entities = [book, shelf]
        return model
    }()

    static func context() -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try! coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}
