import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that a copied store is installed completely or not at all, and leaves no temporary files.
@Suite struct StoreMoveTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private static func model(isExternal: Bool = true) -> NSManagedObjectModel {
        let picture = GraphModels.attribute("picture", .binaryDataAttributeType)
        picture.allowsExternalBinaryDataStorage = isExternal
        return GraphModels.model([GraphModels.entity("Item", [GraphModels.text("name"), picture])])
    }

    private func url(_ name: String) -> URL { folder.url.appendingPathComponent(name) }

    private func files(_ name: String) -> [String] {
        let path = folder.url.path + "/.\(name)_SUPPORT/_EXTERNAL_DATA"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted()
    }

    /// Creates a store with an item for each byte. Its picture, a file, repeats the byte.
    @discardableResult
    private func make(
        _ name: String, _ bytes: [UInt8], type: String = NSSQLiteStoreType,
        options: [AnyHashable: Any]? = nil
    ) throws -> GraphStack {
        let stack = try GraphStack(Self.model(), at: url(name), type: type, options: options)
        let context = stack.context()
        try context.on {
            for byte in bytes {
                let picture = Data(repeating: byte, count: 150_000)
                context.make("Item", ["name": "\(byte)", "picture": picture])
            }
            try context.save()
        }
        return stack
    }

    private func close(_ stack: GraphStack) throws {
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    }

    /// The first byte of each picture; nil for a lost one.
    private func read(
        _ name: String, type: String = NSSQLiteStoreType, options: [AnyHashable: Any]? = nil
    ) throws -> [UInt8?] {
        let stack = try GraphStack(Self.model(), at: url(name), type: type, options: options)
        defer { try? close(stack) }
        let context = stack.context()
        return try context.on {
            try context.all("Item", sort: "name").map {
                ($0.value(forKey: "picture") as? Data)?.first
            }
        }
    }

    private func replace(_ target: String, by source: String) throws {
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
            .replacePersistentStore(
                at: url(target), withPersistentStoreFrom: url(source), ofType: NSSQLiteStoreType)
    }

    // MARK: Replacing

    @Test func `a store in use is copied with the values of its rows, repeatedly`() throws {
        let source = try make("source.store", [1, 2])
        for round in 0..<3 {
            try replace("copy.store", by: "source.store")
            #expect(try read("copy.store").count == 2 + round)
            #expect(files("copy") == files("source"))
            let context = source.context()
            try context.on {
                // The value is stored in a new file, even though its bytes are equal to the old
                // ones.
                let item = try context.all("Item")[0]
                item.setValue(Data(repeating: 1, count: 150_000), forKey: "picture")
                let new = Data(repeating: UInt8(3 + round), count: 150_000)
                context.make("Item", ["name": "\(3 + round)", "picture": new])
                try context.save()
            }
        }
        try close(source)
        try replace("copy.store", by: "source.store")
        #expect(try read("copy.store") == [1, 2, 3, 4, 5])
        #expect(names.filter { $0.contains("faultline") }.isEmpty)
    }

    @Test func `a replacement without large values removes the old ones`() throws {
        try close(make("target.store", [7, 8]))
        try close(make("source.store", []))
        try replace("target.store", by: "source.store")
        #expect(try read("target.store").isEmpty)
        #expect(!names.contains(".target_SUPPORT"))
    }

    @Test func `a replacement that fails leaves the store and its values`() throws {
        try close(make("target.store", [7, 8]))
        try close(make("source.store", [1]))
        // A folder at the path of a copied value cannot be removed as a file.
        let blocked = folder.url.path + "/.target_SUPPORT/_EXTERNAL_DATA/.\(files("source")[0]).new"
        try FileManager.default.createDirectory(
            atPath: blocked, withIntermediateDirectories: true)
        #expect(throws: (any Error).self) { try replace("target.store", by: "source.store") }
        try FileManager.default.removeItem(atPath: blocked)
        #expect(try read("target.store") == [7, 8])
        #expect(files("target").count == 2)
        try replace("target.store", by: "source.store")
        #expect(try read("target.store") == [1])
    }

    @Test func `a store is copied although a value of a row is lost`() throws {
        try close(make("source.store", [1, 2]))
        let lost = folder.url.path + "/.source_SUPPORT/_EXTERNAL_DATA/" + files("source")[0]
        try FileManager.default.removeItem(atPath: lost)
        try replace("copy.store", by: "source.store")
        #expect(try read("copy.store").compactMap(\.self).count == 1)
        #expect(files("copy") == files("source"))
    }

    @Test func `a copy at a new location has the permissions of its source`() throws {
        try close(make("source.store", [1]))
        #expect(chmod(url("source.store").path, 0o600) == 0)
        for name in files("source") {
            #expect(chmod(folder.url.path + "/.source_SUPPORT/_EXTERNAL_DATA/" + name, 0o640) == 0)
        }
        try replace("copy.store", by: "source.store")
        #expect(try mode("copy.store") == 0o600)
        #expect(try mode(".copy_SUPPORT/_EXTERNAL_DATA/" + files("copy")[0]) == 0o640)
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url(name).path)
        return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
    }

    // MARK: What is left

    @Test func `leftovers of an interrupted move are removed when the store is opened`() throws {
        try close(make("s.store", [1]))
        let orphan = ".s_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)"
        let pin = ".s_SUPPORT/_EXTERNAL_DATA/.\(UUID().uuidString).pin"
        let left = [
            ".s.store.faultline-new", ".s.store.faultline-draft", ".s.store.faultline-draft-wal",
            ".s.store.faultline-draft-shm", orphan, pin,
        ]
        for name in left { try Data([1]).write(to: url(name)) }
        #expect(try read("s.store") == [1])
        for name in left { #expect(!FileManager.default.fileExists(atPath: url(name).path)) }
        #expect(files("s").count == 1)
    }

    @Test func `files that a running process moves are not touched`() throws {
        try close(make("s.store", [1]))
        let orphan = ".s_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)"
        let left = [".s.store.faultline-new", ".s.store.faultline-draft", orphan]
        for name in left { try Data([1]).write(to: url(name)) }
        let lock = open(url(".s.store.faultline-new").path, O_RDWR)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        #expect(try read("s.store") == [1])
        for name in left { #expect(FileManager.default.fileExists(atPath: url(name).path)) }
        Glibc.close(lock)
        #expect(try read("s.store") == [1])
        for name in left { #expect(!FileManager.default.fileExists(atPath: url(name).path)) }
    }

    @Test func `files of an attribute that is no longer external are swept`() throws {
        let bare = Self.model(isExternal: false)
        let stack = try GraphStack(bare, at: url("s.store"))
        try close(stack)
        let orphan = url(".s_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: orphan.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data([1]).write(to: orphan)
        try close(GraphStack(bare, at: url("s.store")))
        #expect(!names.contains(".s_SUPPORT"))
    }

    /// Opens a store and closes it.
    ///
    /// - Returns: whether opening has read the first bytes of the binary columns.
    private func readsHeads(isExternal: Bool = true) throws -> Bool {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: Self.model(isExternal: isExternal))
        let log = StatementLog()
        coordinator.trace.add(log)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url("s.store"),
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return log.texts.contains { $0.contains("c.type = 'BLOB'") }
    }

    @Test func `opening a store reads rows if values have changed since the last sweep`() throws {
        try close(make("s.store", []))
        #expect(try !readsHeads())
        try close(make("s.store", [1, 2]))
        #expect(try readsHeads() && !readsHeads())
        // The process ended after it deleted a row and before it deleted the file of the row.
        try edit { context in context.delete(try context.all("Item")[0]) }
        #expect(try readsHeads() && !readsHeads())
        try edit { try $0.all("Item").first?.setValue(Data(count: 150_000), forKey: "picture") }
        #expect(try readsHeads() && !readsHeads())
        try edit { $0.make("Item", ["name": "without a value"]) }
        #expect(try !readsHeads())
        #expect(try readsHeads(isExternal: false))
    }

    private func edit(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let stack = try GraphStack(Self.model(), at: url("s.store"))
        let context = stack.context()
        try context.on {
            try body(context)
            try context.save()
        }
        try close(stack)
    }

    @Test func `a copied folder, another file and another database are swept`() throws {
        try close(make("s.store", [1]))
        #expect(try readsHeads() && !readsHeads())
        let orphan = url(".s_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)")
        try Data([1]).write(to: orphan)
        #expect(try readsHeads() && !readsHeads())
        #expect(!FileManager.default.fileExists(atPath: orphan.path))
        try FileManager.default.copyItem(at: url(".s_SUPPORT"), to: url("copy"))
        try FileManager.default.removeItem(at: url(".s_SUPPORT"))
        try FileManager.default.moveItem(at: url("copy"), to: url(".s_SUPPORT"))
        #expect(try readsHeads() && !readsHeads())
        try close(make("other.store", []))
        try replace("s.store", by: "other.store")
        #expect(names.filter { $0.contains("_SUPPORT") }.isEmpty)
    }

    // MARK: Migrating and destroying

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func `an interrupted migration to a location can be repeated`(type: String) throws {
        let source = try make("s.store", [1, 2])
        // A process that ends during the copy leaves these files behind.
        let orphan = url(".copy_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: orphan.deletingLastPathComponent(), withIntermediateDirectories: true)
        for left in [
            url(".copy.store.faultline-new"), url(".copy.store.faultline-draft"),
            url(".copy.store.faultline-draft-wal"), orphan,
        ] { try Data([1]).write(to: left) }
        let store = try #require(source.coordinator.persistentStores.first)
        _ = try source.coordinator.migratePersistentStore(
            store, to: url("copy.store"), options: nil, withType: type)
        let context = source.context()
        #expect(try context.on { try context.all("Item").count } == 2)
        try close(source)
        #expect(try read("copy.store", type: type) == [1, 2])
        #expect(names.filter { $0.contains("faultline") }.isEmpty)
        if type == NSSQLiteStoreType { #expect(files("copy").count == 2) }
    }

    @Test func `a migration that fails leaves nothing at the location`() throws {
        let source = try make("s.store", [1])
        let store = try #require(source.coordinator.persistentStores.first)
        let before = names
        #expect(throws: (any Error).self) {
            _ = try source.coordinator.migratePersistentStore(
                store, to: url("copy.store"),
                options: [NSSQLitePragmasOption: ["journal_mode": "none"]],
                withType: NSSQLiteStoreType)
        }
        #expect(names == before)
        #expect(source.coordinator.persistentStores == [store])
    }

    @Test func `values of a store that was partly destroyed are removed with the next one`()
        throws
    {
        try close(make("s.store", [1]))
        let kept = url(".s_SUPPORT/_EXTERNAL_DATA/" + files("s")[0])
        let bytes = try Data(contentsOf: kept)
        try NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            .destroyPersistentStore(at: url("s.store"), ofType: NSSQLiteStoreType)
        #expect(!names.contains(".s_SUPPORT"))
        try FileManager.default.createDirectory(
            at: kept.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: kept)
        #expect(try read("s.store").isEmpty)
        #expect(files("s").isEmpty)
    }

    // MARK: Protection

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func `a protected store can be read only by its owner, including large values`(
        type: String
    ) throws {
        let options: [AnyHashable: Any] = [
            NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete"
        ]
        let stack = try make("s.store", [1], type: type, options: options)
        let context = stack.context()
        try context.on {
            context.make("Item", ["picture": Data(repeating: 2, count: 150_000)])
            try context.save()
        }
        try checkPrivate()
        try close(stack)
        try checkPrivate()
    }

    @Test func `a store that becomes protected hides its existing values`() throws {
        try close(make("s.store", [1]))
        let options: [AnyHashable: Any] = [
            NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete"
        ]
        #expect(try read("s.store", options: options) == [1])
        try checkPrivate()
    }

    /// Checks that other users cannot read any file in the folder.
    private func checkPrivate() throws {
        let all = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        #expect(!all.isEmpty)
        for name in all { #expect(try mode(name) & 0o077 == 0, "\(name)") }
    }
}
