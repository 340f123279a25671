import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

@testable import CoreDataEngine

/// Stores of a configuration that contains a part of the model.
@Suite struct ConfigurationMigrationTests {
    private let fixture: MigrationFixture

    init() throws { fixture = try MigrationFixture() }

    /// A model whose configuration "Notes" lacks the entity "Drawing", a subentity of "Note".
    static func model(
        _ attributes: String, drawing: String = "", members: [String] = ["Note", "Page"]
    ) throws -> NSManagedObjectModel {
        try NSManagedObjectModel.parse(
            Data(
                """
                <model>
                <entity name="Note">
                  <attribute name="name" optional="YES" attributeType="String"/>\(attributes)
                  <relationship name="pages" toMany="YES" destinationEntity="Page"
                    inverseName="note" inverseEntity="Page" optional="YES" deletionRule="Cascade"/>
                </entity>
                <entity name="Drawing" parentEntity="Note">
                  <attribute name="ink" optional="YES" attributeType="String"/>\(drawing)
                </entity>
                <entity name="Page">
                  <attribute name="text" optional="YES" attributeType="String"/>
                  <relationship name="note" maxCount="1" destinationEntity="Note"
                    inverseName="pages" inverseEntity="Note" optional="YES"/>
                </entity>
                <entity name="Setting"><attribute name="key" attributeType="String"
                  optional="YES"/></entity>
                <configuration name="Notes">
                \(members.map { "<memberEntity name=\"\($0)\"/>" }.joined())
                </configuration>
                </model>
                """.utf8), path: "contents")
    }

    private func open<T>(
        _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        coordinator.trace.add(fixture.log)
        fixture.acquaint(model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Notes", at: fixture.url,
            options: MigrationFixture.automatic)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try body(context) }
    }

    private func fill(_ model: NSManagedObjectModel) throws {
        try open(model) { context in
            let note = make("Note", context, ["name": "a"])
            make("Page", context, ["text": "first", "note": note])
            try context.save()
        }
        _ = fixture.changes()
    }

    private func check(_ context: NSManagedObjectContext) throws {
        let note = try #require(
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
        #expect(note.value(forKey: "name") as? String == "a")
        let pages = note.value(forKey: "pages") as? Set<NSManagedObject>
        #expect(pages?.first?.value(forKey: "text") as? String == "first")
    }

    @Test func `an added attribute is added to the table of the configuration's entity`() throws {
        try fill(try Self.model(""))
        let new = try Self.model(
            "<attribute name=\"size\" attributeType=\"Integer 64\" defaultValueString=\"7\"/>")
        try open(new) { context in
            try check(context)
            let found = try values("Note", "size", context)
            #expect(found == ["7"])
        }
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }

    /// The new column is in the table of the whole entity hierarchy.
    @Test func `a change of an entity that the configuration lacks needs no migration`() throws {
        try fill(try Self.model(""))
        let new = try Self.model(
            "", drawing: "<attribute name=\"colour\" optional=\"YES\" attributeType=\"String\"/>")
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: fixture.url, options: nil)
        #expect(new.isConfiguration(withName: "Notes", compatibleWithStoreMetadata: metadata))
        try open(new, check)
    }

    @Test func `a renamed entity and attribute keep their rows`() throws {
        try fill(try Self.model(""))
        let new = try NSManagedObjectModel.parse(
            Data(
                """
                <model>
                <entity name="Memo" elementID="Note">
                  <attribute name="title" elementID="name" optional="YES" attributeType="String"/>
                  <relationship name="pages" toMany="YES" destinationEntity="Page"
                    inverseName="note" inverseEntity="Page" optional="YES" deletionRule="Cascade"/>
                </entity>
                <entity name="Drawing" parentEntity="Memo">
                  <attribute name="ink" optional="YES" attributeType="String"/>
                </entity>
                <entity name="Page">
                  <attribute name="text" optional="YES" attributeType="String"/>
                  <relationship name="note" maxCount="1" destinationEntity="Memo"
                    inverseName="pages" inverseEntity="Memo" optional="YES"/>
                </entity>
                <configuration name="Notes"><memberEntity name="Memo"/><memberEntity name="Page"/>
                </configuration>
                </model>
                """.utf8), path: "contents")
        try open(new) { context in
            let memo = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Memo")).first)
            #expect(memo.value(forKey: "title") as? String == "a")
            #expect((memo.value(forKey: "pages") as? Set<NSManagedObject>)?.count == 1)
        }
    }

    @Test func `an entity that joins the configuration gets a table`() throws {
        try fill(try Self.model(""))
        let new = try Self.model(
            "<attribute name=\"size\" optional=\"YES\" attributeType=\"Integer 64\"/>",
            members: ["Note", "Page", "Setting", "Drawing"])
        try open(new) { context in
            try check(context)
            make("Setting", context, ["key": "k"])
            make("Drawing", context, ["ink": "blue", "name": "b"])
            try context.save()
            let keys = try values("Setting", "key", context)
            #expect(keys == ["k"])
            let inks = try values("Drawing", "ink", context)
            #expect(inks == ["blue"])
        }
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }
}
