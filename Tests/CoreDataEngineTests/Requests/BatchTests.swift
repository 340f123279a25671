import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import TestSupport
import Testing

/// Tests of the rows and SQL statements of batch requests. Batch requests do not change registered
/// objects.
@Suite struct BatchTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let log: StatementLog

    init() throws {
        let shelf = try Shelf([("a", 1999, "Ada"), ("b", 2000, "Ada"), ("c", 2001, nil)])
        (coordinator, context, log) = (shelf.coordinator, shelf.context, shelf.log)
    }

    private func execute<T>(_ request: NSPersistentStoreRequest, as type: T.Type) throws -> T {
        log.forget()
        return try context.performAndWait {
            try #require(try context.execute(request) as? T)
        }
    }

    private func titles(_ context: NSManagedObjectContext) throws -> [String?] {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.performAndWait { try context.fetch(request).map(\.title) }
    }

    private func fresh() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private var writes: [String] {
        log.texts.filter {
            !$0.hasPrefix("SELECT") && !$0.hasPrefix("BEGIN") && !$0.hasPrefix("COMMIT")
                && !$0.contains("Z_PRIMARYKEY")
        }
    }

    // MARK: Insert

    @Test func `a batch insert writes dictionaries in one transaction and returns their ids`()
        throws
    {
        let rows = (0..<20).map { ["title": "n\($0)", "year": $0] as [String: Any] }
        let request = NSBatchInsertRequest(entityName: "Book", objects: rows)
        request.resultType = .objectIDs
        let result = try execute(request, as: NSBatchInsertResult.self)
        let ids = try #require(result.result as? [NSManagedObjectID])
        #expect(ids.count == 20 && ids.allSatisfy { !$0.isTemporaryID })
        // One statement inserts sixteen rows. Each of the others inserts one row.
        #expect(writes.count == 5 && writes.allSatisfy { $0.hasPrefix("INSERT INTO ZBOOK") })
        #expect(log.texts.filter { $0 == "COMMIT" }.count == 1)
        #expect(try titles(fresh()).count == 23)
        let title = try context.performAndWait {
            try (context.existingObject(with: ids[7]) as? Book)?.title
        }
        #expect(title == "n7")
        // The primary keys of later objects follow those of the batch.
        let next = try context.performAndWait {
            let book = Book(context: context)
            try context.save()
            return book.objectID.uriRepresentation().lastPathComponent
        }
        #expect(next == "p24")
    }

    @Test func `handlers fill rows until they return true`() throws {
        var left = 3
        let request = NSBatchInsertRequest(entityName: "Book") { (row: NSMutableDictionary) in
            left -= 1
            row["title"] = "d\(left)"
            return left < 0
        }
        request.resultType = .count
        let result = try execute(request, as: NSBatchInsertResult.self)
        #expect(result.result as? Int == 3)
        var names = ["x", "y"]
        let objects = NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
            guard let name = names.popLast() else { return true }
            (object as? Book)?.title = name
            return false
        }
        #expect(try execute(objects, as: NSBatchInsertResult.self).result as? Bool == true)
        #expect(try titles(fresh()) == ["a", "b", "c", "d0", "d1", "d2", "x", "y"])
    }

    @Test(
        arguments: [
            (["titel": "x"], "'titel' in a batch request is not a property of 'Book'"),
            (["title": 7], "Unacceptable type of value for attribute"),
            (["author": "Ada"], "cannot set the relationship 'author'"),
        ] as [([String: any Sendable], String)])
    func `a value that a row cannot hold is an error and nothing is written`(
        row: [String: any Sendable], text: String
    ) throws {
        let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "ok"], row])
        let error = try #require(throws: (any Error).self) {
            try execute(request, as: NSBatchInsertResult.self)
        }
        #expect((error as NSError).localizedDescription.contains(text))
        #expect(try titles(fresh()) == ["a", "b", "c"])
    }

    @Test func `a missing required attribute is 1570 with its name`() throws {
        let text = GraphModels.text("name")
        text.isOptional = false
        let number = GraphModels.number("count", default: 5)
        let stack = try GraphStack(
            GraphModels.model([GraphModels.entity("Thing", [text, number])]))
        let context = stack.context()
        let bad = NSBatchInsertRequest(entityName: "Thing", objects: [["count": 1]])
        let error = try #require(throws: (any Error).self) {
            try context.performAndWait { try context.execute(bad) }
        }
        #expect((error as NSError).code == 1570)
        #expect((error as NSError).userInfo[NSValidationKeyErrorKey] as? String == "name")
        let good = NSBatchInsertRequest(entityName: "Thing", objects: [["name": "x"]])
        let count = try context.performAndWait {
            _ = try context.execute(good)
            let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
            return (found.first?.value(forKey: "count") as? NSNumber)?.intValue
        }
        #expect(count == 5)
    }

    @Test(arguments: [
        (NSMergePolicyType.errorMergePolicyType, "old", 7),
        (.mergeByPropertyStoreTrumpMergePolicyType, "old", 7),
        (.mergeByPropertyObjectTrumpMergePolicyType, "new", 7),
        (.overwriteMergePolicyType, "new", 7),
    ])
    func `the merge policy decides about existing rows`(
        policy: NSMergePolicyType, name: String, count: Int
    ) throws {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context(NSMergePolicy(merge: policy))
        let log = StatementLog()
        stack.coordinator.trace.add(log)
        let first = NSBatchInsertRequest(
            entityName: "Country", objects: [["code": "de", "name": "old", "count": 7]])
        let second = NSBatchInsertRequest(
            entityName: "Country",
            objects: [["code": "de", "name": "new"], ["code": "fr", "name": "France"]])
        second.resultType = .objectIDs
        let (ids, found) = try context.performAndWait {
            _ = try context.execute(first)
            let result = try context.execute(second) as? NSBatchInsertResult
            let request = NSFetchRequest<NSManagedObject>(entityName: "Country")
            request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
            return (result?.result as? [NSManagedObjectID], try context.fetch(request))
        }
        context.performAndWait {
            #expect(found.map { $0.value(forKey: "name") as? String } == [name, "France"])
            #expect((found[0].value(forKey: "count") as? NSNumber)?.intValue == count)
            #expect(found[0].objectID.key.key == 1)
        }
        let updates = name == "new"
        #expect(ids?.count == (updates ? 2 : 1))
        #expect(
            log.texts.contains {
                updates
                    ? $0.contains("ON CONFLICT(ZCODE) DO UPDATE SET Z_OPT = Z_OPT+1 ")
                    : $0.hasPrefix("INSERT OR IGNORE INTO ZCOUNTRY")
            })
    }

    // MARK: Update

    @Test func `a batch update is one statement, raises versions and changes no objects`() throws {
        let known = try context.performAndWait {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(format: "title = 'a'")
            let book = try #require(try context.fetch(request).first)
            _ = book.year
            return book
        }
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "year < 2001")
        request.propertiesToUpdate = [
            "title": "old", "year": NSExpression(format: "year + 100", argumentArray: []),
        ]
        request.resultType = .updatedObjectsCountResultType
        let result = try execute(request, as: NSBatchUpdateResult.self)
        #expect(result.result as? Int == 2)
        #expect(
            log.texts == [
                "BEGIN IMMEDIATE",
                "UPDATE ZBOOK AS t0 SET ZTITLE = ?, ZYEAR = (t0.ZYEAR + ?), "
                    + "Z_OPT = (Z_OPT + 1) WHERE  t0.ZYEAR < ? RETURNING 0, Z_PK", "COMMIT",
            ])
        #expect(try titles(fresh()) == ["c", "old", "old"])
        context.performAndWait {
            #expect(known.title == "a" && known.year == 1999 && !context.hasChanges)
            known.title = "mine"
            let error = #expect(throws: (any Error).self) { try context.save() }
            #expect((error as NSError?)?.code == 133_020)
        }
    }

    @Test func `an update may compare relationships and return ids`() throws {
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "author.name = 'Ada'")
        request.propertiesToUpdate = ["year": NSNull()]
        request.resultType = .updatedObjectIDsResultType
        let result = try execute(request, as: NSBatchUpdateResult.self)
        #expect((result.result as? [NSManagedObjectID])?.count == 2)
        let request2 = NSFetchRequest<Book>(entityName: "Book")
        request2.predicate = NSPredicate(format: "year = nil")
        #expect(try context.performAndWait { try context.count(for: request2) } == 2)
    }

    @Test func `an update without attributes, or of a relationship, is refused`() throws {
        let request = NSBatchUpdateRequest(entityName: "Book")
        #expect(throws: (any Error).self) { try execute(request, as: NSBatchUpdateResult.self) }
        request.propertiesToUpdate = ["author": NSNull()]
        #expect(throws: (any Error).self) { try execute(request, as: NSBatchUpdateResult.self) }
    }

    // MARK: Delete

    @Test func `a batch delete follows cascades and returns the requested result`() throws {
        let request = NSBatchDeleteRequest(
            fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Author"))
        request.resultType = .resultTypeObjectIDs
        let result = try execute(request, as: NSBatchDeleteResult.self)
        let ids = try #require(result.result as? [NSManagedObjectID])
        #expect(ids.map(\.entity.name) == ["Author"])
        #expect(try titles(fresh()) == ["c"])
        #expect(log.texts.filter { $0.hasPrefix("DELETE FROM") }.count == 2)
    }

    @Test func `optional inverses become nil and their versions are incremented`() throws {
        let stack = try GraphStack(GraphModels.rules(.nullifyDeleteRule, .nullifyDeleteRule))
        let context = stack.context()
        let part = try context.performAndWait {
            let entities = try #require(context.persistentStoreCoordinator).managedObjectModel
                .entitiesByName
            let whole = NSManagedObject(
                entity: try #require(entities["Whole"]), insertInto: context)
            let part = NSManagedObject(entity: try #require(entities["Part"]), insertInto: context)
            part.setValue(whole, forKey: "whole")
            try context.save()
            let delete = NSBatchDeleteRequest(objectIDs: [whole.objectID])
            delete.resultType = .resultTypeCount
            let result = try context.execute(delete) as? NSBatchDeleteResult
            #expect(result?.result as? Int == 1)
            context.reset()
            return part.objectID
        }
        context.performAndWait {
            let found = context.object(with: part)
            #expect(found.value(forKey: "whole") == nil)
        }
    }

    @Test func `limit, offset and order choose the deleted rows`() throws {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        fetch.fetchLimit = 1
        fetch.fetchOffset = 1
        let result = try execute(
            NSBatchDeleteRequest(fetchRequest: fetch), as: NSBatchDeleteResult.self)
        #expect(result.result as? Bool == true)
        #expect(try titles(fresh()) == ["a", "c"])
    }

    @Test func `ids of two entities are refused`() throws {
        let ids = try context.performAndWait {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            request.resultType = .managedObjectIDResultType
            let authors = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
            authors.resultType = .managedObjectIDResultType
            return try context.fetch(request) + context.fetch(authors)
        }
        #expect(throws: (any Error).self) {
            try execute(NSBatchDeleteRequest(objectIDs: ids), as: NSBatchDeleteResult.self)
        }
        let none = NSBatchDeleteRequest(objectIDs: [])
        none.resultType = .resultTypeCount
        #expect(try execute(none, as: NSBatchDeleteResult.self).result as? Int == 0)
    }

    @Test func `a batch posts no notification, and a registered deleted object conflicts`()
        throws
    {
        let book = try context.performAndWait {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(format: "title = 'c'")
            let book = try #require(try context.fetch(request).first)
            _ = book.year
            return book
        }
        // `nonisolated(unsafe)` is safe because the request posts its notifications on this thread.
        nonisolated(unsafe) var told = 0
        let tokens = [
            NSNotification.Name.NSManagedObjectContextDidSave,
            .NSManagedObjectContextObjectsDidChange,
        ].map {
            NotificationCenter.default.addObserver(forName: $0, object: self.context, queue: nil) {
                _ in
                told += 1
            }
        }
        defer { tokens.forEach(NotificationCenter.default.removeObserver) }
        let request = NSBatchDeleteRequest(objectIDs: [book.objectID])
        _ = try execute(request, as: NSBatchDeleteResult.self)
        #expect(told == 0)
        context.performAndWait {
            #expect(book.title == "c" && !book.isDeleted)
            book.title = "still here"
            let error = #expect(throws: (any Error).self) { try context.save() }
            #expect((error as NSError?)?.code == 133_020)
        }
    }
}
