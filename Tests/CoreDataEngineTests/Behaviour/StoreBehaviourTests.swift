import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import Testing

@testable import CoreDataEngine

/// The published test suites of apps and libraries assert this behaviour of stores and requests.
@Suite struct StoreBehaviourTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private static func notes() -> NSManagedObjectModel {
        GraphModels.model([
            GraphModels.entity("Note", [GraphModels.text("name"), GraphModels.number("size")])
        ])
    }

    private func coordinator(
        _ options: [AnyHashable: Any]? = nil, type: String = NSSQLiteStoreType, at url: URL? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let made = NSPersistentStoreCoordinator(managedObjectModel: Self.notes())
        try made.addPersistentStore(
            ofType: type, configurationName: nil, at: url ?? folder.store, options: options)
        return made
    }

    private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let made = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        made.persistentStoreCoordinator = coordinator
        return made
    }

    private func names(_ context: NSManagedObjectContext) throws -> [String?] {
        try context.on { try context.all("Note", sort: "name").map { $0.text("name") } }
    }

    // MARK: History

    private static var tracked: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    /// Source: NSPersistentHistory.h; the author of a batch request is that of the executing
    /// context.
    @Test func `a batch request in a child context keeps the author`() throws {
        let parent = context(try coordinator(Self.tracked))
        let child = parent.child()
        child.transactionAuthor = "import"
        try child.on {
            let batch = NSBatchInsertRequest(entityName: "Note", objects: [["name": "a"]])
            _ = try child.execute(batch)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            let result = try child.execute(request) as? NSPersistentHistoryResult
            let found = result?.result as? [NSPersistentHistoryTransaction]
            #expect(found?.map(\.author) == ["import"])
        }
    }

    /// Source: suites of libraries; the key `newChangeToken` of NSManagedObjectContextDidSave.
    @Test func `the notification of a tracked store's save has its token`() throws {
        let coordinator = try coordinator(Self.tracked)
        let context = context(coordinator)
        let seen = Box<[NSPersistentHistoryToken?]>([])
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { seen.value.append($0.userInfo?["newChangeToken"] as? NSPersistentHistoryToken) }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.on {
            context.make("Note", ["name": "a"])
            try context.save()
        }
        #expect(seen.value == [coordinator.currentPersistentHistoryToken(fromStores: nil)])
    }

    /// Source: NSPersistentHistoryChangeRequest.h, fetchHistory(withFetch:).
    @Test func `a request for history may compare tokens`() throws {
        let coordinator = try coordinator(Self.tracked)
        let context = context(coordinator)
        try context.on {
            var tokens: [NSPersistentHistoryToken] = []
            for name in ["a", "b", "c"] {
                context.transactionAuthor = name
                context.make("Note", ["name": name])
                try context.save()
                tokens.append(
                    try #require(coordinator.currentPersistentHistoryToken(fromStores: nil)))
            }
            func authors(_ format: String) throws -> [String?] {
                let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
                fetch.predicate = NSPredicate(format: format, tokens[1])
                let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                let found = result?.result as? [NSPersistentHistoryTransaction]
                return try #require(found).map(\.author)
            }
            let same = try authors("token = %@")
            let later = try authors("token > %@")
            #expect(same == ["b"] && later == ["c"])
        }
    }

    // MARK: Files

    /// Source: semantics.md §7.2; suites whose tests all open their stores below `/dev/null`.
    @Test func `stores of one name below the null device are one store in memory`() throws {
        let name = UUID().uuidString
        let url = URL(fileURLWithPath: "/dev/null/\(name)")
        let first = try coordinator(at: url)
        let writer = context(first)
        try writer.on {
            writer.make("Note", ["name": "a"])
            try writer.save()
        }
        let second = context(try coordinator(at: url))
        #expect(try names(second) == ["a"])
        try second.on {
            second.make("Note", ["name": "b"])
            try second.save()
        }
        #expect(try names(writer) == ["a", "b"])
        for path in ["/dev/null/\(name)-other", "/dev/null"] {
            let other = context(try coordinator(at: URL(fileURLWithPath: path)))
            #expect(try names(other) == [])
        }
    }

    /// Source: NSPersistentStoreCoordinator.h: destroying a store without a file succeeds.
    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType])
    func `destroying a store that does not exist succeeds`(type: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.notes())
        try coordinator.destroyPersistentStore(at: folder.store, ofType: type)
        let below = folder.url.appendingPathComponent("no/such/folder.sqlite")
        try coordinator.destroyPersistentStore(at: below, ofType: type)
    }

    /// Source: suites of apps that pass custom options or options of newer systems.
    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType])
    func `an unknown option is ignored, with one line in the log`(type: String) throws {
        let name = "option \(UUID().uuidString)"
        let lines = Box<[String]>([])
        try EngineLog.capture {
            lines.value.append($0)
        } while: {
            for number in 0..<2 {
                let url = folder.url.appendingPathComponent("\(type)\(number)")
                _ = try coordinator([name: true], type: type, at: url)
            }
        }
        let told = lines.value.filter { $0.contains(name) }
        #expect(told.count == 1 && told[0].contains("ignored"))
    }

    // MARK: Queues and classes

    /// Source: semantics.md §4.1; Apple's framework accepts such use unless the check is turned on.
    @Test func `D-049 use off the queue is served on the queue and reported once`() throws {
        let context = context(try coordinator())
        context.name = "C \(UUID().uuidString)"
        let lines = Box<[String]>([])
        try QueueChecks.$override.withValue(false) {
            try EngineLog.capture {
                lines.value.append($0)
            } while: {
                for name in ["a", "b"] {
                    context.make("Note", ["name": name])
                    try context.save()
                }
                let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                let found = try context.fetch(request).count
                let counted = try context.count(for: request)
                #expect(found == 2 && counted == 2)
                context.reset()
            }
        }
        let told = lines.value.filter { $0.contains(context.name ?? "?") }
        let members = told.compactMap {
            $0.split(separator: " ").dropFirst(2).first.map(String.init)
        }
        #expect(
            members == [
                "insertNewObject(forEntityName:into:)", "save()", "fetch(_:)", "count(for:)",
                "reset()",
            ])
        #expect(told.allSatisfy { $0.contains("ConcurrencyDebug 1") })
    }

    @Test func `a test product is strict about queues`() throws {
        #expect(QueueChecks.areStrict)
        let context = context(try coordinator())
        #expect(throws: (any Error).self) { try context.save() }
    }

    /// Source: NSManagedObject.h, +entity and +fetchRequest.
    @Test func `a class that two models name is reported, and uses the entity of the first`() throws
    {
        let models = (0..<2).map { _ in
            GraphModels.model([GraphModels.entity("Twin", [GraphModels.text("name")], Twin.self)])
        }
        let coordinators = models.map { NSPersistentStoreCoordinator(managedObjectModel: $0) }
        let lines = Box<[String]>([])
        EngineLog.capture {
            lines.value.append($0)
        } while: {
            #expect(Twin.entity().name == "Twin")
            let request: NSFetchRequest<any NSFetchRequestResult> = Twin.fetchRequest()
            #expect(request.entityName == "Twin")
            let orphan: NSFetchRequest<any NSFetchRequestResult> = Orphan.fetchRequest()
            #expect(orphan.entityName == nil)
        }
        let told = lines.value.filter { $0.contains("Twin") || $0.contains("Orphan") }
        #expect(told.count == 2 && told[0].contains("Multiple NSEntityDescriptions claim"))
        #expect(coordinators.count == 2)
    }
}

/// Two models of one test name the class.
final class Twin: NSManagedObject {}

/// A class that no model names.
final class Orphan: NSManagedObject {}
