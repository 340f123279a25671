import CoreData
import TestSupport
import Testing

/// Conformance tests for section 15: stores, coordinators, containers.
@MainActor struct StoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func place(_ name: String) -> URL { folder.url.appendingPathComponent(name) }

    private func container(
        _ descriptions: NSPersistentStoreDescription...
    ) -> NSPersistentContainer {
        let made = NSPersistentContainer(name: "shop", managedObjectModel: Bookshop.library())
        made.persistentStoreDescriptions = descriptions
        return made
    }

    // MARK: Containers

    // Proves S15-1
    @Test func `a store that fails does not keep the others from loading`() {
        let missing = NSPersistentStoreDescription(url: place("none/x.sqlite"))
        missing.isReadOnly = true
        let made = container(missing, NSPersistentStoreDescription(url: place("ok.sqlite")))
        var loaded: [String] = []
        made.loadPersistentStores { description, error in
            loaded.append("\(description.url?.lastPathComponent ?? "") \(error == nil)")
        }
        #expect(loaded == ["x.sqlite false", "ok.sqlite true"])
        #expect(made.persistentStoreCoordinator.persistentStores.count == 1)
    }

    // Proves S15-2
    @Test func `an asynchronous store calls back later`() async {
        let description = NSPersistentStoreDescription(url: place("later.sqlite"))
        description.shouldAddStoreAsynchronously = true
        let made = container(description)
        let failed: Bool = await withCheckedContinuation { continuation in
            made.loadPersistentStores { continuation.resume(returning: $1 != nil) }
        }
        #expect(!failed && made.persistentStoreCoordinator.persistentStores.count == 1)
    }

    // Proves S15-3, S15-4
    @Test func `a description has documented defaults and keeps options and pragmas`() throws {
        let made = NSPersistentStoreDescription(url: place("x"))
        #expect(made.type == NSSQLiteStoreType && made.timeout == 240)
        #expect(made.shouldMigrateStoreAutomatically && made.shouldInferMappingModelAutomatically)
        #expect(!made.isReadOnly && !made.shouldAddStoreAsynchronously)
        #expect(made.configuration == nil)
        made.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
        #expect(made.sqlitePragmas["journal_mode"] as? String == "DELETE")
        made.setOption(true as NSNumber, forKey: NSReadOnlyPersistentStoreOption)
        #expect(made.isReadOnly)
        let copy = try #require(made.copy() as? NSPersistentStoreDescription)
        #expect(copy.url == made.url && copy.isReadOnly)
    }

    // Proves S15-5
    @Test func `a container describes one SQLite store of its name`() {
        let made = NSPersistentContainer(name: "shop", managedObjectModel: Bookshop.library())
        let description = made.persistentStoreDescriptions.first
        #expect(made.persistentStoreDescriptions.count == 1 && made.name == "shop")
        #expect(description?.url?.lastPathComponent == "shop.sqlite")
        #expect(
            description?.url?.deletingLastPathComponent().standardizedFileURL
                == NSPersistentContainer.defaultDirectoryURL().standardizedFileURL)
    }

    // MARK: Refusals

    // Proves S15-6, S15-7, S15-8, S15-9
    @Test func `a file that cannot be opened has its error code`() throws {
        let (garbage, sqlite) = (place("garbage"), place("good.sqlite"))
        try Data(repeating: 65, count: 200).write(to: garbage)
        func code(
            _ type: String, _ url: URL, _ options: [AnyHashable: Any]? = nil
        ) -> Int? {
            let made = NSPersistentStoreCoordinator(managedObjectModel: Bookshop.library())
            return failure {
                _ = try made.addPersistentStore(
                    ofType: type, configurationName: nil, at: url, options: options)
            }?.code
        }
        #expect(code(NSSQLiteStoreType, sqlite) == nil)
        let readOnly = [NSReadOnlyPersistentStoreOption: true]
        #expect(code(NSSQLiteStoreType, place("no.sqlite"), readOnly) == 260)
        #expect(code(NSSQLiteStoreType, garbage) == 259)
        #expect([134_010, 259, 134_080].contains(code(NSXMLStoreType, sqlite)))
        #expect(code("NoSuchStore", place("x")) == NSPersistentStoreInvalidTypeError)
        let pragmas = [NSSQLitePragmasOption: ["journal_mode": "nonsense'"]]
        #expect(code(NSSQLiteStoreType, place("p.sqlite"), pragmas) != nil)
    }

    // Proves S15-10
    @Test func `a save to a read-only store fails with 513 and stays pending`() throws {
        let shop = try Bookshop()
        let book = try shop.stock(["a"])[0]
        try shop.coordinator.remove(shop.coordinator.persistentStores[0])
        let reader = try Bookshop(
            shop.model, in: shop.folder, options: [NSReadOnlyPersistentStoreOption: true])
        let same = try #require(try reader.find("Book").first)
        same.setValue("x", forKey: "title")
        #expect(failure { try reader.context.save() }?.code == 513)
        #expect(reader.context.hasChanges && same.text("title") == "x")
        #expect(book.objectID.uriRepresentation() == same.objectID.uriRepresentation())
    }

    // MARK: Whole stores

    // Proves S15-11, S15-12
    @Test func `a destroyed store is empty, a replaced one has the other's rows`() throws {
        let shop = try Bookshop()
        _ = try shop.stock(["a"])
        let copy = place("copy.sqlite")
        let worker = NSPersistentStoreCoordinator(managedObjectModel: shop.model)
        try worker.replacePersistentStore(
            at: copy, destinationOptions: nil, withPersistentStoreFrom: shop.url,
            sourceOptions: nil, ofType: NSSQLiteStoreType)
        #expect(try Self.count(shop.model, NSSQLiteStoreType, copy) == 1)
        try worker.destroyPersistentStore(at: copy, ofType: NSSQLiteStoreType, options: nil)
        #expect(try Self.count(shop.model, NSSQLiteStoreType, copy) == 0)
        #expect(try shop.count("Book") == 1)
    }

    private static func count(
        _ model: NSManagedObjectModel, _ type: String, _ url: URL
    ) throws -> Int {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
    }

    // Proves S15-13, S15-14
    @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
    func `a store is migrated to another type and read from there`(type: String) throws {
        let shop = try Bookshop()
        shop.add("Book", ["title": "t", "author": shop.add("Author", ["name": "n"])])
        try shop.context.save()
        let url = place("moved")
        let moved = try shop.coordinator.migratePersistentStore(
            shop.coordinator.persistentStores[0], to: url, options: nil, withType: type)
        #expect(moved.type == type && shop.coordinator.persistentStores == [moved])
        #expect(try Self.count(shop.model, type, url) == 1)
        shop.context.reset()
        let book = try #require(try shop.find("Book").first)
        #expect(book.value(forKeyPath: "author.name") as? String == "n")
    }

    // Proves S15-15
    @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
    func `an atomic store's file contains the saved objects`(type: String) throws {
        let shop = try Bookshop(Bookshop.library(ordered: true), type: type)
        let author = shop.add("Author", ["name": "n"])
        for title in ["b", "a", "c"] { shop.add("Book", ["title": title, "author": author]) }
        try shop.context.save()
        author.setValue("unsaved", forKey: "name")
        let again = try Bookshop(shop.model, type: type, in: shop.folder)
        let same = try #require(try again.find("Author").first)
        #expect(same.text("name") == "n" && same.titles == ["b", "a", "c"])
    }

    // MARK: Metadata

    // Proves S15-16, S15-17
    @Test func `metadata keep type and UUID, and class methods need no coordinator`() throws {
        let shop = try Bookshop()
        let store = shop.coordinator.persistentStores[0]
        func read() throws -> [String: Any] {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: shop.url, options: nil)
        }
        var metadata = try read()
        #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
        metadata["mine"] = "v"
        try NSPersistentStoreCoordinator.setMetadata(
            metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: shop.url, options: nil)
        let found = try read()
        #expect(found["mine"] as? String == "v")
        #expect(found[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(found[NSStoreUUIDKey] as? String == store.identifier)
        #expect(found[NSStoreModelVersionHashesKey] is [String: Data])
    }

    // Proves S15-18
    @Test func `metadata set through the coordinator are written by the next save`() throws {
        let shop = try Bookshop()
        let store = shop.coordinator.persistentStores[0]
        var metadata = shop.coordinator.metadata(for: store)
        metadata["mine"] = 7
        shop.coordinator.setMetadata(metadata, for: store)
        try shop.context.save()
        let found = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: shop.url, options: nil)
        #expect(found["mine"] as? Int == 7)
    }

    // Proves S15-19, S15-20
    @Test func `a coordinator finds its stores, and posts the removal of one`() throws {
        let shop = try Bookshop()
        let store = try #require(shop.coordinator.persistentStore(for: shop.url))
        #expect(shop.coordinator.url(for: store).standardizedFileURL == shop.url)
        #expect(store.type == NSSQLiteStoreType && !store.isReadOnly)
        #expect(store.configurationName == "PF_DEFAULT_CONFIGURATION_NAME")
        #expect(store.persistentStoreCoordinator === shop.coordinator)
        let changes = Heard(
            .NSPersistentStoreCoordinatorStoresDidChange, from: shop.coordinator)
        try shop.coordinator.remove(store)
        let removed = changes.notes.first?.userInfo?[NSRemovedPersistentStoresKey] as? [Any]
        #expect(removed?.count == 1 && shop.coordinator.persistentStores.isEmpty)
        #expect(shop.coordinator.persistentStore(for: shop.url) == nil)
    }

    // Proves S15-21
    @Test func `an entity of two configurations belongs to the first store or the assigned one`()
        throws
    {
        let thing = Bookshop.plain("Thing", [attribute("n", .stringAttributeType)])
        let model = model(thing)
        for name in ["one", "two"] { model.setEntities([thing], forConfigurationName: name) }
        let other = NSPersistentStoreCoordinator(managedObjectModel: model)
        let stores = try ["one", "two"].map { name in
            try other.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: place(name), options: nil)
        }
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = other
        let things = (0..<2).map { _ in
            NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        }
        context.assign(things[1], to: stores[1])
        try context.save()
        #expect(things.map(\.objectID.persistentStore) == stores)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        #expect(try context.count(for: request) == 2)
        request.affectedStores = [stores[1]]
        #expect(try context.fetch(request) == [things[1]])
    }

    // MARK: Ids

    // Proves S15-22
    @Test func `a URI that is not an id of the stores returns nil`() throws {
        let shop = try Bookshop()
        let book = try shop.stock(["a"])[0]
        let uri = book.objectID.uriRepresentation()
        #expect(uri.scheme == "x-coredata" && uri.pathComponents.count == 3)
        #expect(shop.coordinator.managedObjectID(forURIRepresentation: uri) == book.objectID)
        for text in ["x-coredata://\(UUID().uuidString)/Book/p1", "https://example.com/Book/p1"] {
            let url = try #require(URL(string: text))
            #expect(shop.coordinator.managedObjectID(forURIRepresentation: url) == nil)
        }
    }

    // Proves S15-23
    @Test func `notifications have the names of Objective-C`() {
        let table: [(Notification.Name, String)] = [
            (.NSManagedObjectContextDidSave, "NSManagingContextDidSaveChangesNotification"),
            (.NSManagedObjectContextWillSave, "NSManagingContextWillSaveChangesNotification"),
            (
                .NSManagedObjectContextObjectsDidChange,
                "NSObjectsChangedInManagingContextNotification"
            ),
        ]
        for (name, text) in table { #expect(name.rawValue == text) }
        #expect(
            NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
    }
}
