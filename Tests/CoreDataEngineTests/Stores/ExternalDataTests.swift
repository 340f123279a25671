import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import Foundation
import Testing

/// Large values in files next to a store.
///
/// Source: store-format.md, "Entities, tables, columns".
@Suite struct ExternalDataTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private static func model(isExternal: Bool = true) -> NSManagedObjectModel {
        let picture = GraphModels.attribute("picture", .binaryDataAttributeType)
        picture.allowsExternalBinaryDataStorage = isExternal
        let shape = GraphModels.attribute("shape", .transformableAttributeType)
        shape.allowsExternalBinaryDataStorage = isExternal
        return GraphModels.model([
            GraphModels.entity("Item", [GraphModels.text("name"), picture, shape])
        ])
    }

    private func stack(_ type: String = NSSQLiteStoreType) throws -> GraphStack {
        try GraphStack(
            Self.model(), at: type == NSInMemoryStoreType ? nil : folder.store, type: type)
    }

    private static func bytes(_ count: Int, _ byte: UInt8 = 7) -> Data {
        Data(repeating: byte, count: count)
    }

    private var files: [String] {
        let path = folder.url.path + "/.store_SUPPORT/_EXTERNAL_DATA"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private func heads() throws -> [String] {
        let connection = try Connection(.file(folder.store.path), options: Connection.Options())
        let statement = try connection.statement(
            "SELECT hex(substr(ZPICTURE, 1, 1)) || ' ' || length(ZPICTURE) FROM ZITEM ORDER BY Z_PK"
        )
        defer { statement.finish() }
        var found: [String] = []
        while try statement.step() { found.append(statement.isNull(0) ? "nil" : statement.text(0)) }
        return found
    }

    static let types = [
        NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType,
    ]

    @Test(arguments: types)
    func `values of every size are read from every store`(type: String) throws {
        let stack = try stack(type)
        let context = stack.context()
        let sizes = [0, 1, 37, 38, 39, 100_000, 100_001, 1_000_000]
        try context.on {
            for size in sizes {
                context.make("Item", ["name": "\(size)", "picture": Self.bytes(size, 2)])
            }
            context.make("Item", ["name": "none"])
            try context.save()
            context.reset()
            for size in sizes {
                let found = try context.all("Item", "name = %@", ["\(size)"]).first
                #expect(found?.value(forKey: "picture") as? Data == Self.bytes(size, 2))
            }
            #expect(try context.all("Item", "picture = nil").map { $0.text("name") } == ["none"])
            let equal = try context.all("Item", "picture = %@", [Self.bytes(38, 2)])
            #expect(equal.map { $0.text("name") } == ["38"])
        }
        #expect(files.count == (type == NSSQLiteStoreType ? 2 : 0))
    }

    @Test func `a column holds a marker and the bytes, or the name of a file`() throws {
        let context = try opened()
        try context.on {
            context.make("Item", ["picture": Self.bytes(5)])
            context.make("Item", ["picture": Self.bytes(200_000)])
            context.make("Item")
            try context.save()
        }
        #expect(try heads() == ["01 6", "02 38", "nil"])
        #expect(files.count == 1 && UUID(uuidString: files[0]) != nil)
    }

    /// A context of a new stack, which the context keeps alive.
    private func opened() throws -> NSManagedObjectContext {
        let stack = try stack()
        let context = stack.context()
        context.userInfo["stack"] = stack
        return context
    }

    @Test func `files of old values are removed, and only after the save`() throws {
        let context = try opened()
        try context.on {
            let item = context.make("Item", ["picture": Self.bytes(200_000, 1)])
            let other = context.make("Item", ["picture": Self.bytes(200_000, 2)])
            try context.save()
            let first = files
            #expect(first.count == 2)

            item.setValue("renamed", forKey: "name")
            try context.save()
            #expect(files == first, "an untouched value keeps its file")

            item.setValue(Self.bytes(200_000, 3), forKey: "picture")
            #expect(files == first)
            try context.save()
            #expect(files.count == 2 && files != first)

            item.setValue(Self.bytes(10), forKey: "picture")
            try context.save()
            #expect(files.count == 1)

            context.delete(other)
            try context.save()
            #expect(files.isEmpty)
        }
    }

    @Test func `a save that fails leaves no file`() throws {
        let stack = try stack()
        let context = stack.context()
        let second = stack.context()
        try context.on {
            context.make("Item", ["name": "a", "picture": Self.bytes(200_000)])
            try context.save()
        }
        try second.on {
            try second.all("Item").first?.setValue(Self.bytes(300_000), forKey: "picture")
        }
        try context.on {
            try context.all("Item").first?.setValue("b", forKey: "name")
            try context.save()
        }
        let before = files
        try second.on {
            #expect(second.saveError()?.code == 133_020)
            #expect(files == before)
            second.rollback()
            let value = try second.all("Item").first?.value(forKey: "picture") as? Data
            #expect(value == Self.bytes(200_000))
        }
    }

    @Test func `batches write, replace and remove files`() throws {
        let context = try opened()
        try context.on {
            let insert = NSBatchInsertRequest(
                entityName: "Item",
                objects: [
                    ["name": "a", "picture": Self.bytes(200_000)],
                    ["name": "b", "picture": Self.bytes(9)],
                ])
            _ = try context.execute(insert)
            #expect(files.count == 1)
            let first = files
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.propertiesToUpdate = ["picture": Self.bytes(150_000, 4)]
            _ = try context.execute(update)
            #expect(files.count == 2 && Set(files).isDisjoint(with: first))
            let found = try context.all("Item").map { $0.value(forKey: "picture") as? Data }
            #expect(found == [Self.bytes(150_000, 4), Self.bytes(150_000, 4)])
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
            request.predicate = NSPredicate(format: "name = 'a'")
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: request))
            #expect(files.count == 1)
        }
    }

    @Test func `a file without a row is removed when the store opens, others are not touched`()
        throws
    {
        let context = try opened()
        try context.on {
            context.make("Item", ["picture": Self.bytes(200_000)])
            try context.save()
        }
        let kept = files
        let path = folder.url.path + "/.store_SUPPORT/_EXTERNAL_DATA/"
        try Self.bytes(3).write(to: URL(fileURLWithPath: path + UUID().uuidString))
        try Self.bytes(3).write(to: URL(fileURLWithPath: path + "notes.txt"))
        let again = try opened()
        #expect(files == (kept + ["notes.txt"]).sorted())
        try again.on {
            let value = try again.all("Item").first?.value(forKey: "picture") as? Data
            #expect(value == Self.bytes(200_000))
        }
    }

    /// Saves a large value and resets the context. Returns the path of the file.
    private func saveLargeValue(in context: NSManagedObjectContext) throws -> String {
        try context.on {
            context.make("Item", ["name": "a", "picture": Self.bytes(200_000)])
            try context.save()
            context.reset()
        }
        return folder.url.path + "/.store_SUPPORT/_EXTERNAL_DATA/" + files[0]
    }

    @Test func `D-046 a value whose file is lost is nil, and other saves keep its name`()
        throws
    {
        let context = try opened()
        let path = try saveLargeValue(in: context)
        let moved = folder.url.appendingPathComponent("elsewhere")
        try FileManager.default.moveItem(at: URL(fileURLWithPath: path), to: moved)
        try context.on {
            let item = try #require(try context.all("Item").first)
            #expect(item.value(forKey: "picture") == nil)
            item.setValue("b", forKey: "name")
            try context.save()
            context.reset()
        }
        try FileManager.default.moveItem(at: moved, to: URL(fileURLWithPath: path))
        try context.on {
            context.reset()
            let again = try opened()
            try again.on {
                let item = try #require(try again.all("Item").first)
                #expect(item.value(forKey: "picture") as? Data == Self.bytes(200_000))
            }
        }
    }

    @Test func `D-046 a fetch and a move fail if the file of a value cannot be read`() throws {
        let stack = try stack()
        let context = stack.context()
        let path = try saveLargeValue(in: context)
        let kept = folder.url.appendingPathComponent("elsewhere")
        try FileManager.default.moveItem(at: URL(fileURLWithPath: path), to: kept)
        // A folder at the path of the file can be opened but not read, even by the superuser.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try context.on {
            let error = #expect(throws: (any Error).self) { try context.all("Item") }
            let text = "\(try #require(error))"
            #expect(text.contains("cannot be read"), "\(text)")
        }
        let coordinator = stack.coordinator
        let store = try #require(coordinator.persistentStores.first)
        let moved = folder.url.appendingPathComponent("moved.sqlite")
        #expect(throws: (any Error).self) {
            try coordinator.migratePersistentStore(
                store, to: moved, options: nil, withType: NSSQLiteStoreType)
        }
        #expect(!FileManager.default.fileExists(atPath: moved.path))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(at: kept, to: URL(fileURLWithPath: path))
        try context.on {
            context.reset()
            let item = try #require(try context.all("Item").first)
            #expect(item.value(forKey: "picture") as? Data == Self.bytes(200_000))
        }
    }

    @Test func `a store moves values into files, and back, if its model changes`() throws {
        func open(isExternal: Bool) throws -> NSPersistentContainer {
            let container = NSPersistentContainer(
                name: "Items", managedObjectModel: Self.model(isExternal: isExternal))
            container.persistentStoreDescriptions = [
                NSPersistentStoreDescription(url: folder.store)
            ]
            var failure: (any Error)?
            container.loadPersistentStores { failure = $1 }
            if let failure { throw failure }
            return container
        }
        for isExternal in [false, true, false, true] {
            let container = try open(isExternal: isExternal)
            let context = container.newBackgroundContext()
            try context.performAndWait {
                if try context.all("Item").isEmpty {
                    context.make("Item", ["picture": Self.bytes(200_000, 5)])
                    context.make("Item", ["picture": Self.bytes(20, 5)])
                    try context.save()
                    context.reset()
                }
                let found = try context.all("Item").map { $0.value(forKey: "picture") as? Data }
                #expect(found == [Self.bytes(200_000, 5), Self.bytes(20, 5)])
            }
            let stores = container.persistentStoreCoordinator.persistentStores
            for store in stores { try container.persistentStoreCoordinator.remove(store) }
            if isExternal { #expect(files.count == 1) }
        }
    }

    @Test func `a store is copied, replaced and destroyed with its files`() throws {
        let stack = try stack()
        let context = stack.context()
        try context.on {
            context.make("Item", ["picture": Self.bytes(200_000)])
            try context.save()
        }
        let coordinator = stack.coordinator
        let copy = folder.url.appendingPathComponent("copy.sqlite")
        try coordinator.replacePersistentStore(
            at: copy, destinationOptions: nil, withPersistentStoreFrom: folder.store,
            sourceOptions: nil, ofType: NSSQLiteStoreType)
        let moved = folder.url.appendingPathComponent("moved.sqlite")
        let store = try #require(coordinator.persistentStores.first)
        _ = try coordinator.migratePersistentStore(
            store, to: moved, options: nil, withType: NSSQLiteStoreType)
        for url in [copy, moved] {
            let again = try GraphStack(Self.model(), at: url)
            let reader = again.context()
            try reader.on {
                let value = try reader.all("Item").first?.value(forKey: "picture") as? Data
                #expect(value == Self.bytes(200_000))
            }
        }
        let support = folder.url.path + "/.copy_SUPPORT"
        #expect(FileManager.default.fileExists(atPath: support))
        try coordinator.destroyPersistentStore(
            at: copy, ofType: NSSQLiteStoreType, options: nil)
        #expect(!FileManager.default.fileExists(atPath: support))
    }
}
