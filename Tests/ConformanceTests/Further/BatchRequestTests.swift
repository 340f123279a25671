import CoreData
import Testing

/// Conformance tests for section 13: batch requests.
@MainActor struct BatchRequestTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop() }

    private func unique() throws -> Bookshop {
        let thing = Bookshop.plain(
            "Thing", ["k", "v", "w"].map { attribute($0, .stringAttributeType) })
        thing.uniquenessConstraints = [["k"]]
        return try Bookshop(model(thing))
    }

    private func all(_ entity: String) -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
    }

    // MARK: Insertions

    // Proves S13-1
    @Test func `a handler that returns true ends the insertion without its last row`() throws {
        // `nonisolated(unsafe)` is safe because the request calls the handler on this thread.
        nonisolated(unsafe) var number = 0
        let insert = NSBatchInsertRequest(
            entityName: "Book",
            dictionaryHandler: { (row: NSMutableDictionary) -> Bool in
                row["title"] = number == 3 ? "last" : "\(number)"
                number += 1
                return number == 4
            })
        insert.resultType = .count
        let result = try shop.context.execute(insert) as? NSBatchInsertResult
        #expect(result?.result as? Int == 3)
        #expect(try shop.find("Book", by: "title").map { $0.text("title") } == ["0", "1", "2"])
    }

    // Proves S13-2, S13-3
    @Test func `a handler of objects and dictionaries leave defaults to the model`() throws {
        let shop = try Bookshop(
            Bookshop.thing(
                attribute("n", .stringAttributeType),
                attribute("k", .integer32AttributeType, default: 7)))
        // `nonisolated(unsafe)` is safe because the request calls the handler on this thread.
        nonisolated(unsafe) var number = 0
        let insert = NSBatchInsertRequest(
            entityName: "Thing",
            managedObjectHandler: { (object: NSManagedObject) -> Bool in
                object.setValue("\(number)", forKey: "n")
                number += 1
                return number == 3
            })
        insert.resultType = .objectIDs
        let result = try shop.context.execute(insert) as? NSBatchInsertResult
        let ids = try #require(result?.result as? [NSManagedObjectID])
        #expect(ids.count == 2 && ids.allSatisfy { !$0.isTemporaryID })
        #expect(!shop.context.hasChanges)
        let rows: [[String: Any]] = [["n": "x"]]
        try shop.context.execute(NSBatchInsertRequest(entityName: "Thing", objects: rows))
        #expect(try shop.find("Thing").map { $0.number("k") } == [7, 7, 7])
    }

    // Proves S13-4
    @Test func `a missing required value fails the whole insertion`() throws {
        let required = attribute("n", .stringAttributeType, optional: false)
        let shop = try Bookshop(Bookshop.thing(required))
        let rows: [[String: Any]] = [["n": "x"], [:]]
        let error = failure {
            try shop.context.execute(NSBatchInsertRequest(entityName: "Thing", objects: rows))
        }
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
        #expect(try shop.count("Thing") == 0)
    }

    // Proves S13-5
    @Test func `results are a status by default`() throws {
        let rows: [[String: Any]] = [["title": "x"]]
        let insert = NSBatchInsertRequest(entityName: "Book", objects: rows)
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["year": 1]
        let delete = NSBatchDeleteRequest(fetchRequest: all("Book"))
        let inserted = try shop.context.execute(insert) as? NSBatchInsertResult
        let updated = try shop.context.execute(update) as? NSBatchUpdateResult
        let deleted = try shop.context.execute(delete) as? NSBatchDeleteResult
        #expect(inserted?.resultType == .statusOnly && updated?.resultType == .statusOnlyResultType)
        #expect(deleted?.resultType == .resultTypeStatusOnly)
        for result in [inserted?.result, updated?.result, deleted?.result] {
            #expect(result as? Bool == true)
        }
    }

    // Proves S13-6, S13-7
    @Test func `the merge policy decides about existing rows`() throws {
        let shop = try unique()
        let old = shop.add("Thing", ["k": "1", "v": "old", "w": "kept"])
        try shop.context.save()
        let rows: [[String: Any]] = [["k": "1", "v": "new"], ["k": "2", "v": "b"]]
        func values(_ key: String) throws -> [String?] {
            shop.context.reset()
            return try shop.find("Thing", by: "k").map { $0.text(key) }
        }
        try shop.context.execute(NSBatchInsertRequest(entityName: "Thing", objects: rows))
        #expect(try values("v") == ["old", "b"])
        shop.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try shop.context.execute(NSBatchInsertRequest(entityName: "Thing", objects: rows))
        #expect(try values("v") == ["new", "b"] && values("w") == ["kept", nil])
        #expect(try shop.find("Thing", "k == '1'")[0].objectID == old.objectID)
    }

    // MARK: Updates

    // Proves S13-8, S13-9, S13-10
    @Test func `an update accepts expressions, descriptions and nil`() throws {
        for year in [1, 5] { shop.add("Book", ["title": "t", "year": year]) }
        try shop.context.save()
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["year": NSExpression(format: "year + 10")]
        update.resultType = .updatedObjectsCountResultType
        let result = try shop.context.execute(update) as? NSBatchUpdateResult
        #expect(result?.result as? Int == 2)
        let book = try #require(shop.model.entitiesByName["Book"])
        let other = NSBatchUpdateRequest(entity: book)
        other.predicate = NSPredicate(format: "year == 11")
        other.propertiesToUpdate = [
            try #require(book.attributesByName["price"]): NSExpression(forConstantValue: 2.5),
            "title": NSExpression(forConstantValue: nil),
        ]
        try shop.context.execute(other)
        shop.context.reset()
        let books = try shop.find("Book", by: "year")
        #expect(books.map { $0.number("year") } == [11, 15])
        #expect(books.map { $0.text("title") } == [nil, "t"])
        #expect(books[0].value(forKey: "price") as? Double == 2.5)
    }

    // Proves S13-11
    @Test func `an update selects rows by their relationships`() throws {
        shop.add("Book", ["year": 1, "author": shop.add("Author", ["name": "x"])])
        shop.add("Book", ["year": 1])
        try shop.context.save()
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.predicate = NSPredicate(format: "author.name == 'x'")
        update.propertiesToUpdate = ["year": 9]
        try shop.context.execute(update)
        shop.context.reset()
        #expect(try shop.count("Book", "year == 9") == 1)
    }

    // Proves S13-12
    @Test func `an object that was loaded before an update conflicts`() throws {
        let book = shop.add("Book", ["year": 1])
        try shop.context.save()
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["year": 9]
        try shop.context.execute(update)
        #expect(book.number("year") == 1 && !shop.context.hasChanges)
        book.setValue("t", forKey: "title")
        #expect(failure { try shop.context.save() }?.code == NSManagedObjectMergeError)
    }

    // Proves S13-13
    @Test func `subentities can be excluded from an update`() throws {
        let parent = Bookshop.plain("Parent", [attribute("n", .stringAttributeType)])
        let child = Bookshop.plain("Child", [])
        parent.subentities = [child]
        let shop = try Bookshop(model(parent, child))
        for name in ["Parent", "Child"] { shop.add(name) }
        try shop.context.save()
        let update = NSBatchUpdateRequest(entityName: "Parent")
        update.includesSubentities = false
        update.propertiesToUpdate = ["n": "z"]
        try shop.context.execute(update)
        shop.context.reset()
        #expect(try shop.find("Parent", "n == 'z'").map(\.entity.name) == ["Parent"])
    }

    // MARK: Deletions

    /// A shop with two books, only one of which has an author.
    private func shop(
        _ rule: NSDeleteRule, needsAuthor: Bool = false
    ) throws -> Bookshop {
        let shop = try Bookshop(Bookshop.library(rule: rule, needsAuthor: needsAuthor))
        let author = shop.add("Author", ["name": "q"])
        shop.add("Book", ["author": author])
        if !needsAuthor { shop.add("Book") }
        try shop.context.save()
        return shop
    }

    // Proves S13-14, S13-15
    @Test func `a deletion cascades and empties columns`() throws {
        let cascading = try shop(.cascadeDeleteRule)
        try cascading.context.execute(NSBatchDeleteRequest(fetchRequest: all("Author")))
        cascading.context.reset()
        #expect(try cascading.count("Book") == 1)
        let emptying = try shop(.nullifyDeleteRule)
        try emptying.context.execute(NSBatchDeleteRequest(fetchRequest: all("Author")))
        #expect(try emptying.sql("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR IS NULL") == ["2"])
    }

    // Proves S13-16
    @Test func `a deletion that would empty a required link deletes nothing`() throws {
        let shop = try shop(.nullifyDeleteRule, needsAuthor: true)
        let delete = NSBatchDeleteRequest(fetchRequest: all("Author"))
        #expect(failure { try shop.context.execute(delete) } != nil)
        shop.context.reset()
        #expect(try shop.count("Author") == 1 && shop.count("Book", "author != nil") == 1)
    }

    // Proves S13-17, S13-18
    @Test func `a deletion respects order and limit, and predicates over relationships`() throws {
        for year in 0..<5 { shop.add("Book", ["year": year]) }
        let author = shop.add("Author", ["name": "q"])
        shop.add("Book", ["year": 0, "title": "by q", "author": author])
        try shop.context.save()
        let newest = all("Book")
        newest.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
        newest.fetchLimit = 2
        let delete = NSBatchDeleteRequest(fetchRequest: newest)
        delete.resultType = .resultTypeCount
        let result = try shop.context.execute(delete) as? NSBatchDeleteResult
        #expect(result?.result as? Int == 2)
        let linked = all("Book")
        linked.predicate = NSPredicate(format: "author.name == 'q'")
        try shop.context.execute(NSBatchDeleteRequest(fetchRequest: linked))
        shop.context.reset()
        #expect(try shop.find("Book", by: "year").map { $0.number("year") } == [0, 1, 2])
    }

    // Proves S13-19, S13-20
    @Test func `ids of two entities, and stores without SQL, are refused`() throws {
        let (author, book) = (shop.add("Author"), shop.add("Book"))
        try shop.context.save()
        let mixed = NSBatchDeleteRequest(objectIDs: [author.objectID, book.objectID])
        #expect(failure { try shop.context.execute(mixed) } != nil)
        let memory = try Bookshop(type: NSInMemoryStoreType)
        memory.add("Author")
        try memory.context.save()
        let delete = NSBatchDeleteRequest(fetchRequest: all("Author"))
        #expect(failure { try memory.context.execute(delete) } != nil)
        #expect(try memory.count("Author") == 1)
    }

    // Proves S13-21
    @Test func `a deletion can return the ids of its rows`() throws {
        let books = try shop.stock(["a", "b"])
        let delete = NSBatchDeleteRequest(fetchRequest: all("Book"))
        delete.resultType = .resultTypeObjectIDs
        let result = try shop.context.execute(delete) as? NSBatchDeleteResult
        let ids = result?.result as? [NSManagedObjectID]
        #expect(Set(ids ?? []) == Set(books.map(\.objectID)))
        #expect(books.allSatisfy { !$0.isDeleted } && !shop.context.hasChanges)
    }
}
