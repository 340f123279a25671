import CoreData
import Testing

/// Conformance tests for section 9: ordered relationships, key-value coding, fetched properties,
/// nested contexts.
@MainActor struct RelationshipTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop(Bookshop.library(ordered: true)) }

    /// A saved author with the books "0", "1" and "2" in this order.
    private func author() throws -> NSManagedObject {
        let author = shop.add("Author", ["name": "a"])
        for number in 0..<3 { shop.add("Book", ["title": "\(number)", "author": author]) }
        try shop.context.save()
        return author
    }

    private func moveLastToFront(_ author: NSManagedObject) {
        author.mutableOrderedSetValue(forKey: "books").moveObjects(at: IndexSet(integer: 2), to: 0)
    }

    // Proves S9-1, S9-2
    @Test func `an order survives insertion, moves, saves and resets`() throws {
        let author = try author()
        let books = author.mutableOrderedSetValue(forKey: "books")
        let changes = Heard(.NSManagedObjectContextObjectsDidChange, from: shop.context)
        books.insert(shop.add("Book", ["title": "new"]), at: 1)
        moveLastToFront(author)
        shop.context.processPendingChanges()
        #expect(author.titles == ["1", "0", "new", "2"])
        #expect(changes.objects(NSUpdatedObjectsKey).contains(author))
        #expect(author.changedValues().keys.sorted() == ["books"])
        try shop.context.save()
        shop.context.reset()
        #expect(try shop.find("Author")[0].titles == ["1", "0", "new", "2"])
    }

    // Proves S9-3, S9-4
    @Test func `an ordered set replaces members, and each member occurs once`() throws {
        let author = try author()
        let books = try #require(author.value(forKey: "books") as? NSOrderedSet)
        author.setValue(books.reversed, forKey: "books")
        author.mutableOrderedSetValue(forKey: "books").add(books.object(at: 0))
        try shop.context.save()
        #expect(author.titles == ["2", "1", "0"])
        author.setValue(nil, forKey: "books")
        #expect(author.titles == [] && (books.object(at: 0) as? NSManagedObject) != nil)
        #expect(try shop.count("Book", "author == nil") == 3)
    }

    // Proves S9-5
    @Test func `a merge transfers a changed order without other changes`() throws {
        let author = try author()
        let other = shop.newContext()
        let same = try other.existingObject(with: author.objectID)
        #expect(same.titles == ["0", "1", "2"])
        let saves = Heard(.NSManagedObjectContextDidSave, from: shop.context)
        moveLastToFront(author)
        try shop.context.save()
        other.mergeChanges(fromContextDidSave: try #require(saves.notes.first))
        #expect(same.titles == ["2", "0", "1"])
    }

    // Proves S9-6
    @Test func `rollback and undo restore an order`() throws {
        let author = try author()
        moveLastToFront(author)
        shop.context.rollback()
        #expect(author.titles == ["0", "1", "2"])
        shop.context.undoManager = UndoManager()
        moveLastToFront(author)
        shop.context.processPendingChanges()
        shop.context.undo()
        #expect(author.titles == ["0", "1", "2"])
        shop.context.redo()
        #expect(author.titles == ["2", "0", "1"])
        shop.context.undoManager = nil
    }

    // MARK: Faults of relationships

    // Proves S9-7, S9-8
    @Test func `a relationship is a fault until it is read, and its ids are known`() throws {
        let author = try author()
        let id = author.objectID
        shop.context.reset()
        let same = try shop.context.existingObject(with: id)
        #expect(same.hasFault(forRelationshipNamed: "books"))
        #expect(same.titles.count == 3 && !same.hasFault(forRelationshipNamed: "books"))
        let added = shop.add("Book", ["author": same])
        #expect(same.objectIDs(forRelationshipNamed: "books").count == 4)
        #expect(same.objectIDs(forRelationshipNamed: "books").contains(added.objectID))
    }

    // MARK: Key-value coding

    // Proves S9-9, S9-10
    @Test func `key paths collect and sum the values of members`() throws {
        let shop = try Bookshop()
        let author = shop.add("Author", ["name": "a"])
        for (title, price) in [("x", 1.0), ("y", 2.0), ("z", 6.0)] {
            shop.add("Book", ["title": title, "price": price, "author": author])
        }
        #expect(author.value(forKeyPath: "books.title") as? Set<String> == ["x", "y", "z"])
        let table: [(String, Double)] = [
            ("books.@count", 3), ("books.@sum.price", 9), ("books.@avg.price", 3),
            ("books.@min.price", 1), ("books.@max.price", 6),
        ]
        for (path, expected) in table {
            let value = (author.value(forKeyPath: path) as? NSNumber)?.doubleValue
            #expect(value == expected, "\(path)")
        }
        let book = try #require((author.value(forKey: "books") as? Set<NSManagedObject>)?.first)
        #expect(book.value(forKeyPath: "author.name") as? String == "a")
        book.setValue("b", forKeyPath: "author.name")
        #expect(author.text("name") == "b")
    }

    // Proves S9-11, S9-12
    @Test func `several values are set and read at once, NSNull for nil`() throws {
        let book = shop.add("Book")
        book.setValuesForKeys(["title": "x", "year": 3])
        let values = book.dictionaryWithValues(forKeys: ["title", "price"])
        #expect(values["title"] as? String == "x" && values["price"] is NSNull)
        book.setValuesForKeys(["title": NSNull()])
        #expect(book.value(forKey: "title") == nil)
    }

    // MARK: Fetched properties

    // Proves S9-13
    @Test func `a fetched property is read again after a refresh`() throws {
        let thing = Bookshop.plain("Thing", [attribute("n", .stringAttributeType)])
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = thing
        request.predicate = NSPredicate(format: "n == $FETCH_SOURCE.n")
        let property = NSFetchedPropertyDescription()
        property.name = "equals"
        property.fetchRequest = request
        thing.properties.append(property)
        let shop = try Bookshop(model(thing))
        let first = shop.add("Thing", ["n": "1"])
        func count() -> Int? { (first.value(forKey: "equals") as? [NSManagedObject])?.count }
        try shop.context.save()
        #expect(count() == 1)
        shop.add("Thing", ["n": "1"])
        try shop.context.save()
        #expect(count() == 1)
        shop.context.refresh(first, mergeChanges: true)
        #expect(count() == 2)
    }

    // MARK: Nested contexts

    // Proves S9-14, S9-15
    @Test func `a child's rollback and reset do not change the parent`() throws {
        let author = try author()
        author.setValue("parent", forKey: "name")
        let child = shop.newChild()
        let same = try child.existingObject(with: author.objectID)
        #expect(same.text("name") == "parent")
        same.setValue("child", forKey: "name")
        child.rollback()
        #expect(same.text("name") == "parent" && !child.hasChanges)
        child.reset()
        #expect(author.text("name") == "parent" && shop.context.hasChanges)
        #expect(child.undoManager == nil)
    }

    // Proves S9-16, S9-17
    @Test func `a child's save leaves it clean and its parent with the changes`() throws {
        let author = try author()
        let child = shop.newChild()
        let same = try child.existingObject(with: author.objectID)
        same.setValue("child", forKey: "name")
        let added = shop.add("Book", ["title": "9", "author": same], to: child)
        try child.obtainPermanentIDs(for: [added])
        let id = added.objectID
        #expect(!id.isTemporaryID)
        try child.save()
        #expect(!child.hasChanges && shop.context.updatedObjects.contains(author))
        #expect(author.text("name") == "child" && author.titles == ["0", "1", "2", "9"])
        try shop.context.save()
        #expect(try shop.context.existingObject(with: id).text("title") == "9")
    }

    // Proves S9-18
    @Test func `the same row in two contexts is two objects with equal ids`() throws {
        let author = try author()
        let same = try shop.newContext().existingObject(with: author.objectID)
        #expect(same != author && same.objectID == author.objectID)
        #expect(same.objectID.hash == author.objectID.hash)
    }
}
