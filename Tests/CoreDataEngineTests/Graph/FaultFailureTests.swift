import CoreDataEngine
import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import Foundation
import Glibc
import Synchronization
import Testing

/// Faults whose store cannot be read.
@Suite struct FaultFailureTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    /// Creates a store with a rollback journal and a short time-out, and saves authors in it.
    private static func stack(
        _ url: URL, authors: Int = 400
    ) throws -> (NSPersistentStoreCoordinator, [NSManagedObjectID]) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.makeModel())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSSQLitePragmasOption: ["journal_mode": "delete"],
                NSPersistentStoreTimeoutOption: 0.05 as NSNumber,
            ])
        let context = context(coordinator)
        let ids = try context.performAndWait {
            let made = (0..<authors).map { index in
                let author = NSEntityDescription.insertNewObject(
                    forEntityName: "Author", into: context)
                author.setValue(String(repeating: "name \(index) ", count: 40), forKey: "name")
                return author
            }
            try context.save()
            return made.map(\.objectID)
        }
        return (coordinator, ids)
    }

    private static func context(
        _ coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Locks the file for all other connections until the returned connection is released.
    private static func lock(_ url: URL) throws -> Connection {
        let connection = try Connection(.file(url.path))
        try connection.execute("BEGIN EXCLUSIVE")
        return connection
    }

    @Test func `a handler receives the failed read, and the object becomes inaccessible`()
        throws
    {
        let (coordinator, ids) = try Self.stack(folder.store)
        let context = Self.context(coordinator)
        let told = Mutex<[NSPersistentStoreCoordinator.FaultFailure]>([])
        coordinator.faultFailureHandler = { failure in
            told.withLock { $0.append(failure) }
            return .makeInaccessible
        }
        let other = try Self.lock(folder.store)
        try context.performAndWait {
            let author = context.object(with: ids[0])
            #expect(author.value(forKey: "name") == nil)
            #expect(!author.isFault && !author.isDeleted && !context.hasChanges)
            #expect((author.value(forKey: "books") as? NSSet)?.count == 0)
            let failure = try #require(told.withLock { $0 }.first)
            #expect(told.withLock { $0.count } == 1, "asked once for an object")
            #expect(failure.storeURL == folder.store && failure.entityName == "Author")
            #expect(failure.objectID == ids[0] && failure.key == "name" && failure.canGoOn)
            let text = failure.error.localizedDescription
            #expect(text.contains("database is locked"), "\(text)")

            try other.rollback()
            // After the rollback, other rows can be read and saved.
            let neighbour = context.object(with: ids[1])
            #expect(neighbour.value(forKey: "name") != nil)
            neighbour.setValue("new", forKey: "name")
            try context.save()
            context.refresh(author, mergeChanges: false)
            let name = author.value(forKey: "name") as? String
            #expect(name?.hasPrefix("name 0 ") == true)
        }
    }

    @Test func `a relationship that cannot be read is handled in the same way`() throws {
        let (coordinator, ids) = try Self.stack(folder.store)
        let context = Self.context(coordinator)
        let keys = Mutex<[String?]>([])
        coordinator.faultFailureHandler = { failure in
            keys.withLock { $0.append(failure.key) }
            return .makeInaccessible
        }
        try context.performAndWait {
            let author = context.object(with: ids[0])
            #expect(author.value(forKey: "name") != nil)
            let other = try Self.lock(folder.store)
            #expect((author.value(forKey: "books") as? NSSet)?.count == 0)
            #expect(keys.withLock { $0 } == ["books"])
            try other.rollback()
            context.refresh(author, mergeChanges: false)
            #expect(author.value(forKey: "name") != nil)
        }
    }

    @Test func `without a handler the process ends with object, property, file and reason`()
        async throws
    {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let folder = try GraphFolder()
            let (coordinator, ids) = try FaultFailureTests.stack(folder.store, authors: 1)
            let context = FaultFailureTests.context(coordinator)
            let other = try FaultFailureTests.lock(folder.store)
            context.performAndWait {
                _ = context.object(with: ids[0]).value(forKey: "name")
            }
            try other.rollback()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        for part in ["'name'", "/Author/p1", "store.sqlite", "database is locked"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test func `an object with unsaved changes is not made inaccessible`() async throws {
        await #expect(processExitsWith: .failure) {
            let folder = try GraphFolder()
            let (coordinator, ids) = try FaultFailureTests.stack(folder.store, authors: 1)
            coordinator.faultFailureHandler = { failure in
                // If the process survived, its exit status would be 0.
                failure.canGoOn ? .makeInaccessible : .makeInaccessible
            }
            let context = FaultFailureTests.context(coordinator)
            try context.performAndWait {
                let author = context.object(with: ids[0])
                author.setValue("changed", forKey: "name")
                let other = try FaultFailureTests.lock(folder.store)
                _ = author.value(forKey: "books")
                try other.rollback()
            }
        }
    }

    @Test func `faults fire when no file descriptor is left`() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try GraphFolder()
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: Library.makeModel())
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.store)
            let context = FaultFailureTests.context(coordinator)
            let ids = try context.performAndWait {
                let made = (0..<4).map { index in
                    let author = NSEntityDescription.insertNewObject(
                        forEntityName: "Author", into: context)
                    author.setValue("name \(index)", forKey: "name")
                    return author
                }
                try context.save()
                return made.map(\.objectID)
            }
            coordinator.rowCache.removeAll()
            var held: [Int32] = []
            while case let file = open("/dev/null", O_RDONLY), file >= 0 { held.append(file) }
            let reader = FaultFailureTests.context(coordinator)
            let names = reader.performAndWait {
                ids.compactMap { reader.object(with: $0).value(forKey: "name") as? String }
            }
            for file in held { close(file) }
            precondition(names == ["name 0", "name 1", "name 2", "name 3"])
        }
    }
}
