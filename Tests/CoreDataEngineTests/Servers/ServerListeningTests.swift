import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataPredicate
import CoreDataStore
import Dispatch
import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

/// Tests of the announcements by which stores on a server learn of the writes of others.
@Suite(.needsPostgreSQL) struct ServerListeningTests {
    private let database: TestDatabase
    private let readers = Readers()

    init() throws { database = try TestServer.shared().makeDatabase() }

    /// The contexts that have read. A row stays in the row cache as long as an object has it.
    private final class Readers {
        var contexts: [NSManagedObjectContext] = []
        var objects: [NSManagedObject] = []
    }

    private func stack(posts: Bool, _ items: String...) throws -> GraphStack {
        var url = database.url(schema: "library")
        if let item = items.first { url = database.url(schema: "library", item) }
        return try GraphStack(
            GraphModels.moody(), at: url, type: FaultlinePostgreSQLStoreType,
            options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: posts])
    }

    /// Counts the notifications of a coordinator.
    private final class Counter: Sendable {
        private let count = Mutex(0)
        private let posted = DispatchSemaphore(value: 0)

        init(_ stack: GraphStack) {
            _ = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: stack.coordinator, queue: nil
            ) { [weak self] _ in
                self?.count.withLock { $0 += 1 }
                self?.posted.signal()
            }
        }

        var value: Int { count.withLock { $0 } }

        /// Waits for a number of notifications, or until they are surely missing.
        func wait(for number: Int) {
            while value < number, posted.wait(timeout: .now() + 20) == .success {}
        }
    }

    /// Adds a country, and returns its URI.
    private func addCountry(_ stack: GraphStack, _ code: String = "fr") throws -> URL {
        let context = stack.context()
        return try context.on {
            let country = context.make("Country", ["code": code, "count": 0])
            try context.save()
            return country.objectID.uriRepresentation()
        }
    }

    private func set(_ count: Int, _ stack: GraphStack, _ codes: [String] = ["fr"]) throws {
        let context = stack.context(.overwrite)
        try context.on {
            for country in try context.all("Country")
            where codes.contains(country.text("code") ?? "") {
                country.setValue(count, forKey: "count")
            }
            try context.save()
        }
    }

    /// The count of a country in a new context. The row comes from the row cache if this has it.
    private func count(_ uri: URL, _ stack: GraphStack) throws -> Int? {
        let id = try #require(stack.coordinator.managedObjectID(forURIRepresentation: uri))
        let context = stack.context()
        readers.contexts.append(context)
        return try context.on {
            let country = try context.existingObject(with: id)
            readers.objects.append(country)
            return country.value(forKey: "count") as? Int
        }
    }

    @Test func `each save of another coordinator is one notification, and its rows are read again`()
        throws
    {
        let (one, other) = (try stack(posts: true), try stack(posts: true))
        let silent = try stack(posts: false)
        let (own, seen, none) = (Counter(one), Counter(other), Counter(silent))
        let uri = try addCountry(one)
        for save in 1...4 {
            seen.wait(for: save)
            #expect(try count(uri, other) == save - 1)
            try set(save, one)
        }
        seen.wait(for: 5)
        #expect(seen.value == 5 && own.value == 5)
        #expect(try count(uri, other) == 4)
        // A store without the option neither announces nor receives.
        #expect(try count(uri, silent) == 4)
        try set(5, one)
        seen.wait(for: 6)
        #expect(try count(uri, silent) == 4 && none.value == 0)
        #expect(try count(uri, other) == 5 && seen.value == 6)
    }

    @Test func `a store with listen=on receives rows, but posts nothing`() throws {
        let (one, other) = (try stack(posts: true), try stack(posts: false, "listen=on"))
        let (seen, none) = (Counter(one), Counter(other))
        let uri = try addCountry(one)
        #expect(try count(uri, other) == 0)
        try set(1, other)
        // The notification for the own save, and the one for the save of the other store.
        seen.wait(for: 2)
        #expect(try count(uri, one) == 1)
        #expect(none.value == 0)
    }

    @Test func `batches and large saves are announced`() throws {
        let (one, other) = (try stack(posts: true), try stack(posts: true))
        let seen = Counter(other)
        let uri = try addCountry(one)
        let context = one.context()
        let codes = (0..<1_000).map { "c\($0)" }
        try context.on {
            for code in codes { context.make("Country", ["code": code, "count": 0]) }
            try context.save()
        }
        seen.wait(for: 2)
        #expect(try count(uri, other) == 0)
        try set(1, one, codes + ["fr"])
        seen.wait(for: 3)
        #expect(try count(uri, other) == 1)
        try context.on {
            let update = NSBatchUpdateRequest(entityName: "Country")
            update.propertiesToUpdate = ["count": 2]
            update.predicate = NSPredicate(format: "code == 'fr'")
            try context.execute(update)
        }
        seen.wait(for: 4)
        #expect(try count(uri, other) == 2)
        try context.on {
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Country")
            try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        }
        seen.wait(for: 5)
        #expect(throws: (any Error).self) { try count(uri, other) }
        #expect(seen.value == 5)
    }

    @Test func `a store that has lost its connection reads all rows again`() throws {
        let one = try stack(posts: true)
        let seen = Counter(one)
        let uri = try addCountry(one)
        #expect(try count(uri, one) == 0)
        let program = try database.connect()
        try program.execute(
            "UPDATE library.\"Country\" SET count = 9, _version = _version + 1")
        #expect(try count(uri, one) == 0)
        let before = seen.value
        try program.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND query LIKE 'LISTEN%'")
        seen.wait(for: before + 1)
        #expect(try count(uri, one) == 9)
        // The new connection receives announcements.
        let other = try stack(posts: true)
        try set(10, other)
        seen.wait(for: before + 2)
        #expect(try count(uri, one) == 10)
    }

    @Test func `a closed store ends its connection`() throws {
        let one = try stack(posts: true)
        let program = try database.connect()
        func listeners() throws -> Int64 {
            try program.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND query LIKE 'LISTEN%'")[0, 0].integer
        }
        #expect(try listeners() == 1)
        try one.coordinator.remove(try #require(one.coordinator.persistentStores.first))
        while try listeners() > 0 {}
    }
}
