import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataStore
import TestSupport
import Testing

@testable import CoreDataEngine

struct LightweightMigrationTests {
    private let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#

    private func people() throws -> MigrationFixture {
        let fixture = try MigrationFixture()
        try fixture.use(MigrationFixture.model(#"<entity name="Person">\#(name)</entity>"#)) {
            for name in ["Ada", "Grace"] { make("Person", $0, ["name": name]) }
            make("Person", $0)
        }
        fixture.log.forget()
        return fixture
    }

    @Test func `a new attribute is one column and one update, and rows keep their keys`() throws {
        let fixture = try people()
        let before = try fixture.sql("SELECT Z_PK, Z_OPT, ZNAME FROM ZPERSON ORDER BY Z_PK")
        let new = try MigrationFixture.model(
            """
            <entity name="Person">\(name)<attribute name="age" attributeType="Integer 32" \
            defaultValueString="7"/></entity>
            """)
        let ages = try fixture.use(new) { try values("Person", "age", $0) }
        #expect(ages == ["7", "7", "7"])
        #expect(
            fixture.changes() == [
                "ALTER TABLE ZPERSON ADD COLUMN ZAGE INTEGER", "UPDATE ZPERSON SET ZAGE = 7",
            ])
        #expect(
            try fixture.sql("SELECT Z_PK, Z_OPT, ZNAME FROM ZPERSON ORDER BY Z_PK") == before)
        let again = try fixture.use(new) { try values("Person", "age", $0) }
        #expect(again == ages)
        #expect(fixture.changes().isEmpty)
    }

    @Test func `renaming identifiers keep an entity, an attribute and a relationship`() throws {
        let fixture = try MigrationFixture()
        let (old, new) = try MigrationFixture.renamedPets()
        try fixture.use(old) { context in
            let ada = make("Person", context, ["name": "Ada"])
            for name in ["Rex", "Tom"] { make("Pet", context, ["name": name, "owner": ada]) }
        }
        try fixture.use(new) { context in
            #expect(try values("Animal", "title", context) == ["Rex", "Tom"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Human")
            let human = try #require(try context.fetch(request).first)
            #expect(human.value(forKey: "name") as? String == "Ada")
            #expect((human.value(forKey: "animals") as? NSSet)?.count == 2)
        }
        #expect(
            try fixture.sql("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1") == [
                "1|Animal|2", "2|Human|1",
            ])
        #expect(
            try fixture.sql("SELECT ZTITLE, ZKEEPER, Z_ENT FROM ZANIMAL ORDER BY 1") == [
                "Rex|1|1", "Tom|1|1",
            ])
        #expect(try fixture.sql("SELECT name FROM sqlite_master WHERE name = 'ZPET'").isEmpty)
    }

    @Test func `a one-to-many relationship becomes ordered and many-to-many`() throws {
        let fixture = try MigrationFixture()
        func model(_ owner: String, _ ordered: String) throws -> NSManagedObjectModel {
            try MigrationFixture.model(
                """
                <entity name="List">\(name)<relationship name="items" optional="YES" toMany="YES" \
                \(ordered) destinationEntity="Item" inverseName="list" inverseEntity="Item"/>\
                </entity><entity name="Item">\(name)<relationship name="list" optional="YES" \
                \(owner) destinationEntity="List" inverseName="items" inverseEntity="List"/>\
                </entity>
                """)
        }
        try fixture.use(model(#"maxCount="1""#, "")) { context in
            let list = make("List", context, ["name": "todo"])
            for name in ["a", "b", "c"] { make("Item", context, ["name": name, "list": list]) }
            try context.save()
        }
        try fixture.use(model(#"maxCount="1""#, #"ordered="YES""#)) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "List")
            let list = try #require(try context.fetch(request).first)
            #expect((list.value(forKey: "items") as? NSOrderedSet)?.count == 3)
        }
        #expect(
            try fixture.sql("SELECT Z_FOK_LIST FROM ZITEM ORDER BY 1") == ["2048", "3072", "4096"])
        let pairs = try fixture.sql("SELECT ZLIST, Z_PK, Z_FOK_LIST FROM ZITEM ORDER BY 2")
        try fixture.use(model(#"toMany="YES""#, #"ordered="YES""#)) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            for item in try context.fetch(request) {
                #expect((item.value(forKey: "list") as? NSSet)?.count == 1)
            }
        }
        let table = try #require(
            try fixture.sql(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'"
            ).first)
        #expect(try fixture.sql("SELECT * FROM \(table)").count == 3)
        let orders = try fixture.sql("SELECT Z_FOK_1ITEMS FROM \(table) ORDER BY 1")
        #expect(orders == pairs.map { String($0.split(separator: "|")[2]) }.sorted())
    }

    @Test func `a new parent takes a pushed-up attribute, and a removed child's rows go`() throws {
        let fixture = try MigrationFixture()
        try fixture.use(
            MigrationFixture.model(
                """
                <entity name="Thing">\(name)</entity>
                <entity name="Book" parentEntity="Thing"/><entity name="Coin" parentEntity="Thing"/>
                <entity name="Owner"><relationship name="thing" optional="YES" maxCount="1" \
                destinationEntity="Thing"/></entity>
                """)
        ) { context in
            let book = make("Book", context, ["name": "Emma"])
            let coin = make("Coin", context, ["name": "Penny"])
            make("Owner", context, ["thing": book])
            make("Owner", context, ["thing": coin])
        }
        try fixture.use(
            MigrationFixture.model(
                """
                <entity name="Asset" isAbstract="YES">\(name)</entity>
                <entity name="Thing" parentEntity="Asset"/>
                <entity name="Book" parentEntity="Thing"/>
                <entity name="Owner"><relationship name="thing" optional="YES" maxCount="1" \
                destinationEntity="Thing"/></entity>
                """)
        ) { context in
            #expect(try values("Asset", "name", context) == ["Emma"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
            let things = try context.fetch(request).map { $0.value(forKey: "thing") }
            #expect(things.compactMap { $0 as? NSManagedObject }.count == 1)
        }
        #expect(try fixture.sql("SELECT Z_PK, Z_ENT, ZNAME FROM ZASSET").count == 1)
    }

    @Test func `an older model migrates backwards and drops unknown properties`() throws {
        let fixture = try people()
        let bare = try MigrationFixture.model(#"<entity name="Person"/>"#)
        let count = try fixture.use(bare) { context in
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person"))
        }
        #expect(count == 3)
        let columns = try fixture.sql("SELECT name FROM pragma_table_info('ZPERSON')")
        #expect(columns == ["Z_PK", "Z_ENT", "Z_OPT"])
    }

    @Test func `the store keeps its UUID and the program's metadata`() throws {
        let fixture = try people()
        let old = try MigrationFixture.model(#"<entity name="Person">\#(name)</entity>"#)
        let uuid = try fixture.use(old) { context -> String in
            let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
            store.metadata["flavour"] = "lemon"
            make("Person", context)
            return store.identifier
        }
        let new = try MigrationFixture.model(
            #"<entity name="Person">\#(name)</entity><entity name="Pet"/>"#)
        try fixture.use(new) { context in
            let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
            #expect(store.identifier == uuid)
            #expect(store.metadata["flavour"] as? String == "lemon")
            #expect(
                new.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata))
        }
    }
}
