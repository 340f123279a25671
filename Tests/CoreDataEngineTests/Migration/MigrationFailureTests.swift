import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataTrace
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

struct MigrationFailureTests {
    private let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#

    private func people() throws -> MigrationFixture {
        let fixture = try MigrationFixture()
        try fixture.use(MigrationFixture.model(#"<entity name="Person">\#(name)</entity>"#)) {
            for name in ["Ada", "Ada"] { make("Person", $0, ["name": name]) }
            make("Person", $0)
        }
        return fixture
    }

    @Test(arguments: [
        (#"<attribute name="name" attributeType="String"/>"#, 134_110),
        (#"<attribute name="rank" attributeType="Integer 16"/>"#, 134_110),
        (#"<attribute name="name" optional="YES" attributeType="Integer 16"/>"#, 134_190),
        (
            #"<attribute name="name" optional="YES" attributeType="String"/>"#
                + #"<uniquenessConstraints><uniquenessConstraint>"#
                + #"<constraint value="name"/></uniquenessConstraint>"#
                + "</uniquenessConstraints>", 134_111
        ),
    ])
    func `a failed migration has its code and leaves the store whole`(
        content: String, code: Int
    ) throws {
        let fixture = try people()
        let before = try fixture.dump()
        let new = try MigrationFixture.model(#"<entity name="Person">\#(content)</entity>"#)
        let error = try #require(fixture.failure(new))
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == code, "\(error)")
        #expect(error.userInfo["reason"] as? String != nil)
        #expect(try fixture.dump() == before)
    }

    @Test func `without migration an older store is refused with 134100 and its metadata`() throws {
        let fixture = try people()
        let new = try MigrationFixture.model(#"<entity name="Person"/>"#)
        let error = try #require(fixture.failure(new, [:]))
        #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
        let metadata = try #require(error.userInfo["metadata"] as? [String: Any])
        #expect(metadata[NSStoreModelVersionHashesKey] != nil)
        // With this option the store opens, because its tables have everything that the model
        // needs.
        try fixture.use(new, [NSIgnorePersistentStoreVersioningOption: true]) {
            make("Person", $0)
        }
        #expect(fixture.failure(new, [:]) == nil)
    }

    @Test func `a migration that stops at any step leaves the old data complete`() throws {
        let fixture = try people()
        let before = try fixture.dump()
        let new = try MigrationFixture.model(
            """
            <entity name="Human" elementID="Person"><attribute name="title" elementID="name" \
            optional="YES" attributeType="String"/><relationship name="friends" optional="YES" \
            toMany="YES" destinationEntity="Human"/></entity>
            """)
        fixture.acquaint(new)
        let migration = StoreMigration(
            type: NSSQLiteStoreType, upgrade: SQLiteUpgrade(), location: .file(fixture.url.path),
            destination: try ModelBinding.of(new), configuration: nil,
            options: MigrationFixture.automatic, trace: Trace())
        let stopped = try MigrationFixture.stops(
            of: migration, keeping: before, fixture.dump)
        #expect(stopped > 6)
        let titles = try fixture.use(new) { try values("Human", "title", $0) }
        #expect(titles.count == 3)
    }

    @Test func `missing source and mapping models have their codes`() throws {
        let fixture = try people()
        fixture.knowsVersions = false
        let new = try MigrationFixture.model(#"<entity name="Person"/>"#)
        let options = [NSMigratePersistentStoresAutomaticallyOption: true]
        #expect(fixture.failure(new, options)?.code == NSMigrationMissingSourceModelError)
        let folder = fixture.folder.url.appendingPathComponent("Model.xcdatamodeld")
        for (version, content) in [("A", name), ("B", "")] {
            let place = folder.appendingPathComponent("\(version).xcdatamodel")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data("<model><entity name=\"Person\">\(content)</entity></model>".utf8)
                .write(to: place.appendingPathComponent("contents"))
        }
        let versioned = try NSManagedObjectModel.load(contentsOf: folder, version: "B")
        let error = try #require(fixture.failure(versioned, options))
        #expect(error.code == NSMigrationMissingMappingModelError)
        #expect(error.userInfo["sourceModel"] is NSManagedObjectModel)
    }

    @Test func `deferred work stays in the file until it is finished`() throws {
        let fixture = try people()
        let bare = try MigrationFixture.model(#"<entity name="Person"/>"#)
        var options = MigrationFixture.automatic
        let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
        options[key] = true
        func columns() throws -> [String] {
            try fixture.sql("SELECT name FROM pragma_table_info('ZPERSON')")
        }
        try fixture.use(bare, options) { context in
            #expect(try columns().contains("ZNAME"))
            let coordinator = try #require(context.persistentStoreCoordinator)
            let store = coordinator.persistentStores[0]
            #expect(store.metadata[key] != nil)
            try coordinator.finishDeferredLightweightMigration()
            #expect(try columns() == ["Z_PK", "Z_ENT", "Z_OPT"])
            #expect(store.metadata[key] == nil)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            #expect(try context.count(for: request) == 3)
        }
        #expect(fixture.failure(bare, [:]) == nil)
    }
}
