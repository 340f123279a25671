import CoreDataEngine
import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import Foundation
import Testing

/// The POSIX locks of this process on the files of one store, as `/proc/locks` shows them.
private struct LockTable: Equatable, CustomStringConvertible {
    /// The types and byte ranges of the locks, by the suffix of the locked file.
    private var locks: [String: [String]] = [:]

    init(_ path: String) throws {
        let table = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        for suffix in ["", "-wal", "-shm", "-journal"] {
            guard let identity = try FileFacts.of(path + suffix)?.identity else { continue }
            locks[suffix] = table.split(separator: "\n").compactMap { line in
                // A line is, for example: 1: POSIX  ADVISORY  READ 4711 08:01:131095 1073741826
                // 1073742335
                let words = line.split(separator: " ")
                guard words.count == 8, words[4] == "\(getpid())",
                    words[5].split(separator: ":").last == "\(identity.inode)"
                else { return nil }
                return words[3...].joined(separator: " ")
            }.sorted()
        }
    }

    var isEmpty: Bool { locks.values.allSatisfy(\.isEmpty) }
    var description: String { "\(locks)" }
}

/// Tests that no public call drops the POSIX locks of this process. If a process closes any
/// descriptor of a file, the system drops all of its locks on the file. Another process would then
/// treat the store as unused, and later saves of this process would be lost.
@Suite struct LockTableTests {
    private let folder: GraphFolder
    private let container: NSPersistentContainer
    private var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }
    private var store: NSPersistentStore { coordinator.persistentStores[0] }
    private var url: URL { folder.store }

    init() throws {
        folder = try GraphFolder()
        container = NSPersistentContainer(name: "Library", managedObjectModel: Library.makeModel())
        let description = NSPersistentStoreDescription(url: folder.store)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue("Ada", forKey: "name")
            try context.save()
        }
    }

    private func file(_ name: String) -> URL { folder.url.appendingPathComponent(name) }

    private func request() -> NSFetchRequest<NSManagedObject> { .init(entityName: "Author") }

    private typealias Call = (name: String, run: () throws -> Void)

    /// The public class methods of the coordinator, each with a call of it.
    private var classCalls: [Call] {
        typealias Coordinator = NSPersistentStoreCoordinator
        return [
            (
                "metadataForPersistentStore",
                {
                    _ = try Coordinator.metadataForPersistentStore(ofType: nil, at: url)
                    _ = try Coordinator.metadataForPersistentStore(
                        ofType: NSSQLiteStoreType, at: url, options: nil)
                    _ = try Coordinator.metadataForPersistentStore(type: .sqlite, at: url)
                    _ = try Coordinator.metadataForPersistentStore(with: url)
                    _ = try NSPersistentStore.metadataForPersistentStore(with: url)
                    #expect(throws: (any Error).self) {
                        try Coordinator.metadataForPersistentStore(
                            ofType: NSXMLStoreType, at: url, options: nil)
                    }
                }
            ),
            (
                "setMetadata",
                {
                    let own = ["own": "value"]
                    try Coordinator.setMetadata(
                        own, forPersistentStoreOfType: nil as String?, at: url)
                    try Coordinator.setMetadata(own, type: .sqlite, at: url)
                    try NSPersistentStore.setMetadata(own, forPersistentStoreAt: url)
                    coordinator.setMetadata(own, for: store)
                }
            ),
            ("registerStoreClass", {}),
            (
                "migrationManagerClass",
                {
                    let found: AnyClass = NSPersistentStore.migrationManagerClass()
                    #expect(found is NSMigrationManager.Type)
                }
            ),
            ("registeredStoreTypes", { _ = Coordinator.registeredStoreTypes }),
        ]
    }

    private var fileCalls: [Call] {
        [
            (
                "replacePersistentStore",
                {
                    let other = NSPersistentStoreCoordinator(
                        managedObjectModel: Library.makeModel())
                    for _ in 0..<2 {
                        try other.replacePersistentStore(
                            at: file("backup"), withPersistentStoreFrom: url,
                            ofType: NSSQLiteStoreType)
                    }
                    try other.replacePersistentStore(
                        at: file("backup"), withPersistentStoreFrom: url, type: .sqlite)
                    #expect(throws: (any Error).self) {
                        try other.replacePersistentStore(
                            at: file("backup"), withPersistentStoreFrom: url, type: .xml)
                    }
                }
            ),
            (
                "addPersistentStore",
                {
                    // Another coordinator adds and removes the store. With a wrong type the call
                    // fails.
                    for type in [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType] {
                        let other = NSPersistentStoreCoordinator(
                            managedObjectModel: Library.makeModel())
                        let added = try? other.addPersistentStore(
                            ofType: type, configurationName: nil, at: url, options: nil)
                        #expect((added != nil) == (type == NSSQLiteStoreType))
                        if let added { try other.remove(added) }
                    }
                }
            ),
            (
                "remove",
                {
                    let other = NSPersistentStoreCoordinator(
                        managedObjectModel: Library.makeModel())
                    try other.remove(try other.addPersistentStore(type: .sqlite, at: url))
                }
            ),
            (
                "migratePersistentStore",
                {
                    // Another coordinator opens the store and migrates it to a copy.
                    let other = NSPersistentStoreCoordinator(
                        managedObjectModel: Library.makeModel())
                    let added = try other.addPersistentStore(type: .sqlite, at: url)
                    let copy = try other.migratePersistentStore(
                        added, to: file("copy.xml"), withType: NSXMLStoreType)
                    try other.remove(copy)
                    #expect(throws: (any Error).self) {
                        try coordinator.migratePersistentStore(store, to: url, type: .xml)
                    }
                }
            ),
            (
                "destroyPersistentStore",
                {
                    let other = NSPersistentStoreCoordinator(
                        managedObjectModel: Library.makeModel())
                    try other.destroyPersistentStore(
                        at: file("nothing"), ofType: NSSQLiteStoreType)
                    // The call fails while another coordinator has the store open.
                    for type in [NSSQLiteStoreType, NSXMLStoreType] {
                        #expect(throws: (any Error).self) {
                            try other.destroyPersistentStore(
                                at: url, ofType: type,
                                options: [NSPersistentStoreTimeoutOption: 0 as NSNumber])
                        }
                    }
                }
            ),
        ]
    }

    private var coordinatorCalls: [Call] {
        [
            ("managedObjectModel", { _ = coordinator.managedObjectModel }),
            ("name", { coordinator.name = "\(coordinator.name ?? "")\(container.name)" }),
            ("persistentStores", { _ = coordinator.persistentStores }),
            ("persistentStore", { #expect(coordinator.persistentStore(for: url) != nil) }),
            ("url", { _ = (coordinator.url(for: store), store.url) }),
            ("metadata", { _ = (coordinator.metadata(for: store), store.metadata) }),
            ("setURL", { #expect(coordinator.setURL(url, for: store)) }),
            (
                "managedObjectID",
                {
                    let uri = URL(string: "x-coredata://\(store.identifier!)/Author/p1")!
                    #expect(coordinator.managedObjectID(forURIRepresentation: uri) != nil)
                    #expect(coordinator.managedObjectID(for: uri.absoluteString) != nil)
                }
            ),
            ("perform", { coordinator.performAndWait { coordinator.perform {} } }),
            ("performAndWait", { coordinator.performAndWait {} }),
            (
                "execute",
                {
                    let context = container.newBackgroundContext()
                    try context.performAndWait {
                        _ = try coordinator.execute(request(), with: context)
                    }
                }
            ),
            (
                "currentPersistentHistoryToken",
                { _ = coordinator.currentPersistentHistoryToken(fromStores: nil) }
            ),
            (
                "finishDeferredLightweightMigration",
                { try coordinator.finishDeferredLightweightMigration() }
            ),
            (
                "finishDeferredLightweightMigrationTask",
                { try coordinator.finishDeferredLightweightMigrationTask() }
            ),
            // These deprecated calls lock only threads. They do not use files.
            ("lock", {}), ("unlock", {}), ("tryLock", {}),
        ]
    }

    private var containerCalls: [Call] {
        [
            ("persistentStoreCoordinator", { _ = store.persistentStoreCoordinator }),
            ("persistentStoreDescriptions", { _ = container.persistentStoreDescriptions }),
            ("defaultDirectoryURL", { _ = NSPersistentContainer.defaultDirectoryURL() }),
            ("viewContext", { _ = container.viewContext }),
            ("loadPersistentStores", { container.loadPersistentStores { #expect($1 != nil) } }),
            ("newBackgroundContext", { _ = container.newBackgroundContext() }),
            ("performBackgroundTask", { container.performBackgroundTask { _ in } }),
            ("type", { _ = store.type }),
            ("configurationName", { _ = store.configurationName }),
            ("options", { _ = store.options }),
            ("identifier", { _ = store.identifier }),
            ("isReadOnly", { _ = store.isReadOnly }),
            ("loadMetadata", { try store.loadMetadata() }),
            ("didAdd", { store.didAdd(to: coordinator) }),
            ("willRemove", {}),
        ]
    }

    private var calls: [Call] { classCalls + fileCalls + coordinatorCalls + containerCalls }

    @Test func `no public call drops the locks of this process`() throws {
        let before = try LockTable(url.path)
        #expect(!before.isEmpty, "an open store in WAL mode is locked")
        for call in calls {
            try call.run()
            #expect(try LockTable(url.path) == before, "\(call.name)")
        }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let count = try context.count(for: request())
            #expect(count == 1)
            #expect(try LockTable(url.path) == before)
        }
    }

    @Test func `saves, fetches and batch requests leave the lock table as it was`() throws {
        let before = try LockTable(url.path)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue("Grace", forKey: "name")
            try context.save()
            #expect(try LockTable(url.path) == before)
            author.setValue("Hopper", forKey: "name")
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["name": "x"]
            _ = try context.execute(update)
            #expect(try LockTable(url.path) == before)
            _ = try context.execute(
                NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: request())
            try context.setQueryGenerationFrom(nil)
        }
        #expect(try LockTable(url.path) == before)
    }

    /// Checks the lists above. A new public call must be added to them.
    @Test func `every public call of coordinator, container and store is tried`() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources")
        let tried = Set(calls.map(\.name))
        var declared: Set<String> = []
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter {
            path in
            let name = path.split(separator: "/").last ?? ""
            return ["NSPersistentStoreCoordinator", "NSPersistentContainer", "NSPersistentStore"]
                .contains { name == "\($0).swift" || name.hasPrefix("\($0)+") }
        }
        #expect(files.count >= 9)
        let declaration = /(?:public|open)(?: final| override| class| static)* (?:func|var) (\w+)/
        for path in files {
            let text = try String(
                contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            for match in text.matches(of: declaration) { declared.insert(String(match.output.1)) }
        }
        // Constants of `StoreType`.
        declared.subtract(["sqlite", "binary", "xml", "inMemory"])
        #expect(declared.subtracting(tried) == [])
        #expect(tried.subtracting(declared) == [])
    }
}
