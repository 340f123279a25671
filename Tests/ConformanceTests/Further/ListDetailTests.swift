import CoreData
import TestSupport
import Testing

/// Further conformance tests for sections 14 and 15: results controllers, stores and ids.
@MainActor struct ListDetailTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop() }

    private func list(
        _ keys: [String], sections: String? = nil, _ format: String? = nil,
        _ journal: Journal? = nil
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = shop.request("Book", format)
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        let made = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: shop.context,
            sectionNameKeyPath: sections, cacheName: nil)
        made.delegate = journal
        try made.performFetch()
        return made
    }

    // MARK: Results controllers

    // Proves S14-20
    @Test func `positions and objects lead to each other`() throws {
        let books = try shop.stock(["a", "b", "c"])
        let made = try list(["year"], sections: "year", "year > 0")
        for (section, book) in books.dropFirst().enumerated() {
            let path = IndexPath(indexes: [section, 0])
            #expect(made.object(at: path) === book && made.indexPath(forObject: book) == path)
        }
        #expect(made.indexPath(forObject: books[0]) == nil)
    }

    // Proves S14-21
    @Test func `an index title leads to its section`() throws {
        _ = try shop.stock(["apple", "banana", "cherry"])
        let made = try list(["title"], sections: "title")
        #expect(made.sectionIndexTitles == ["A", "B", "C"])
        #expect(made.section(forSectionIndexTitle: "B", at: 1) == 1)
        #expect(made.sectionIndexTitle(forSectionName: "cherry") == "C")
    }

    // Proves S14-22
    @Test func `a change outside of the list is not told`() throws {
        let books = try shop.stock(["a", "b"])
        let journal = Journal()
        let made = try list(["title"], "year == 0", journal)
        books[1].setValue("z", forKey: "title")
        shop.add("Book", ["title": "c", "year": 5])
        shop.context.processPendingChanges()
        #expect(journal.lines.isEmpty && made.fetchedObjects == [books[0]])
    }

    // Proves S14-23
    @Test func `an object whose key of the order changes is told as a move`() throws {
        let books = try shop.stock(["a", "b", "c"])
        let journal = Journal()
        let made = try list(["title"], nil, journal)
        books[0].setValue("bb", forKey: "title")
        shop.context.processPendingChanges()
        #expect(journal.lines == ["move 0 1"])
        #expect(made.fetchedObjects == [books[1], books[0], books[2]])
    }

    // Proves S14-24
    @Test func `another predicate counts at the next fetch`() throws {
        let books = try shop.stock(["a", "b"])
        let made = try list(["title"])
        made.fetchRequest.predicate = NSPredicate(format: "year == 1")
        #expect(made.fetchedObjects == books)
        try made.performFetch()
        #expect(made.fetchedObjects == [books[1]])
    }

    // Proves S14-25
    @Test func `deletions have positions of before, insertions positions of after`() throws {
        let books = try shop.stock(["b", "d"])
        let journal = Journal()
        let made = try list(["title"], nil, journal)
        shop.context.delete(books[0])
        shop.add("Book", ["title": "a"])
        shop.add("Book", ["title": "e"])
        shop.context.processPendingChanges()
        #expect(Set(journal.lines) == ["delete 0", "insert 0", "insert 2"])
        #expect(made.fetchedObjects?.map { $0.text("title") } == ["a", "d", "e"])
    }

    // MARK: Stores

    // Proves S15-24
    @Test func `a coordinator adds a store as described and calls back once`() throws {
        let made = NSPersistentStoreCoordinator(managedObjectModel: shop.model)
        let description = NSPersistentStoreDescription(
            url: shop.folder.url.appendingPathComponent("described.sqlite"))
        description.setOption("kept" as NSString, forKey: "mine")
        var calls = 0
        made.addPersistentStore(with: description) { told, error in
            calls += 1
            #expect(told === description && error == nil)
        }
        #expect(calls == 1 && made.persistentStores.count == 1)
        #expect(made.persistentStores[0].options?["mine"] as? String == "kept")
        #expect(made.persistentStores[0].url?.lastPathComponent == "described.sqlite")
    }

    // Proves S15-25
    @Test func `objects in memory go with their coordinator`() throws {
        let first = try Bookshop(type: NSInMemoryStoreType)
        _ = try first.stock(["a"])
        #expect(try first.newContext().count(for: first.request("Book")) == 1)
        let second = try Bookshop(type: NSInMemoryStoreType)
        #expect(try second.count("Book") == 0)
    }

    // Proves S15-26
    @Test func `an id names entity and store, and whether it will change`() throws {
        let book = shop.add("Book")
        let temporary = book.objectID
        #expect(temporary.isTemporaryID && temporary.persistentStore == nil)
        #expect(temporary.entity.name == "Book")
        try shop.context.save()
        #expect(!book.objectID.isTemporaryID && book.objectID != temporary)
        #expect(book.objectID.persistentStore === shop.coordinator.persistentStores[0])
        #expect(book.objectID.entity == book.entity)
    }

    // MARK: Constants

    // Proves S15-27
    @Test func `the keys of notifications have typed names`() throws {
        let saves = Heard(NSManagedObjectContext.didSaveObjectsNotification, from: shop.context)
        let ids = Heard(NSManagedObjectContext.didSaveObjectIDsNotification, from: shop.context)
        let book = try shop.stock(["a"])[0]
        typealias Key = NSManagedObjectContext.NotificationKey
        let objects = saves.notes.last?.userInfo?[Key.insertedObjects.rawValue]
        #expect(objects as? Set<NSManagedObject> == [book])
        let keys = ids.notes.last?.userInfo?[Key.insertedObjectIDs.rawValue]
        #expect(keys as? Set<NSManagedObjectID> == [book.objectID])
        #expect(Key.updatedObjects.rawValue == NSUpdatedObjectsKey)
        #expect(Key.refreshedObjects.rawValue == NSRefreshedObjectsKey)
        #expect(Key.invalidatedAllObjects.rawValue == NSInvalidatedAllObjectsKey)
    }

    // Proves S15-28
    @Test func `errors have the numbers of the header`() {
        let table = [
            (NSManagedObjectValidationError, 1550), (NSValidationMultipleErrorsError, 1560),
            (NSValidationMissingMandatoryPropertyError, 1570),
            (NSValidationRelationshipDeniedDeleteError, 1600),
            (NSValidationNumberTooLargeError, 1610), (NSValidationDateTooSoonError, 1640),
            (NSValidationInvalidURIError, 1690),
            (NSManagedObjectContextLockingError, 132_000),
            (NSManagedObjectReferentialIntegrityError, 133_000),
            (NSManagedObjectMergeError, 133_020), (NSPersistentStoreOpenError, 134_080),
            (NSPersistentStoreTimeoutError, 134_090), (NSMigrationCancelledError, 134_120),
            (NSSQLiteError, 134_180), (NSInferredMappingModelError, 134_190),
            (NSExternalRecordImportError, 134_200),
        ]
        for (constant, number) in table { #expect(constant == number) }
        #expect(CocoaError.Code.managedObjectMerge.rawValue == 133_020)
        #expect(CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue == 134_100)
        #expect(CocoaError.Code.validationMissingMandatoryProperty.rawValue == 1570)
    }
}

private final class Journal: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var lines: [String] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange object: Any, at path: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        let word =
            switch type {
            case .insert: "insert"
            case .delete: "delete"
            case .move: "move"
            default: "update"
            }
        let places = [path, newIndexPath].compactMap { $0?.last }.map(String.init)
        lines.append(([word] + places).joined(separator: " "))
    }
}
