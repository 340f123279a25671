import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataTrace
import Dispatch
import Synchronization
import TestSupport
import Testing

import func CoreDataEngine.NSStringFromClass

@testable import CoreDataEngine
@testable import CoreDataStore

/// Splits a name into a first and a last name, and records the order of its calls.
final class SplittingPolicy: NSEntityMigrationPolicy {
    private func note(_ step: String, _ manager: NSMigrationManager) {
        let calls = manager.userInfo?["calls"] as? [String] ?? []
        manager.userInfo = ["calls": calls + [step]]
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        note("begin", manager)
    }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        note("create", manager)
        try super.createDestinationInstances(
            forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let parts = (sInstance.value(forKey: "name") as? String ?? "").split(separator: " ")
        if parts.first == "Stop" { throw CocoaError(.featureUnsupported) }
        if parts.first == "Cancel" {
            manager.cancelMigrationWithError(NSError(domain: "app", code: 7))
        }
        made.first?.setValue(parts.last.map(String.init), forKey: "last")
        #expect(manager.currentEntityMapping === mapping)
        #expect(manager.migrationProgress < 1)
    }

    override func endInstanceCreation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws { note("endCreate", manager) }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        note("relate", manager)
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }

    override func endRelationshipCreation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws { note("endRelate", manager) }

    override func performCustomValidation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws { note("validate", manager) }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        note("end", manager)
        // The manager keeps its user info, so a test reads these notes after the migration.
    }
}

struct MappedMigrationTests {
    private let text = #"optional="YES" attributeType="String"/>"#

    private func old() throws -> NSManagedObjectModel {
        try MigrationFixture.model(
            """
            <entity name="Person"><attribute name="name" \(text)<relationship name="pets" \
            optional="YES" toMany="YES" destinationEntity="Pet" inverseName="owner" \
            inverseEntity="Pet"/></entity><entity name="Pet"><attribute name="name" \(text)\
            <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" \
            inverseName="pets" inverseEntity="Person"/></entity>
            """)
    }

    private func new() throws -> NSManagedObjectModel {
        try MigrationFixture.model(
            """
            <entity name="Human"><attribute name="first" \(text)<attribute name="last" \(text)\
            <relationship name="pets" optional="YES" toMany="YES" destinationEntity="Pet" \
            inverseName="owner" inverseEntity="Pet"/></entity><entity name="Pet">\
            <attribute name="name" \(text)<relationship name="owner" optional="YES" maxCount="1" \
            destinationEntity="Human" inverseName="pets" inverseEntity="Human"/></entity>
            """)
    }

    private func property(_ name: String, _ expression: NSExpression) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = expression
        return mapping
    }

    private func mapping() -> NSMappingModel {
        let people = NSEntityMapping()
        people.sourceEntityName = "Person"
        people.destinationEntityName = "Human"
        people.mappingType = .customEntityMappingType
        people.entityMigrationPolicyClassName = NSStringFromClass(SplittingPolicy.self)
        people.attributeMappings = [
            property("first", NSExpression(format: "uppercase($source.name)"))
        ]
        let pets = NSEntityMapping()
        pets.name = "PetToPet"
        pets.sourceEntityName = "Pet"
        pets.destinationEntityName = "Pet"
        pets.mappingType = .transformEntityMappingType
        pets.attributeMappings = [property("name", NSExpression(format: "$source.name"))]
        pets.relationshipMappings = [
            property(
                "owner",
                NSExpression(
                    format: "FUNCTION($manager, "
                        + "'destinationInstancesForEntityMappingNamed:sourceInstances:', "
                        + "'Person->Human', $source.owner)"))
        ]
        let model = NSMappingModel()
        model.entityMappings = [people, pets]
        return model
    }

    private func fixture(_ names: [String]) throws -> MigrationFixture {
        let fixture = try MigrationFixture()
        try fixture.use(old()) { context in
            for name in names {
                let person = make("Person", context, ["name": name])
                make("Pet", context, ["name": "pet of \(name)", "owner": person])
            }
        }
        return fixture
    }

    private func migrate(
        _ fixture: MigrationFixture, _ manager: NSMigrationManager
    ) throws -> URL {
        let target = fixture.folder.url.appendingPathComponent("New.sqlite")
        try manager.migrateStore(
            from: fixture.url, sourceType: NSSQLiteStoreType, with: mapping(),
            toDestinationURL: target, destinationType: NSSQLiteStoreType)
        return target
    }

    @Test func `a policy's methods run in order, and expressions return values and partners`()
        throws
    {
        let fixture = try fixture(["Ada King"])
        let before = try fixture.dump()
        let manager = NSMigrationManager(sourceModel: try old(), destinationModel: try new())
        let target = try migrate(fixture, manager)
        #expect(
            manager.userInfo?["calls"] as? [String] == [
                "begin", "create", "endCreate", "relate", "endRelate", "validate", "end",
            ])
        #expect(manager.migrationProgress == 0)
        #expect(try fixture.dump() == before)
        let connection = try Connection(.file(target.path))
        #expect(
            try rows(
                connection,
                "SELECT h.ZFIRST, h.ZLAST, p.ZNAME FROM ZHUMAN h JOIN ZPET p ON p.ZOWNER = h.Z_PK")
                == ["ADA KING|King|pet of Ada King"])
    }

    @Test(arguments: [("Stop here", CocoaError.featureUnsupported.rawValue), ("Cancel it", 7)])
    func `an error or a cancellation ends it, without a new file and with the old one whole`(
        name: String, code: Int
    ) throws {
        let fixture = try fixture(["Ada King", name, "Grace Hopper"])
        let before = try fixture.dump()
        let manager = NSMigrationManager(sourceModel: try old(), destinationModel: try new())
        let error = #expect(throws: (any Error).self) { try migrate(fixture, manager) }
        #expect(error.map { ($0 as NSError).code } == code)
        #expect(try fixture.dump() == before)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        #expect(!left.contains { $0.hasPrefix("New") }, "\(left)")
    }

    @Test func `a filter that is not a predicate is an error, and never traps`() throws {
        let manager = NSMigrationManager(sourceModel: try old(), destinationModel: try new())
        let error = #expect(throws: PredicateEvaluationError.self) {
            try manager.call(MigrationMethods.fetchRequest, ["Person", "name =="])
        }
        #expect(error?.message.hasPrefix("the mapping's filter cannot be read") == true)
        let request = try manager.call(MigrationMethods.fetchRequest, ["Person", "name == 'Ada'"])
        #expect((request as? NSFetchRequest<NSManagedObject>)?.predicate != nil)
    }

    @Test func `large values next to the store exist after a migration by a mapping model`()
        throws
    {
        func model(_ name: String) throws -> NSManagedObjectModel {
            try MigrationFixture.model(
                """
                <entity name="Item">
                <attribute name="\(name)" attributeType="String" optional="YES"/>
                <attribute name="data" attributeType="Binary" optional="YES"
                 allowsExternalBinaryDataStorage="YES"/></entity>
                """)
        }
        let fixture = try MigrationFixture()
        let bytes = Data(repeating: 7, count: 150_000)
        try fixture.use(try model("old")) { context in
            make("Item", context, ["old": "a", "data": bytes])
        }
        let items = NSEntityMapping()
        items.sourceEntityName = "Item"
        items.destinationEntityName = "Item"
        items.mappingType = .transformEntityMappingType
        items.attributeMappings = [
            property("new", NSExpression(format: "$source.old")),
            property("data", NSExpression(format: "$source.data")),
        ]
        let mapping = NSMappingModel()
        mapping.entityMappings = [items]
        let migration = StoreMigration(
            type: NSSQLiteStoreType, upgrade: SQLiteUpgrade(), location: .file(fixture.url.path),
            destination: try ModelBinding.of(try model("new")),
            configuration: nil, options: MigrationFixture.automatic, trace: Trace())
        let inspection = try StoreInspection.read(fixture.url.path)
        try migration.migrate(
            from: try ModelBinding.of(try model("old")), with: mapping, inspection)
        try fixture.use(try model("new")) { context in
            let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
            #expect(found.map { $0.value(forKey: "data") as? Data } == [bytes])
        }
        let names = try FileManager.default.subpathsOfDirectory(atPath: fixture.folder.url.path)
        #expect(
            names.filter { UUID(uuidString: ($0 as NSString).lastPathComponent) != nil }.count == 1)
        #expect(!names.contains { $0.hasPrefix("..") })
    }

    @Test func `a mapping model migrates a store in place, and keeps its UUID`() throws {
        let fixture = try fixture(["Ada King", "Grace Hopper"])
        let uuid = try fixture.sql("SELECT Z_UUID FROM Z_METADATA")
        let binding = try ModelBinding.of(try new())
        let migration = StoreMigration(
            type: NSSQLiteStoreType, upgrade: SQLiteUpgrade(), location: .file(fixture.url.path),
            destination: binding, configuration: nil,
            options: MigrationFixture.automatic, trace: Trace())
        try migration.migrate(
            from: try ModelBinding.of(try old()), with: mapping(),
            try StoreInspection.read(fixture.url.path))
        #expect(try fixture.sql("SELECT Z_UUID FROM Z_METADATA") == uuid)
        let names = try fixture.use(binding.model, [:]) { try values("Human", "last", $0) }
        #expect(names == ["Hopper", "King"])
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        #expect(!left.contains { $0.hasSuffix(".new") })
    }

    @Test func `of several simultaneous migrations by a mapping, one runs and none fails`() throws {
        for _ in 0..<4 {
            let fixture = try fixture(["Ada King", "Grace Hopper"])
            let path = fixture.url.path
            let uuid = try fixture.sql("SELECT Z_UUID FROM Z_METADATA")
            let log = fixture.log
            log.forget()
            let errors = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    let trace = Trace()
                    trace.add(log)
                    let migration = StoreMigration(
                        type: NSSQLiteStoreType, upgrade: SQLiteUpgrade(), location: .file(path),
                        destination: try ModelBinding.of(try new()),
                        configuration: nil, options: MigrationFixture.automatic, trace: trace)
                    let inspection = try StoreInspection.read(path)
                    // A faster thread may already have migrated the store.
                    if inspection.metadata[VersionDigest.hashesKey] as? [String: Data]
                        == (try old()).entityVersionHashesByName
                    {
                        try migration.migrate(
                            from: try ModelBinding.of(try old()), with: mapping(), inspection)
                    }
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
            }
            #expect(errors.withLock { $0 } == [])
            let copies = log.texts.filter { $0.hasPrefix("INSERT INTO main.\"Z_METADATA\"") }
            #expect(copies.count == 1)
            #expect(try fixture.sql("SELECT Z_UUID FROM Z_METADATA") == uuid)
            let names = try fixture.use(try new(), [:]) { try values("Human", "last", $0) }
            #expect(names == ["Hopper", "King"])
            #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test func `files next to the store that an interrupted migration left are removed`() throws {
        let fixture = try fixture(["Ada King"])
        let folder = fixture.folder.url
        let left = ".Store.sqlite.\(UUID().uuidString).new"
        let foreign = [".Store.sqlite.mine.new", "Store.sqlite.\(UUID().uuidString).new"]
        for name in [left, left + "-wal"] + foreign {
            try Data("x".utf8).write(to: folder.appendingPathComponent(name))
        }
        let migration = StoreMigration(
            type: NSSQLiteStoreType, upgrade: SQLiteUpgrade(), location: .file(fixture.url.path),
            destination: try ModelBinding.of(try new()),
            configuration: nil, options: MigrationFixture.automatic, trace: Trace())
        try migration.migrate(
            from: try ModelBinding.of(try old()), with: mapping(),
            try StoreInspection.read(fixture.url.path))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == Set(foreign + ["Store.sqlite"]))
    }

    @Test(arguments: [NSPersistentStore.StoreType.sqlite, .binary])
    func `a migration may end in a store of another type`(
        type: NSPersistentStore.StoreType
    ) throws {
        let fixture = try fixture(["Ada King", "Grace Hopper"])
        let target = fixture.folder.url.appendingPathComponent("New.store")
        let manager = NSMigrationManager(sourceModel: try old(), destinationModel: try new())
        try manager.migrateStore(
            from: fixture.url, type: .sqlite, mapping: mapping(), to: target, type: type)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try new())
        let store = try coordinator.addPersistentStore(
            ofType: type.rawValue, configurationName: nil, at: target, options: nil)
        #expect(store.type == type.rawValue)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let names = try context.performAndWait { try values("Human", "last", context) }
        #expect(names == ["Hopper", "King"])
    }

    @Test func `an inferred mapping model works with objects as it does with SQL`() throws {
        let fixture = try fixture(["Ada King"])
        let target = fixture.folder.url.appendingPathComponent("New.sqlite")
        let destination = try MigrationFixture.model(
            """
            <entity name="Human" elementID="Person"><attribute name="title" elementID="name" \
            \(text)<relationship name="pets" optional="YES" toMany="YES" destinationEntity="Pet" \
            inverseName="owner" inverseEntity="Pet"/></entity><entity name="Pet">\
            <attribute name="name" \(text)<relationship name="owner" optional="YES" maxCount="1" \
            destinationEntity="Human" inverseName="pets" inverseEntity="Human"/></entity>
            """)
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old(), destinationModel: destination)
        #expect(mapping.entityMappingsByName["IEM_Transform_Human"] != nil)
        let manager = NSMigrationManager(sourceModel: try old(), destinationModel: destination)
        try manager.migrateStore(
            from: fixture.url, sourceType: NSSQLiteStoreType, with: mapping,
            toDestinationURL: target, destinationType: NSSQLiteStoreType)
        #expect(
            try rows(
                Connection(.file(target.path)),
                "SELECT h.ZTITLE, p.ZNAME FROM ZHUMAN h JOIN ZPET p ON p.ZOWNER = h.Z_PK")
                == ["Ada King|pet of Ada King"])
    }

    @Test func `D-050: a method that is not registered by name is an error of the mapping`() throws
    {
        let fixture = try fixture(["Ada King"])
        let odd = mapping()
        odd.entityMappings[1].attributeMappings = [
            property("name", NSExpression(format: "FUNCTION($entityPolicy, 'full:', $source.name)"))
        ]
        let manager = NSMigrationManager(sourceModel: try old(), destinationModel: try new())
        let error = #expect(throws: (any Error).self) {
            try manager.migrateStore(
                from: fixture.url, sourceType: NSSQLiteStoreType, with: odd,
                toDestinationURL: fixture.folder.url.appendingPathComponent("New.sqlite"),
                destinationType: NSSQLiteStoreType)
        }
        #expect(error.map { ($0 as NSError).code } == NSEntityMigrationPolicyError)
    }
}
