import CoreData
import XCTest

final class LabsStackTests: LabsTestCase {
    func testL5_aContainerIsAWholeStack() throws {
        XCTAssertEqual(
            NSPersistentContainer.defaultDirectoryURL().lastPathComponent, "Application Support")
        let fresh = NSPersistentContainer(name: "Ebooks", managedObjectModel: Ebooks.model)
        XCTAssertEqual(
            fresh.persistentStoreDescriptions.first?.url?.lastPathComponent, "Ebooks.sqlite")

        let container = container(Ebooks.model, name: "Ebooks")
        let store = try XCTUnwrap(container.persistentStoreCoordinator.persistentStores.first)
        XCTAssertEqual(store.type, "SQLite")
        XCTAssertEqual(store.type, NSSQLiteStoreType)
        XCTAssertEqual(store.url?.lastPathComponent, "Ebooks.sqlite")
        XCTAssertTrue(container.persistentStoreCoordinator.managedObjectModel === Ebooks.model)
        XCTAssertTrue(container.managedObjectModel === Ebooks.model)
        XCTAssertEqual(container.viewContext.concurrencyType, .mainQueueConcurrencyType)
    }

    // Proves S5-14
    func testL6_loadingCallsBackOncePerDescription() throws {
        let container = NSPersistentContainer(name: "Labs", managedObjectModel: Ebooks.model)
        let good = NSPersistentStoreDescription(url: folder.appendingPathComponent("good.sqlite"))
        container.persistentStoreDescriptions = [good]
        var seen: [(url: URL?, error: (any Error)?)] = []
        container.loadPersistentStores { seen.append(($0.url, $1)) }
        XCTAssertEqual(seen.count, 1)
        XCTAssertNil(seen[0].error)
        XCTAssertEqual(seen[0].url, good.url)
    }

    func testL6_aFailedLoadCallsBackWithTheError() throws {
        let container = NSPersistentContainer(name: "Labs", managedObjectModel: Ebooks.model)
        let file = folder.appendingPathComponent("text.sqlite")
        let text = String(repeating: "this is not a database file\n", count: 100)
        try text.write(to: file, atomically: true, encoding: .utf8)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
        var errors: [NSError] = []
        container.loadPersistentStores { _, error in
            if let error { errors.append(error as NSError) }
        }
        XCTAssertEqual(errors.count, 1)
        XCTAssertEqual(errors.first?.domain, NSCocoaErrorDomain)
        XCTAssertTrue(container.persistentStoreCoordinator.persistentStores.isEmpty)
        XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), text)
    }

    func testL6_aStoreCanBeAddedAsynchronously() throws {
        let container = NSPersistentContainer(name: "Labs", managedObjectModel: Ebooks.model)
        let url = folder.appendingPathComponent("later.sqlite")
        let description = NSPersistentStoreDescription(url: url)
        description.shouldAddStoreAsynchronously = true
        container.persistentStoreDescriptions = [description]
        let loaded = expectation(description: "loaded")
        container.loadPersistentStores { _, error in
            XCTAssertNil(error)
            loaded.fulfill()
        }
        wait(for: [loaded], timeout: 600)
        XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.count, 1)
    }

    func testL8_twoStacksShareAStoreOnlyWhenGivenOneURL() throws {
        let one = container(Ebooks.model, name: "one")
        let other = container(Ebooks.model, name: "other")
        _ = insert(Book.self, into: one.viewContext, ["title": "Swift"])
        try one.viewContext.save()
        let request = NSFetchRequest<Book>(entityName: "Book")
        XCTAssertEqual(try other.viewContext.count(for: request), 0)
        let again = container(Ebooks.model, name: "one")
        XCTAssertEqual(try again.viewContext.count(for: request), 1)
    }

    func testL7_destroyingEmptiesTheStoreWhateverTheTypesCase() throws {
        let container = container(Ebooks.model, name: "Ebooks")
        _ = insert(Book.self, into: container.viewContext, ["title": "Swift"])
        try container.viewContext.save()
        let coordinator = container.persistentStoreCoordinator
        let url = try XCTUnwrap(coordinator.persistentStores.first?.url)
        try coordinator.destroyPersistentStore(at: url, ofType: "sqlite", options: nil)
        let again = self.container(Ebooks.model, name: "Ebooks")
        let request = NSFetchRequest<Book>(entityName: "Book")
        XCTAssertEqual(try again.viewContext.count(for: request), 0)
    }

    func testL8_aNilURLMeansInMemory() throws {
        let request = NSFetchRequest<Book>(entityName: "Book")
        var contexts: [NSManagedObjectContext] = []
        for _ in 0..<2 {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Ebooks.model)
            let store = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
            XCTAssertEqual(store.type, "InMemory")
            let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            contexts.append(context)
        }
        _ = insert(Book.self, into: contexts[0], ["title": "Swift"])
        try contexts[0].save()
        XCTAssertEqual(try contexts[0].count(for: request), 1)
        XCTAssertEqual(try contexts[1].count(for: request), 0)
    }

    func testL10_aStoreOfAnOlderModelIsRecognisedBeforeOpening() throws {
        let container = container(Ebooks.model, name: "Ebooks")
        let coordinator = container.persistentStoreCoordinator
        let url = try XCTUnwrap(coordinator.persistentStores.first?.url)
        try coordinator.remove(coordinator.persistentStores[0])
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: url, options: nil)
        XCTAssertTrue(
            Ebooks.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        XCTAssertFalse(
            Events.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        let other = NSPersistentStoreCoordinator(managedObjectModel: Events.model)
        XCTAssertThrowsError(
            try other.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        ) { error in
            XCTAssertEqual((error as NSError).domain, NSCocoaErrorDomain)
            XCTAssertEqual((error as NSError).code, NSPersistentStoreIncompatibleVersionHashError)
        }
        XCTAssertTrue(other.persistentStores.isEmpty)
    }

    func testL9_aStackCanLiveInASubclassOfAContext() throws {
        let url = folder.appendingPathComponent("Shelf.sqlite")
        let shelf = try ShelfContext.make(at: url)
        let title = "Swift"
        shelf.add(title)
        try shelf.save()
        let again = try ShelfContext.make(at: url)
        XCTAssertEqual(try again.titles(), [title])
        XCTAssertFalse(again.persistentStoreCoordinator === shelf.persistentStoreCoordinator)
        let memory = try MemoryShelfContext.make(at: nil)
        XCTAssertEqual(try memory.titles(), [])
        memory.add("Linux")
        try memory.save()
        XCTAssertEqual(try memory.titles(), ["Linux"])
        XCTAssertEqual(try again.titles(), [title])
    }

    func testL48_theEventStoreReadsAsDocumentedInTheShell() throws {
        let shell = URL(fileURLWithPath: "/usr/bin/sqlite3")
        try XCTSkipUnless(
            FileManager.default.isExecutableFile(atPath: shell.path),
            "needs the sqlite3 shell at /usr/bin/sqlite3")
        let container = container(Events.model, name: "Event")
        _ = insert(Event.self, into: container.viewContext, ["timeStamp": Date()])
        try container.viewContext.save()
        let path = folder.appendingPathComponent("Event.sqlite").path
        func run(_ sql: String) throws -> String {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = shell
            process.arguments = [path, sql]
            process.standardOutput = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: output, as: UTF8.self)
        }
        let columns = try run("SELECT name, type, pk FROM pragma_table_info('ZEVENT') ORDER BY cid")
        XCTAssertEqual(
            columns,
            "Z_PK|INTEGER|1\nZ_ENT|INTEGER|0\nZ_OPT|INTEGER|0\nZTIMESTAMP|TIMESTAMP|0\n")
        XCTAssertEqual(try run("SELECT Z_PK, Z_ENT, Z_OPT FROM ZEVENT"), "1|1|1\n")

        let request = NSFetchRequest<Event>(entityName: "Event")
        let sql = try log.selects { _ = try container.viewContext.fetch(request) }
        XCTAssertEqual(sql.count, 1)
        XCTAssertTrue(try run("EXPLAIN QUERY PLAN \(sql[0])").contains("SCAN"))
    }

    func testL51_objectsCanBeMadeBeforeThereIsAStore() throws {
        let container = NSPersistentContainer(name: "Labs", managedObjectModel: Ebooks.model)
        let book = insert(Book.self, into: container.viewContext, ["title": "Swift"])
        book.rating = 5
        XCTAssertTrue(container.viewContext.hasChanges)
        XCTAssertThrowsError(try container.viewContext.save()) { error in
            XCTAssertEqual((error as NSError).domain, NSCocoaErrorDomain)
            XCTAssertFalse(error.localizedDescription.isEmpty)
        }
        XCTAssertTrue(book.isInserted)
    }
}

/// A context whose class method `make` creates the stack.
///
/// `@unchecked Sendable` because it adds no state.
private class ShelfContext: NSManagedObjectContext, @unchecked Sendable {
    class func make(at url: URL?) throws -> Self {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Ebooks.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = try XCTUnwrap(self.fresh() as? Self)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    class func fresh() -> ShelfContext { ShelfContext(concurrencyType: .mainQueueConcurrencyType) }

    func add(_ title: String) { Book(context: self).title = title }

    func titles() throws -> [String?] {
        try fetch(NSFetchRequest<Book>(entityName: "Book")).map(\.title)
    }
}

/// Overrides the class method that creates the context.
///
/// `@unchecked Sendable` because it adds no state.
private final class MemoryShelfContext: ShelfContext, @unchecked Sendable {
    override class func fresh() -> ShelfContext {
        MemoryShelfContext(concurrencyType: .mainQueueConcurrencyType)
    }
}
