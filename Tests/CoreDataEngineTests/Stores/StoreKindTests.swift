import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

/// Tests of a store kind that is registered from outside of the modules of the engine.
@Suite struct StoreKindTests {
    private let address = DepotKind.address()

    private func stack(
        _ model: NSManagedObjectModel = Library.makeModel(), options: [AnyHashable: Any]? = nil
    ) throws -> GraphStack {
        try GraphStack(model, at: address, type: "depot", options: options)
    }

    private func save(_ names: [String], in stack: GraphStack) throws {
        let context = stack.context()
        try context.on {
            for name in names {
                context.make("Book", ["title": name, "author": context.make("Author")])
            }
            try context.save()
        }
    }

    private func titles(_ stack: GraphStack) throws -> [String?] {
        let context = stack.context()
        return try context.on {
            try context.all("Book", sort: "title").map { $0.text("title") }
        }
    }

    private func message(_ body: () throws -> Void) -> String {
        do { try body() } catch { return (error as NSError).localizedDescription }
        return ""
    }

    @Test func `a store is opened by the name of its type and by an address without a file`()
        throws
    {
        let stack = try stack()
        let store = try #require(stack.coordinator.persistentStores.first)
        #expect(store.type == DepotKind.type && store.url == address)
        #expect(store.kind?.type == DepotKind.type && !store.isReadOnly)
        #expect(store.metadata[NSStoreTypeKey] as? String == DepotKind.type)
        try save(["b", "a"], in: stack)
        #expect(try titles(stack) == ["a", "b"])
        #expect(try titles(try self.stack()) == ["a", "b"])
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[DepotKind.type] != nil)
        let wrong = message { _ = try GraphStack(Library.makeModel(), type: DepotKind.type) }
        #expect(wrong == "A depot has an address such as depot://host/a.")
    }

    @Test func `a save of another coordinator is a conflict that the policy resolves`() throws {
        let (one, other) = (try stack(), try stack())
        try save(["a"], in: one)
        let (first, second) = (one.context(.overwrite), other.context())
        let book = try first.on { try first.all("Book")[0] }
        try first.on { #expect(book.text("title") == "a") }
        try second.on {
            try second.all("Book")[0].setValue(1999, forKey: "year")
            try second.save()
        }
        try first.on {
            book.setValue("z", forKey: "title")
            try first.save()
        }
        #expect(try titles(other) == ["z"])
    }

    @Test func `metadata, destroying and replacing reach a store that is not open`() throws {
        typealias Coordinator = NSPersistentStoreCoordinator
        let stack = try stack()
        try save(["a"], in: stack)
        let store = try #require(stack.coordinator.persistentStores.first)
        let uuid = try #require(store.identifier)
        try stack.coordinator.remove(store)
        try Coordinator.setMetadata(
            ["owner": "Ada"], forPersistentStoreOfType: DepotKind.type, at: address)
        // The call passes no store type, so the scheme of the URL selects the kind.
        let metadata = try Coordinator.metadataForPersistentStore(with: address)
        #expect(metadata["owner"] as? String == "Ada")
        #expect(metadata[NSStoreUUIDKey] as? String == uuid)
        let other = DepotKind.address()
        try stack.coordinator.replacePersistentStore(
            at: other, withPersistentStoreFrom: address, ofType: DepotKind.type)
        try stack.coordinator.destroyPersistentStore(at: address, ofType: DepotKind.type)
        #expect(DepotKind.depot(at: address) == nil && DepotKind.depot(at: other) != nil)
        #expect(try titles(try self.stack()) == [])
    }

    @Test func `a store is copied to an address and back into a file`() throws {
        let folder = try GraphFolder()
        let stack = try GraphStack(Library.makeModel(), at: folder.store)
        try save(["a", "b"], in: stack)
        for (url, type) in [(address, DepotKind.type), (folder.url, NSXMLStoreType)] {
            let place = url == address ? url : url.appendingPathComponent("copy.xml")
            let store = try #require(stack.coordinator.persistentStores.first)
            let copy = try stack.coordinator.migratePersistentStore(
                store, to: place, withType: type)
            #expect(copy.type == type && copy.url == place)
            #expect(try titles(stack) == ["a", "b"])
        }
    }

    @Test func `an error names the request and the trait that the store lacks`() throws {
        let stack = try stack()
        let store = try #require(stack.coordinator.persistentStores.first)
        let context = stack.context()
        let batch = message {
            try context.on {
                _ = try context.execute(
                    NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book")))
            }
        }
        #expect(
            batch == "Unknown command type NSBatchDeleteRequest: a store of type 'Depot' does not"
                + " run batch requests. Change objects and save them, or use a SQLite store.")
        let pin = message { try context.on { try context.setQueryGenerationFrom(.current) } }
        #expect(pin.contains("Depot") && pin.contains("keeps no query generations"))
        let rewinding = #expect(throws: CoreDataError.self) { _ = try store.rewindable() }
        #expect(
            rewinding?.message == "The request cannot be run: a store of type 'Depot' does not go"
                + " back to an earlier state. Use a store of another type.")
        let model = NSManagedObjectModel()
        let derived = NSDerivedAttributeDescription()
        derived.name = "loud"
        derived.attributeType = .stringAttributeType
        derived.derivationExpression = NSExpression(format: "uppercase:(name)")
        model.entities = [GraphModels.entity("Owner", [GraphModels.text("name"), derived])]
        let refusal = message { _ = try self.stack(model) }
        #expect(refusal.contains("type Depot cannot compute 'Owner.loud'"))
    }

    @Test func `the type of a kind cannot be registered again`() throws {
        let again = #expect(throws: CoreDataError.self) { try StoreKinds.register(DepotKind()) }
        #expect(again?.message.contains("'Depot' is already registered") == true)
        let asClass = #expect(throws: CoreDataError.self) {
            try StoreClasses.register(NSIncrementalStore.self, for: "DEPOT")
        }
        #expect(asClass?.code == .invalidArgument)
    }

    @Test func `an open store has only traits of its kind`() throws {
        let folder = try GraphFolder()
        for type in [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType, NSInMemoryStoreType] {
            let kind = try #require(StoreKinds.named(type.lowercased()))
            #expect(kind.type == type)
            for url in [folder.url.appendingPathComponent(type), nil] {
                let stack = try GraphStack(
                    Library.makeModel(), at: url, type: type,
                    options: [NSPersistentHistoryTrackingKey: true])
                let store = try #require(stack.coordinator.persistentStores.first)
                let traits = store.backend.traits
                #expect(traits.isSubset(of: kind.traits) && traits.contains(.readCommitted))
                let isSQLite = type == NSSQLiteStoreType
                #expect(traits.contains([.history, .batches, .statements]) == isSQLite)
                #expect(traits.contains(.heldState) == (isSQLite && url != nil))
                #expect(traits.contains(.rewinding) == (isSQLite && url == nil))
            }
        }
    }
}
