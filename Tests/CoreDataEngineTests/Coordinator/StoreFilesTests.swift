import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization
import Testing

/// Tests of destroying, replacing and copying stores, and of their metadata and options.
@Suite struct StoreFilesTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private func url(_ name: String) -> URL { folder.url.appendingPathComponent(name) }

    private func stack(
        _ type: String, _ name: String, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.makeModel())
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url(name), options: options)
        return coordinator
    }

    private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: SteppedQueue(label: "c"))
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func fill(_ coordinator: NSPersistentStoreCoordinator) throws {
        let context = context(coordinator)
        try context.on {
            let author = context.make("Author", ["name": "Ada"])
            for year in 0..<3 {
                context.make("Book", ["title": "b\(year)", "year": year, "author": author])
            }
            try context.save()
        }
    }

    private func titles(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        let context = context(coordinator)
        return try context.on {
            try context.all("Book", "author.name == 'Ada'", sort: "title")
                .compactMap { $0.text("title") }
        }
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch { return (error as NSError).code }
        return nil
    }

    // MARK: Metadata

    @Test(arguments: ["SQLite", "Binary", "XML"])
    func `metadata that could not be read again is refused, and the store still opens`(
        type: String
    ) throws {
        try fill(try stack(type, "s"))
        var nested: Any = "end"
        for _ in 0..<600 { nested = [nested] }
        #expect(throws: (any Error).self) {
            try NSPersistentStoreCoordinator.setMetadata(
                ["deep": nested], forPersistentStoreOfType: type, at: url("s"))
        }
        #expect(try titles(try stack(type, "s")).count == 3)
    }

    @Test(arguments: ["SQLite", "Binary", "XML"])
    func `metadata is read and written without opening the store`(type: String) throws {
        let coordinator = try stack(type, "s")
        try fill(coordinator)
        let identifier = try #require(coordinator.persistentStores[0].identifier)
        try coordinator.remove(coordinator.persistentStores[0])
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: type, at: url("s"))
        #expect(read[NSStoreTypeKey] as? String == type)
        #expect(read[NSStoreUUIDKey] as? String == identifier)
        #expect(
            read[NSPersistentStoreModelVersionChecksumKey] as? String
                == coordinator.managedObjectModel.versionChecksum)
        try NSPersistentStoreCoordinator.setMetadata(
            ["colour": "red", NSStoreTypeKey: "lies"], forPersistentStoreOfType: type, at: url("s"))
        let changed = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: NSPersistentStore.StoreType(rawValue: type), at: url("s"))
        #expect(changed["colour"] as? String == "red")
        #expect(changed[NSStoreTypeKey] as? String == type)
        #expect(
            coordinator.managedObjectModel.isConfiguration(
                withName: nil, compatibleWithStoreMetadata: changed))
        #expect(try titles(try stack(type, "s")) == ["b0", "b1", "b2"])
        let sniffed = try NSPersistentStoreCoordinator.metadataForPersistentStore(with: url("s"))
        #expect(sniffed["colour"] as? String == "red")
    }

    @Test func `a file of another type, a missing one and an unknown type have different errors`()
        throws
    {
        _ = try stack("Binary", "binary")
        typealias Coordinator = NSPersistentStoreCoordinator
        #expect(
            code {
                _ = try Coordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: url("binary"))
            } == NSPersistentStoreTypeMismatchError)
        #expect(code { _ = try stack("SQLite", "binary") } == NSPersistentStoreTypeMismatchError)
        #expect(
            code {
                _ = try Coordinator.metadataForPersistentStore(
                    ofType: NSBinaryStoreType, at: url("none"))
            } == NSFileReadNoSuchFileError)
        #expect(code { _ = try stack("Paper", "p") } == NSPersistentStoreInvalidTypeError)
    }

    // MARK: Destroying

    @Test func `destroying empties a SQLite store and leaves the file`() throws {
        let coordinator = try stack("SQLite", "s")
        try fill(coordinator)
        try coordinator.destroyPersistentStore(at: url("s"), ofType: "sqlite")
        #expect(coordinator.persistentStores.isEmpty)
        #expect(FileManager.default.fileExists(atPath: url("s").path))
        for suffix in ["-wal", "-shm"] {
            #expect(!FileManager.default.fileExists(atPath: url("s").path + suffix))
        }
        #expect(
            code {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: "SQLite", at: url("s"))
            } == NSPersistentStoreOpenError)
        let again = try stack("SQLite", "s")
        #expect(try titles(again) == [])
        try again.destroyPersistentStore(at: url("missing"), type: .sqlite)
    }

    @Test func `only force destroys a store that is in use elsewhere`() throws {
        let other = try stack("SQLite", "s")
        try fill(other)
        let context = context(other)
        try context.on {
            try context.setQueryGenerationFrom(.current)
            #expect(try context.all("Book").count == 3)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.makeModel())
        let timeout: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0]
        #expect(
            code {
                try coordinator.destroyPersistentStore(
                    at: url("s"), ofType: "SQLite", options: timeout)
            } != nil)
        #expect(try titles(other) == ["b0", "b1", "b2"])
        try coordinator.destroyPersistentStore(
            at: url("s"), ofType: "SQLite",
            options: timeout.merging([NSPersistentStoreForceDestroyOption: true]) { $1 })
        #expect(try titles(try stack("SQLite", "s")) == [])
    }

    // MARK: Replacing and copying

    @Test(arguments: ["SQLite", "Binary", "XML"])
    func `replacing installs a copy at the location of another store`(type: String) throws {
        let source = try stack(type, "source")
        try fill(source)
        let target = try stack(type, "target")
        let identifier = source.persistentStores[0].identifier
        try target.replacePersistentStore(
            at: url("target"), withPersistentStoreFrom: url("source"), ofType: type)
        #expect(target.persistentStores.isEmpty)
        let again = try stack(type, "target")
        #expect(try titles(again) == ["b0", "b1", "b2"])
        #expect(again.persistentStores[0].identifier == identifier)
        #expect(try titles(source) == ["b0", "b1", "b2"])
        #expect(
            code {
                try again.replacePersistentStore(
                    at: url("target"), withPersistentStoreFrom: url("none"), ofType: type)
            } != nil)
    }

    @Test(arguments: [
        ("SQLite", "Binary"), ("Binary", "SQLite"), ("XML", "SQLite"), ("SQLite", "XML"),
    ])
    func `migrating copies the graph, and the coordinator continues with the copy`(
        from: String, to: String
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: GraphModels.relationships())
        let old = try coordinator.addPersistentStore(
            ofType: from, configurationName: nil, at: url("old"))
        let context = context(coordinator)
        try context.on {
            let owner = context.make("Owner", ["name": "o"])
            context.make("Cat", ["name": "c", "lives": 9, "owner": owner])
            let list = context.make("List", ["name": "l"])
            let tracks = ["z", "a", "m"].map { context.make("Track", ["name": $0]) }
            list.setValue(NSOrderedSet(array: tracks), forKey: "tracks")
            list.setValue(NSOrderedSet(array: tracks.reversed()), forKey: "hits")
            list.setValue(NSSet(array: Array(tracks.prefix(2))), forKey: "tags")
            try context.save()
            context.reset()
        }
        let new = try coordinator.migratePersistentStore(old, to: url("new"), withType: to)
        #expect(coordinator.persistentStores == [new] && new.type == to)
        #expect(new.identifier != old.identifier && old.persistentStoreCoordinator == nil)
        try context.on {
            let list = try context.all("List")[0]
            #expect(list.names("tracks") == ["z", "a", "m"])
            #expect(list.names("hits") == ["m", "a", "z"])
            #expect(list.names("tags") == ["a", "z"])
            let cat = try context.all("Animal")[0]
            #expect(cat.entity.name == "Cat" && cat.object("owner")?.text("name") == "o")
            #expect(cat.objectID.uriRepresentation().host == new.identifier)
            cat.setValue("renamed", forKey: "name")
            context.make("Dog", ["name": "d"])
            try context.save()
            #expect(
                try context.all("Animal", sort: "name").map { $0.text("name") } == [
                    "d", "renamed",
                ])
        }
        #expect(
            code {
                _ = try coordinator.migratePersistentStore(new, to: url("old"), withType: to)
            } == CocoaError.fileWriteFileExists.rawValue)
    }

    /// Core Data logs the recovery when it creates the folder.
    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func `a described store creates its missing folder`(_ type: String) throws {
        let file = url("missing/deeper/s")
        let description = NSPersistentStoreDescription(url: file)
        description.type = type
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.makeModel())
        var failure: (any Error)?
        let lines = Mutex<[String]>([])
        EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            coordinator.addPersistentStore(with: description) { failure = $1 }
        }
        #expect(failure == nil)
        #expect(lines.withLock { $0.contains { $0.contains("created the missing folder") } })
        try fill(coordinator)
        #expect(try titles(coordinator) == ["b0", "b1", "b2"])
        let other = url("another/s")
        let readOnly = NSPersistentStoreDescription(url: other)
        readOnly.isReadOnly = true
        coordinator.addPersistentStore(with: readOnly) { failure = $1 }
        #expect(failure != nil)
        #expect(!FileManager.default.fileExists(atPath: url("another").path))
    }

    @Test func `names of protection classes are objects, as on Apple's systems`() throws {
        let description = NSPersistentStoreDescription(url: url("s"))
        description.setOption(
            FileProtectionType.complete as NSObject, forKey: NSPersistentStoreFileProtectionKey)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.makeModel())
        var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { failure = $1 }
        #expect(failure == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: url("s").path)
        #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect("NSFileProtectionNone" as NSString as FileProtectionType == .none)
    }

    // MARK: Options

    // D-011
    @Test func `the options analyse, vacuum, pool size and protection have their effects`() throws {
        let coordinator = try stack(
            "SQLite", "s",
            options: [
                NSPersistentStoreConnectionPoolMaxSizeKey: 1, NSSQLiteAnalyzeOption: true,
                NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete",
            ])
        try fill(coordinator)
        #expect(try titles(coordinator) == ["b0", "b1", "b2"])
        let mode = try FileManager.default.attributesOfItem(atPath: url("s").path)
        #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        try coordinator.remove(coordinator.persistentStores[0])
        let other = NSPersistentStoreCoordinator(managedObjectModel: Library.makeModel())
        let statements = Statements()
        other.trace.add(statements)
        try other.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url("s"),
            options: [NSSQLiteAnalyzeOption: true, NSSQLiteManualVacuumOption: true])
        #expect(statements.texts.contains("ANALYZE"))
        let vacuum = try #require(statements.texts.firstIndex(of: "VACUUM"))
        #expect(statements.texts[vacuum - 1] == "PRAGMA synchronous=EXTRA")
        #expect(statements.texts[vacuum + 1] == "PRAGMA synchronous=1", "as saves have it")
        #expect(
            code { _ = try stack("SQLite", "t", options: [NSSQLiteAnalyzeOption: "often"]) } != nil)
        #expect(
            code {
                _ = try stack(
                    "Binary", "t",
                    options: [NSBinaryStoreInsecureDecodingCompatibilityOption: true])
            } != nil)
    }

    @Test(arguments: ["SQLite", "Binary", "XML"])
    func `another model is refused with 134100, unless versions are to be ignored`(
        type: String
    ) throws {
        try fill(try stack(type, "s"))
        let model = Library.makeModel()
        model.entitiesByName["Book"]?.versionHashModifier = "2"
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(
            code {
                try coordinator.addPersistentStore(
                    ofType: type, configurationName: nil, at: url("s"))
            } == NSPersistentStoreIncompatibleVersionHashError)
        #expect(coordinator.persistentStores.isEmpty)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url("s"),
            options: [NSIgnorePersistentStoreVersioningOption: true])
        #expect(try titles(coordinator) == ["b0", "b1", "b2"])
    }

    @Test func `the URL of a store can be changed, and its ids are found by their text`() throws {
        let coordinator = try stack("SQLite", "s")
        try fill(coordinator)
        let store = coordinator.persistentStores[0]
        #expect(coordinator.setURL(url("moved"), for: store))
        #expect(coordinator.persistentStore(for: url("moved")) === store)
        let id = "x-coredata://\(store.identifier ?? "")/Book/p1"
        #expect(coordinator.managedObjectID(for: id)?.entity.name == "Book")
        #expect(coordinator.managedObjectID(for: "no id") == nil)
    }

    // D-012
    @Test func `a store for a configuration has only the tables of its entities`() throws {
        let model = GraphModels.relationships()
        let names = ["Owner", "Animal", "Cat", "Dog"]
        model.setEntities(
            names.compactMap { model.entitiesByName[$0] }, forConfigurationName: "Pets")
        model.setEntities(
            ["List", "Track", "Node"].compactMap { model.entitiesByName[$0] },
            forConfigurationName: "Music")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let statements = Statements()
        coordinator.trace.add(statements)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Pets", at: url("pets"))
        #expect(statements.texts.contains { $0.hasPrefix("CREATE TABLE ZOWNER") })
        #expect(!statements.texts.contains { $0.hasPrefix("CREATE TABLE ZLIST") })
        #expect(!statements.texts.contains { $0.contains("HITS") })
        try coordinator.addPersistentStore(
            type: .binary, configuration: "Music", at: url("music"))
        let context = context(coordinator)
        try context.on {
            context.make("Owner", ["name": "o"])
            context.make("List", ["name": "l"])
            try context.save()
            #expect(try context.all("List")[0].objectID.persistentStore?.type == NSBinaryStoreType)
            #expect(try context.all("Owner").count == 1)
        }
        let metadata = coordinator.persistentStores[0].metadata ?? [:]
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Any]
        #expect(hashes?.keys.sorted() == names.sorted())
    }
}
