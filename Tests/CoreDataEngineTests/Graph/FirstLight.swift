import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

/// Most suites use this model. An author has many books.
enum Library {
    static func makeModel() -> NSManagedObjectModel {
        let author = NSEntityDescription()
        author.name = "Author"
        author.managedObjectClassName = NSStringFromClass(Author.self)
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = NSStringFromClass(Book.self)
        let books = NSRelationshipDescription()
        books.name = "books"
        books.destinationEntity = book
        books.deleteRule = .cascadeDeleteRule
        let writer = NSRelationshipDescription()
        writer.name = "author"
        writer.destinationEntity = author
        writer.maxCount = 1
        writer.deleteRule = .nullifyDeleteRule
        writer.inverseRelationship = books
        books.inverseRelationship = writer
        author.properties = [attribute("name", .stringAttributeType), books]
        book.properties = [
            attribute("title", .stringAttributeType), attribute("year", .integer16AttributeType),
            writer,
        ]
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    static func makeCoordinator(
        _ type: String = NSSQLiteStoreType
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: nil)
        return coordinator
    }
}

final class Author: NSManagedObject {
    override class var propertySlots: [String]? { ["name"] }
    var name: String? {
        get { read(0) }
        set { write(0, newValue) }
    }
    var books: [Book] { readObjects(0) as? [Book] ?? [] }
}

final class Book: NSManagedObject {
    override class var propertySlots: [String]? { ["author", "title", "year"] }
    var author: Author? {
        get { readObject(0) }
        set { writeObject(0, newValue) }
    }
    var title: String? {
        get { read(1) }
        set { write(1, newValue) }
    }
    var year: Int16 {
        get { read(2) }
        set { write(2, newValue) }
    }
}

@Suite struct FirstLight {
    private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test func `one context fetches the objects that another saved, with their relationships`()
        throws
    {
        let coordinator = try Library.makeCoordinator()
        let writer = context(coordinator)
        try writer.performAndWait {
            let author = Author(context: writer)
            author.name = "Le Guin"
            for index in 0..<3 {
                let book = Book(context: writer)
                book.title = "Book \(index)"
                book.year = Int16(1970 + index)
                book.author = author
            }
            #expect(author.books.count == 3)
            try writer.save()
            #expect(!author.objectID.isTemporaryID)
            #expect(author.books.map(\.title) == ["Book 0", "Book 1", "Book 2"])
        }
        let reader = context(coordinator)
        try reader.performAndWait {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(
                format: "author.name == %@ AND year > %d", "Le Guin", 1970)
            request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
            let books = try reader.fetch(request)
            #expect(books.map(\.title) == ["Book 2", "Book 1"])
            #expect(books[0].author?.name == "Le Guin")
            #expect(books[0].author?.books.count == 3)
        }
    }

    @Test func `the second writer of one row receives an error with both snapshots`() throws {
        let coordinator = try Library.makeCoordinator()
        let first = context(coordinator)
        let id = try first.performAndWait {
            let author = Author(context: first)
            author.name = "x"
            try first.save()
            return author.objectID
        }
        let second = context(coordinator)
        try second.performAndWait {
            let author = try #require(try second.existingObject(with: id) as? Author)
            author.name = "second"
            try first.performAndWait {
                let author = try #require(first.object(with: id) as? Author)
                author.name = "first"
                try first.save()
            }
            do {
                try second.save()
                Issue.record("the save should have failed")
            } catch let error as NSError {
                #expect(error.code == 133_020)
                let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict]
                #expect(conflicts?.first?.oldVersionNumber == 1)
                #expect(conflicts?.first?.newVersionNumber == 2)
                #expect(conflicts?.first?.cachedSnapshot?["name"] as? String == "first")
                #expect(conflicts?.first?.objectSnapshot?["name"] as? String == "x")
            }
            #expect(author.name == "second")
            second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try second.save()
            #expect(author.name == "second")
        }
    }

    @Test func `deleting an author cascades to books that were never read`() throws {
        let coordinator = try Library.makeCoordinator()
        let writer = context(coordinator)
        try writer.performAndWait {
            let author = Author(context: writer)
            for _ in 0..<3 { Book(context: writer).author = author }
            try writer.save()
            writer.reset()
            let found = try writer.fetch(NSFetchRequest<Author>(entityName: "Author"))
            writer.delete(found[0])
            try writer.save()
            #expect(try writer.count(for: NSFetchRequest<Book>(entityName: "Book")) == 0)
        }
    }

    @Test func `a child saves to its parent only`() throws {
        let coordinator = try Library.makeCoordinator()
        let parent = context(coordinator)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        try child.performAndWait {
            let author = Author(context: child)
            author.name = "child"
            Book(context: child).author = author
            try child.save()
            #expect(author.objectID.isTemporaryID)
        }
        try parent.performAndWait {
            #expect(parent.insertedObjects.count == 2)
            try parent.save()
            let found = try parent.fetch(NSFetchRequest<Author>(entityName: "Author"))
            #expect(found.map(\.name) == ["child"])
            #expect(found[0].books.count == 1)
        }
    }
}
