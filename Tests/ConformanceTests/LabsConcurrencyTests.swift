import CoreData
import XCTest

final class LabsConcurrencyTests: LabsTestCase {
    private func authors() -> NSFetchRequest<Author> {
        NSFetchRequest<Author>(entityName: "Author")
    }

    // Proves S1.8-2
    func testL34_notificationsCarryTheChangedObjects() throws {
        let context = container(Ebooks.model).viewContext
        let old = insert(Author.self, into: context, ["name": "old"])
        let gone = insert(Author.self, into: context, ["name": "gone"])
        try context.save()
        let saved = Received(.NSManagedObjectContextDidSave, of: context)
        let changed = Received(.NSManagedObjectContextObjectsDidChange, of: context)
        let willSave = Received(.NSManagedObjectContextWillSave, of: context)
        let new = insert(Author.self, into: context, ["name": "new"])
        old.name = "changed"
        context.delete(gone)
        try context.save()
        for received in [changed, saved] {
            XCTAssertEqual(received.objects(NSInsertedObjectsKey), [new])
            XCTAssertEqual(received.objects(NSUpdatedObjectsKey), [old])
            XCTAssertEqual(received.objects(NSDeletedObjectsKey), [gone])
        }
        XCTAssertEqual([willSave.count, saved.count], [1, 1])
    }

    func testL36_blocksRunOnTheContextsQueue() throws {
        let container = container(Ebooks.model)
        let context = background(container)
        let done = expectation(description: "perform")
        context.perform {
            let author = Author(context: context)
            author.name = "Ada"
            XCTAssertTrue(author.managedObjectContext === context)
            context.performAndWait { author.rating = 4 }
            do { try context.save() } catch { XCTFail("\(error)") }
            done.fulfill()
        }
        wait(for: [done], timeout: 600)
        let count = try context.performAndWait { try context.count(for: authors()) }
        XCTAssertEqual(count, 1)
        XCTAssertEqual(try container.viewContext.fetch(authors()).first?.rating, 4)
    }

    func testL37_siblingImportReachesTheMainContext() throws {
        let container = container(Ebooks.model)
        let main = container.viewContext
        main.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let saves = Saves(of: container, except: main)
        for number in 1...3 {
            let context = background(container)
            context.name = "import \(number)"
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            queue.addOperation {
                context.performAndWait {
                    for index in 1...10 {
                        let author = Author(context: context)
                        author.name = "\(number).\(index)"
                    }
                    do { try context.save() } catch { XCTFail("\(error)") }
                }
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(saves.take().count, 3)
        XCTAssertEqual(try main.count(for: authors()), 30)
    }

    func testL37_editsOnBothSidesOfOneRowResolveAsThePoliciesSay() throws {
        let container = container(Ebooks.model)
        let main = container.viewContext
        main.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        let author = insert(Author.self, into: main, ["name": "start"])
        try main.save()
        author.name = "main"
        author.rating = 1
        let id = author.objectID
        let saves = Saves(of: container, except: main)
        let other = background(container)
        try other.performAndWait {
            let twin = try XCTUnwrap(try other.existingObject(with: id) as? Author)
            twin.name = "import"
            try other.save()
        }
        for note in saves.take() { main.mergeChanges(fromContextDidSave: note) }
        XCTAssertEqual(author.name, "main")
        XCTAssertEqual(author.rating, 1)
        try main.save()
        XCTAssertEqual(author.rating, 1)
    }

    func testL38_theSecondSaveFailsAndNothingIsLost() throws {
        let container = container(Ebooks.model)
        let first = container.viewContext
        let author = insert(Author.self, into: first, ["name": "start"])
        try first.save()
        let id = author.objectID
        let second = background(container)
        let twin = try second.performAndWait { () throws -> Author in
            let twin = try XCTUnwrap(try second.existingObject(with: id) as? Author)
            twin.name = "second"
            return twin
        }
        author.name = "first"
        try first.save()
        try second.performAndWait {
            XCTAssertThrowsError(try second.save()) { error in
                XCTAssertEqual((error as NSError).code, NSManagedObjectMergeError)
                let list = (error as NSError).userInfo[NSPersistentStoreSaveConflictsErrorKey]
                guard let conflict = (list as? [NSMergeConflict])?.first else {
                    return XCTFail("no conflict in \(error)")
                }
                XCTAssertTrue(conflict.sourceObject === twin)
                XCTAssertEqual(conflict.objectSnapshot?["name"] as? String, "start")
                let stored = conflict.persistedSnapshot ?? conflict.cachedSnapshot
                XCTAssertEqual(stored?["name"] as? String, "first")
            }
            XCTAssertEqual(twin.name, "second")
            XCTAssertTrue(second.hasChanges)
        }
        XCTAssertEqual(author.name, "first")
    }

    func testL39_aChildSavesToItsParentOnly() throws {
        let container = container(Ebooks.model)
        let parent = container.viewContext
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = parent
        let author = insert(Author.self, into: child, ["name": "child"])
        try child.save()
        XCTAssertTrue(parent.hasChanges)
        let reader = background(container)
        func stored() throws -> Int {
            try reader.performAndWait { try reader.count(for: authors()) }
        }
        XCTAssertEqual(try stored(), 0)
        try parent.save()
        XCTAssertEqual(try stored(), 1)
        XCTAssertEqual(author.name, "child")
        author.name = "again"
        try child.save()
        try parent.save()
        XCTAssertEqual(try parent.fetch(authors()).first?.name, "again")
        XCTAssertEqual(try stored(), 1)
    }

    // Proves S2.10-1
    func testL40_firingAFaultShowsInTheLog() throws {
        let container = container(Ebooks.model)
        let author = insert(Author.self, into: container.viewContext, ["name": "Ada"])
        try container.viewContext.save()
        let id = author.objectID
        // A new stack does not share the row cache of the first one.
        let context = self.container(Ebooks.model).viewContext
        let uri = id.uriRepresentation()
        let twin = try XCTUnwrap(
            context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
                .map(context.object(with:)) as? Author)
        let lines = log.lines { XCTAssertEqual(twin.name, "Ada") }
        XCTAssertEqual(lines.filter { $0.hasPrefix("CoreData: sql: SELECT") }.count, 1)
        XCTAssertTrue(
            lines.contains {
                $0.hasPrefix("CoreData: annotation: fault fulfilled from database for : 0x")
                    && $0.hasSuffix("<\(uri.absoluteString)>")
            })
        let fetch = try log.lines { _ = try context.fetch(authors()) }
        XCTAssertTrue(
            fetch.contains {
                $0.hasPrefix("CoreData: annotation: total fetch execution time: ")
                    && $0.hasSuffix("s for 1 rows.")
            })
    }

    // Proves S3.1-2
    func testL46_detectConflictsMakesAnUnchangedObjectTakePart() throws {
        let container = container(Ebooks.model)
        let first = container.viewContext
        let author = insert(Author.self, into: first, ["name": "start"])
        try first.save()
        let second = background(container)
        let id = author.objectID
        try second.performAndWait {
            let twin = try XCTUnwrap(try second.existingObject(with: id) as? Author)
            XCTAssertEqual(twin.name, "start")
            second.detectConflicts(for: twin)
            let other = Author(context: second)
            other.name = "other"
        }
        author.name = "changed"
        try first.save()
        try second.performAndWait {
            XCTAssertThrowsError(try second.save()) { error in
                XCTAssertEqual((error as NSError).code, NSManagedObjectMergeError)
            }
        }
    }
}
