import CoreData
import Foundation

/// A shelf that stores the number of its books in an attribute.
final class Shelf: NSManagedObject {
    /// Counts the books in `willSave`. Books that other contexts have added are not counted.
    override func willSave() {
        super.willSave()
        let books = (value(forKey: "books") as? Set<NSManagedObject>)?.count ?? 0
        if primitiveValue(forKey: "count") as? Int != books {
            setPrimitiveValue(books, forKey: "count")
        }
    }
}

/// Operations of an app on shelves.
enum Library {
    static let model: NSManagedObjectModel = {
        let (shelf, book) = (NSEntityDescription(), NSEntityDescription())
        let count = NSAttributeDescription()
        count.name = "count"
        count.attributeType = .integer64AttributeType
        count.defaultValue = 0
        let (books, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        books.name = "books"
        books.destinationEntity = book
        books.maxCount = 0
        books.inverseRelationship = owner
        owner.name = "shelf"
        owner.destinationEntity = shelf
        owner.maxCount = 1
        owner.inverseRelationship = books
        shelf.name = "Shelf"
        shelf.managedObjectClassName = NSStringFromClass(Shelf.self)
        shelf.properties = [count, books]
        book.name = "Book"
        book.managedObjectClassName = "NSManagedObject"
        book.properties = [owner]
        let model = NSManagedObjectModel()
        model.entities = [shelf, book]
        return model
    }()

    static func shelf(in stack: NSPersistentContainer) throws -> NSManagedObjectID {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            try context.save()
            return shelf.objectID
        }
    }

    static func addBook(
        to id: NSManagedObjectID, in context: NSManagedObjectContext
    ) throws {
        try context.performAndWait {
            let shelf = try context.existingObject(with: id)
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue(shelf, forKey: "shelf")
            shelf.setValue(shelf.value(forKey: "count"), forKey: "count")
            try context.save()
        }
    }

    static func counts(
        of id: NSManagedObjectID, in stack: NSPersistentContainer
    ) throws -> (kept: Int, books: Int) {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            let shelf = try context.existingObject(with: id)
            let books = shelf.value(forKey: "books") as? Set<NSManagedObject> ?? []
            return (shelf.value(forKey: "count") as? Int ?? -1, books.count)
        }
    }
}
