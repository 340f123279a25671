import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPredicate
import CoreDataTrace
import Dispatch
import Foundation
import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Migrations of stores on a server.
@Suite(.needsPostgreSQL) struct ServerMigrationTests {
    private let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#

    private func person(_ content: String = "", _ entity: String = "Person") throws
        -> NSManagedObjectModel
    {
        try MigrationFixture.model(#"<entity name="\#(entity)">\#(name)\#(content)</entity>"#)
    }

    private func people() throws -> (ServerFixture, NSManagedObjectModel) {
        let fixture = try ServerFixture()
        let model = try person()
        try fixture.use(model) { context in
            for name in ["Ada", "Grace"] { make("Person", context, ["name": name]) }
            make("Person", context)
        }
        fixture.log.forget()
        return (fixture, model)
    }

    /// Expects that the migrated store has the same tables, indexes and views as a new store.
    private func expectNew(_ fixture: ServerFixture, _ model: NSManagedObjectModel) throws {
        let fresh = fixture.another(schema: "fresh")
        try fresh.use(model) { _ in }
        #expect(try fixture.catalogue() == fresh.catalogue())
    }

    // MARK: Statements and results

    @Test func `a new attribute is one column and one update, and rows keep their keys`() throws {
        let (fixture, old) = try people()
        let rows = #"SELECT _key::text, _version::text, name FROM library."Person" ORDER BY _key"#
        let before = try fixture.rows(rows)
        let new = try person(
            #"<attribute name="age" attributeType="Integer 32" defaultValueString="7"/>"#)
        let ages = try fixture.use(new, after: old) { try values("Person", "age", $0) }
        #expect(ages == ["7", "7", "7"])
        #expect(
            fixture.changes() == [
                #"ALTER TABLE library."Person" ADD COLUMN age integer"#,
                #"UPDATE library."Person" SET age = 7"#,
            ])
        #expect(try fixture.rows(rows) == before)
        try expectNew(fixture, new)
        let again = try fixture.use(new) { try values("Person", "age", $0) }
        #expect(again == ages)
        #expect(fixture.changes().isEmpty)
    }

    @Test func `a removed attribute is a dropped column`() throws {
        let fixture = try ServerFixture()
        let old = try person(#"<attribute name="age" optional="YES" attributeType="Double"/>"#)
        try fixture.use(old) { make("Person", $0, ["name": "Ada", "age": 1.5]) }
        fixture.log.forget()
        let new = try person()
        let names = try fixture.use(new, after: old) { try values("Person", "name", $0) }
        #expect(names == ["Ada"])
        #expect(fixture.changes() == [#"ALTER TABLE library."Person" DROP COLUMN age"#])
        try expectNew(fixture, new)
    }

    @Test func `renaming identifiers keep an entity, an attribute and a relationship`() throws {
        let fixture = try ServerFixture()
        let (old, new) = try MigrationFixture.renamedPets()
        try fixture.use(old) { context in
            let ada = make("Person", context, ["name": "Ada"])
            for name in ["Rex", "Tom"] { make("Pet", context, ["name": name, "owner": ada]) }
        }
        try fixture.use(new, after: old) { context in
            #expect(try values("Animal", "title", context) == ["Rex", "Tom"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Human")
            let human = try #require(try context.fetch(request).first)
            #expect(human.value(forKey: "name") as? String == "Ada")
            #expect((human.value(forKey: "animals") as? NSSet)?.count == 2)
            // New rows get new keys.
            make("Animal", context, ["title": "Zoe", "keeper": human])
        }
        #expect(
            try fixture.rows(#"SELECT title, keeper::text FROM library."Animal" ORDER BY 1"#) == [
                "Rex|1", "Tom|1", "Zoe|1",
            ])
        try expectNew(fixture, new)
    }

    @Test func `a one-to-many relationship becomes ordered and many-to-many`() throws {
        let fixture = try ServerFixture()
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
        let plain = try model(#"maxCount="1""#, "")
        try fixture.use(plain) { context in
            let list = make("List", context, ["name": "todo"])
            for name in ["a", "b", "c"] { make("Item", context, ["name": name, "list": list]) }
        }
        let ordered = try model(#"maxCount="1""#, #"ordered="YES""#)
        try fixture.use(ordered, after: plain) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "List")
            let list = try #require(try context.fetch(request).first)
            #expect((list.value(forKey: "items") as? NSOrderedSet)?.count == 3)
        }
        try expectNew(fixture, ordered)
        let many = try model(#"toMany="YES""#, #"ordered="YES""#)
        let orders = try fixture.rows(#"SELECT items_order::text FROM library."Item" ORDER BY 1"#)
        #expect(orders == ["2048", "3072", "4096"])
        try fixture.use(many, after: plain, ordered) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            for item in try context.fetch(request) {
                #expect((item.value(forKey: "list") as? NSSet)?.count == 1)
            }
        }
        #expect(
            try fixture.rows(
                #"SELECT items_order::text FROM library."Item_list" ORDER BY 1"#) == orders)
        try expectNew(fixture, many)
    }

    @Test func `a new parent takes a pushed-up attribute, and a removed child's rows go`() throws {
        let fixture = try ServerFixture()
        let owner = """
            <entity name="Owner"><relationship name="thing" optional="YES" maxCount="1" \
            destinationEntity="Thing"/><relationship name="others" optional="YES" toMany="YES" \
            destinationEntity="Thing" inverseName="owners" inverseEntity="Thing"/></entity>
            """
        let owners = """
            <relationship name="owners" optional="YES" toMany="YES" destinationEntity="Owner" \
            inverseName="others" inverseEntity="Owner"/>
            """
        let old = try MigrationFixture.model(
            """
            <entity name="Thing">\(name)\(owners)</entity>\(owner)
            <entity name="Book" parentEntity="Thing"/><entity name="Coin" parentEntity="Thing"/>
            """)
        try fixture.use(old) { context in
            let book = make("Book", context, ["name": "Emma"])
            let coin = make("Coin", context, ["name": "Penny"])
            make("Owner", context, ["thing": book, "others": [book, coin] as Set])
            make("Owner", context, ["thing": coin])
        }
        let new = try MigrationFixture.model(
            """
            <entity name="Asset" isAbstract="YES">\(name)</entity>
            <entity name="Thing" parentEntity="Asset">\(owners)</entity>
            <entity name="Book" parentEntity="Thing"/>\(owner)
            """)
        try fixture.use(new, after: old) { context in
            #expect(try values("Asset", "name", context) == ["Emma"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
            let things = try context.fetch(request)
            #expect(things.compactMap { $0.value(forKey: "thing") as? NSManagedObject }.count == 1)
            let others = things.compactMap { $0.value(forKey: "others") as? NSSet }
            #expect(others.map(\.count).sorted() == [0, 1])
        }
        try expectNew(fixture, new)
    }

    @Test func `an indexed and unique attribute gets its index with the migration`() throws {
        let (fixture, old) = try people()
        let new = try MigrationFixture.model(
            """
            <entity name="Person">\(name)<uniquenessConstraints><uniquenessConstraint>\
            <constraint value="name"/></uniquenessConstraint></uniquenessConstraints>\
            <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" \
            order="descending"/></fetchIndex></entity>
            """)
        try fixture.use(new, after: old) { _ in }
        try expectNew(fixture, new)
        // The next migration keeps the index and the constraint.
        fixture.log.forget()
        let next = try MigrationFixture.model(
            """
            <entity name="Person">\(name)<attribute name="born" optional="YES" \
            attributeType="Date"/><uniquenessConstraints><uniquenessConstraint>\
            <constraint value="name"/></uniquenessConstraint></uniquenessConstraints>\
            <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" \
            order="descending"/></fetchIndex></entity>
            """)
        try fixture.use(next, after: old, new) { _ in }
        #expect(!fixture.log.texts.contains { $0.contains("INDEX") || $0.contains("UNIQUE") })
        try expectNew(fixture, next)
    }

    // MARK: Numbers

    private func card(
        _ type: String, _ numbers: [NSNumber]
    ) throws -> (ServerFixture, NSManagedObjectModel) {
        let fixture = try ServerFixture()
        let model = try NumericMigrationTests.model(type)
        try fixture.use(model) { context in
            for number in numbers { make("Card", context, ["amount": number]) }
            make("Card", context)
        }
        return (fixture, model)
    }

    private func amounts(_ context: NSManagedObjectContext) throws -> [Double?] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Card")
        request.sortDescriptors = [NSSortDescriptor(key: "amount", ascending: true)]
        return try context.fetch(request).map {
            ($0.value(forKey: "amount") as? NSNumber)?.doubleValue
        }
    }

    @Test(arguments: NumericMigrationTests.types, NumericMigrationTests.types)
    func `each numeric type converts to each other one if the value fits`(
        old: String, new: String
    ) throws {
        let (fixture, model) = try card(old, [0, 1])
        let next = try NumericMigrationTests.model(new)
        let found = try fixture.use(next, after: model) { try amounts($0) }
        #expect(found == [nil, 0, 1])
        try expectNew(fixture, next)
    }

    @Test(arguments: NumericMigrationTests.fitting)
    func `a number that fits is the same number, fractions to the nearest Float`(
        old: String, number: NSNumber, new: String, expected: Double
    ) throws {
        let (fixture, model) = try card(old, [number])
        let next = try NumericMigrationTests.model(new)
        let found = try fixture.use(next, after: model) { try amounts($0) }
        #expect(found == [nil, expected])
    }

    /// The numbers that do not fit. The server stores decimals exactly, so every integer fits.
    private static let unfitting = NumericMigrationTests.unfitting.filter { old, _, new in
        old != "Integer 64" || new != "Decimal"
    }

    @Test(arguments: unfitting)
    func `a number that does not fit ends the migration and keeps the store`(
        old: String, number: NSNumber, new: String
    ) throws {
        let (fixture, model) = try card(old, [1, number])
        let before = try fixture.dump()
        let next = try NumericMigrationTests.model(new)
        let error = try #require(fixture.failure(next, after: model))
        #expect(error.code == NSMigrationError)
        #expect(error.localizedDescription.contains("'amount' of entity 'Card'"))
        #expect(try fixture.dump() == before)
    }

    @Test func `defaults of each type are filled in`() throws {
        let (fixture, old) = try people()
        let id = "0B5E7A6C-6E1C-4C54-9B7B-3C8A3F0E9D11"
        let new = try person(
            """
            <attribute name="a" attributeType="Boolean" defaultValueString="YES"/>\
            <attribute name="b" attributeType="Integer 16" defaultValueString="-3"/>\
            <attribute name="c" attributeType="Double" defaultValueString="0.1"/>\
            <attribute name="d" attributeType="Decimal" defaultValueString="19.99"/>\
            <attribute name="e" attributeType="String" defaultValueString="it's \\ ü"/>\
            <attribute name="f" attributeType="UUID" defaultValueString="\(id)"/>\
            <attribute name="g" attributeType="Date" defaultDateTimeInterval="12.5"/>
            """)
        let found = try fixture.use(new, after: old) { context in
            try ["a", "b", "c", "d", "e", "f", "g"].map { key in
                try values("Person", key, context).first ?? ""
            }
        }
        let date = "\(Date(timeIntervalSinceReferenceDate: 12.5))"
        #expect(found == ["1", "-3", "0.1", "19.99", #"it's \ ü"#, id, date])
    }

    // MARK: Failures

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
        let (fixture, old) = try people()
        try fixture.use(old) { make("Person", $0, ["name": "Ada"]) }
        let before = try fixture.dump()
        let new = try MigrationFixture.model(#"<entity name="Person">\#(content)</entity>"#)
        let error = try #require(fixture.failure(new, after: old))
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == code, "\(error)")
        #expect(try fixture.dump() == before)
    }

    @Test func `without migration an older store is refused with 134100`() throws {
        let (fixture, old) = try people()
        let error = try #require(
            fixture.failure(try person("", "Human"), after: old, options: [:]))
        #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
    }

    @Test func `a migration that stops at any step leaves the old data complete`() throws {
        let (fixture, old) = try people()
        let before = try fixture.dump()
        let new = try MigrationFixture.model(
            """
            <entity name="Human" elementID="Person"><attribute name="title" elementID="name" \
            optional="YES" attributeType="String"/><relationship name="friends" optional="YES" \
            toMany="YES" destinationEntity="Human"/></entity>
            """)
        new.knownVersions = [old]
        let kind = try StoreKinds.required(FaultlinePostgreSQLStoreType)
        let migration = StoreMigration(
            type: kind.type, upgrade: try #require(kind.upgrade), location: .server(fixture.url),
            destination: try ModelBinding.of(new), configuration: nil,
            options: MigrationFixture.automatic, trace: Trace())
        let stopped = try MigrationFixture.stops(
            of: migration, keeping: before, fixture.dump)
        #expect(stopped > 5)
        let names = try fixture.use(new, options: [:]) { try values("Human", "title", $0) }
        #expect(names == ["nil", "Ada", "Grace"])
    }

    @Test func `of several simultaneous migrations, one runs and none fails`() throws {
        let (fixture, old) = try people()
        let errors = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                let new = try person(
                    #"<attribute name="age" optional="YES" attributeType="Integer 32"/>"#)
                try fixture.use(new, after: old) { context in
                    let found = try values("Person", "name", context)
                    if found.count != 3 { errors.withLock { $0.append("\(found)") } }
                }
            } catch {
                errors.withLock { $0.append("\(error)") }
            }
        }
        #expect(errors.withLock { $0 } == [])
        let added = fixture.log.texts.filter { $0.contains("ADD COLUMN") }
        #expect(added.count == 1)
    }

    // MARK: Stages

    @Test func `a failed handler of a stage runs again until it succeeds`() throws {
        struct Full: Error {}
        let fixture = try ServerFixture()
        let number = #"<attribute name="n" attributeType="Integer 64" defaultValueString="0"/>"#
        let doubled =
            #"<attribute name="doubled" attributeType="Integer 64" defaultValueString="0"/>"#
        let one = try MigrationFixture.model(#"<entity name="File">\#(number)</entity>"#)
        let two = try MigrationFixture.model(
            #"<entity name="File">\#(number)\#(doubled)</entity>"#)
        try fixture.use(one) { make("File", $0, ["n": 21]) }
        func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        func options(isFull: Bool) -> [AnyHashable: Any] {
            let stage = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
            stage.didMigrateHandler = { manager, _ in
                let context = try #require(manager.container?.newBackgroundContext())
                try context.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "File")
                    for file in try context.fetch(request) {
                        file.setValue((file.value(forKey: "n") as? Int ?? 0) * 2, forKey: "doubled")
                    }
                    try context.save()
                    make("File", context, ["n": 1])
                    try context.save()
                }
                if isFull { throw Full() }
            }
            var options = MigrationFixture.automatic
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager(
                [stage])
            return options
        }
        #expect(throws: Full.self) {
            try fixture.use(two, after: one, options: options(isFull: true)) { _ in }
        }
        #expect(try fixture.rows(#"SELECT doubled::text FROM library."File""#) == ["0"])
        // A program without the stage cannot open the store.
        #expect(throws: (any Error).self) { try fixture.use(two) { _ in } }
        let found = try fixture.use(two, after: one, options: options(isFull: false)) {
            try values("File", "doubled", $0)
        }
        #expect(found == ["0", "42"])
        let numbers = try fixture.use(two) { try values("File", "n", $0) }
        #expect(numbers == ["1", "21"])
    }

    // MARK: History, configurations and mapping models

    @Test func `history follows renamed entities and properties, and tokens stay valid`() throws {
        let fixture = try ServerFixture()
        var options = MigrationFixture.automatic
        options[NSPersistentHistoryTrackingKey] = true
        func text(_ name: String, _ more: String = "") -> String {
            #"<attribute name="\#(name)" optional="YES" attributeType="String" \#(more)/>"#
        }
        let kept = #"preserveAfterDeletion="YES""#
        let old = try MigrationFixture.model(
            #"<entity name="Alpha">\#(text("name"))</entity><entity name="Beta">"#
                + "\(text("name", kept))\(text("zip"))</entity>")
        let token = try fixture.use(old, options: options) { context in
            let beta = make("Beta", context, ["name": "b"])
            make("Alpha", context, ["name": "a"])
            try context.save()
            let token = context.persistentStoreCoordinator?
                .currentPersistentHistoryToken(fromStores: nil)
            beta.setValue("x", forKey: "zip")
            try context.save()
            context.delete(beta)
            try context.save()
            return token
        }
        let new = try MigrationFixture.model(
            #"<entity name="Aardvark" elementID="Beta">\#(text("city", kept))"#
                + text("label", "\(kept) elementID=\"name\"")
                + #"\#(text("postcode", #"elementID="zip""#))</entity><entity name="New"/>"#)
        try fixture.use(new, after: old, options: options) { context in
            let found = try HistoryMigrationTests.changes(context, after: token)
            #expect(found == [#"1 Aardvark ["postcode"]"#, #"2 Aardvark ["label=b"]"#])
            // The history of the removed entity does not become that of the new one.
            #expect(
                try HistoryMigrationTests.changes(context) == ["0 Aardvark []"] + found)
        }
    }

    @Test func `an entity that joins the configuration gets a table`() throws {
        let fixture = try ServerFixture()
        let old = try ConfigurationMigrationTests.model("")
        try fixture.use(old, configuration: "Notes") { context in
            let note = make("Note", context, ["name": "a"])
            make("Page", context, ["text": "first", "note": note])
        }
        #expect(try fixture.rows(#"SELECT to_regclass('library."Setting"')::text"#) == ["nil"])
        let new = try ConfigurationMigrationTests.model(
            "<attribute name=\"size\" optional=\"YES\" attributeType=\"Integer 64\"/>",
            members: ["Note", "Page", "Setting", "Drawing"])
        try fixture.use(new, after: old, configuration: "Notes") { context in
            make("Setting", context, ["key": "k"])
            make("Drawing", context, ["ink": "blue", "name": "b"])
            try context.save()
            #expect(try values("Setting", "key", context) == ["k"])
            #expect(try values("Note", "name", context) == ["a", "b"])
            let page = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Page")).first)
            let note = page.value(forKey: "note") as? NSManagedObject
            #expect(note?.value(forKey: "name") as? String == "a")
        }
        // An entity that leaves the configuration loses its table.
        let last = try ConfigurationMigrationTests.model("", members: ["Note", "Page", "Drawing"])
        let names = try fixture.use(last, after: old, new, configuration: "Notes") { context in
            try values("Note", "name", context)
        }
        #expect(names == ["a", "b"])
        #expect(try fixture.rows(#"SELECT to_regclass('library."Setting"')::text"#) == ["nil"])
    }

    /// Migrates people to humans by a mapping model that spells their names in upper case.
    private func migrateByMapping(
        _ fixture: ServerFixture, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
    ) throws {
        let people = NSEntityMapping()
        people.name = "PersonToHuman"
        people.sourceEntityName = "Person"
        people.destinationEntityName = "Human"
        people.mappingType = .transformEntityMappingType
        let property = NSPropertyMapping()
        property.name = "name"
        property.valueExpression = NSExpression(format: "uppercase($source.name)")
        people.attributeMappings = [property]
        let mapping = NSMappingModel()
        mapping.entityMappings = [people]
        let kind = try StoreKinds.required(FaultlinePostgreSQLStoreType)
        let upgrade = try #require(kind.upgrade)
        let migration = StoreMigration(
            type: kind.type, upgrade: upgrade, location: .server(fixture.url),
            destination: try ModelBinding.of(new), configuration: nil,
            options: MigrationFixture.automatic, trace: Trace())
        try migration.migrate(
            from: try ModelBinding.of(old), with: mapping,
            try upgrade.inspect(.server(fixture.url)))
    }

    @Test func `a mapping model migrates a store in place, and keeps its UUID`() throws {
        let fixture = try ServerFixture()
        let (old, new) = (try person(), try person("", "Human"))
        try fixture.use(old) { context in
            for name in ["Ada King", "Grace Hopper"] { make("Person", context, ["name": name]) }
        }
        let identifier = try fixture.rows("SELECT identifier FROM library._store")
        try migrateByMapping(fixture, old, new)
        #expect(try fixture.rows("SELECT identifier FROM library._store") == identifier)
        let names = try fixture.use(new, options: [:]) { try values("Human", "name", $0) }
        #expect(names == ["ADA KING", "GRACE HOPPER"])
        #expect(try fixture.rows("SELECT nspname FROM pg_namespace WHERE nspname ~ '_mig'") == [])
        try expectNew(fixture, new)
    }

    @Test func `a mapping model keeps a schema that has the name of its draft`() throws {
        let fixture = try ServerFixture()
        let (old, new) = (try person(), try person("", "Human"))
        try fixture.use(old) { context in make("Person", context, ["name": "Ada"]) }
        let draft = "_faultline_migration_library"
        _ = try fixture.rows("CREATE SCHEMA \(draft)")
        _ = try fixture.rows("CREATE TABLE \(draft).notes AS SELECT 'seven' AS n")
        let error = #expect(throws: CoreDataError.self) {
            try migrateByMapping(fixture, old, new)
        }
        let text = try #require(error).message
        #expect(text.contains("the schema '_faultline_migration_library'"))
        #expect(try fixture.rows("SELECT n FROM _faultline_migration_library.notes") == ["seven"])
        let names = try fixture.use(old, options: [:]) { try values("Person", "name", $0) }
        #expect(names == ["Ada"])
        // An ended process has left a draft.
        for sql in [
            "DROP SCHEMA _faultline_migration_library CASCADE",
            "CREATE SCHEMA _faultline_migration_library",
            "COMMENT ON SCHEMA _faultline_migration_library IS 'draft of a migration'",
        ] {
            _ = try fixture.rows(sql)
        }
        try migrateByMapping(fixture, old, new)
        #expect(try fixture.rows("SELECT nspname FROM pg_namespace WHERE nspname ~ '_mig'") == [])
    }
}
