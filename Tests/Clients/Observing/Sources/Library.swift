import CoreData

class Author: NSManagedObject {
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    var books: Set<Book> {
        get { value(forKey: "books") as? Set<Book> ?? [] }
        set { setValue(newValue, forKey: "books") }
    }
    var shout: String { (name ?? "").uppercased() }

    // The plugin generates this list for sources with `@objc`.
    override class var keyedMembers: [KeyedMember] {
        [.property("shout", of: Author.self, get: { $0.shout })]
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        let paths = super.keyPathsForValuesAffectingValue(forKey: key)
        return key == "shout" ? paths.union(["name"]) : paths
    }
}

class Book: NSManagedObject {
    var title: String? {
        get {
            willAccessValue(forKey: "title")
            defer { didAccessValue(forKey: "title") }
            return primitiveValue(forKey: "title") as? String
        }
        set {
            willChangeValue(forKey: "title")
            setPrimitiveValue(newValue, forKey: "title")
            didChangeValue(forKey: "title")
        }
    }
    var pages: Int64 {
        get { value(forKey: "pages") as? Int64 ?? 0 }
        set { setValue(newValue, forKey: "pages") }
    }
    var author: Author? {
        get { value(forKey: "author") as? Author }
        set { setValue(newValue, forKey: "author") }
    }
}

func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
}

func entity(_ name: String, _ type: NSManagedObject.Type) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = NSStringFromClass(type)
    return entity
}

func makeContext() throws -> NSManagedObjectContext {
    let (author, book) = (entity("Author", Author.self), entity("Book", Book.self))
    let books = NSRelationshipDescription()
    books.name = "books"
    books.destinationEntity = book
    let writer = NSRelationshipDescription()
    writer.name = "author"
    writer.destinationEntity = author
    writer.maxCount = 1
    books.inverseRelationship = writer
    writer.inverseRelationship = books
    author.properties = [attribute("name", .stringAttributeType), books]
    book.properties = [
        attribute("title", .stringAttributeType), attribute("pages", .integer64AttributeType),
        writer,
    ]
    let model = NSManagedObjectModel()
    model.entities = [author, book]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}
