import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

struct StagedMigrationTests {
    private func model(_ attributes: String...) throws -> NSManagedObjectModel {
        let content = attributes.map {
            #"<attribute name="\#($0)" optional="YES" attributeType="String"/>"#
        }
        return try MigrationFixture.model(
            #"<entity name="Person">\#(content.joined())</entity>"#)
    }

    private func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    private func options(_ stages: [NSMigrationStage]) -> [AnyHashable: Any] {
        var options = MigrationFixture.automatic
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager(stages)
        return options
    }

    @Test func `handlers open a store with the options of its opening`() throws {
        let fixture = try MigrationFixture()
        let (one, two) = (try model("name"), try model("name", "first"))
        let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true as NSNumber]
        try fixture.use(one, tracking) { make("Person", $0, ["name": "Ada"]) }
        let stage = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
        var seen: [Bool] = []
        stage.didMigrateHandler = { manager, _ in
            let coordinator = try #require(manager.container?.persistentStoreCoordinator)
            let store = try #require(coordinator.persistentStores.first)
            seen.append(store.options?[NSPersistentHistoryTrackingKey] as? NSNumber == true)
        }
        let asked = options([stage]).merging(tracking) { first, _ in first }
        let names = try fixture.use(two, asked) { try values("Person", "name", $0) }
        #expect(names == ["Ada"])
        #expect(seen == [true])
    }

    @Test func `stages run in order, and handlers see the versions before and after`() throws {
        let fixture = try MigrationFixture()
        let (one, two, three) = (
            try model("name"), try model("name", "first"), try model("first", "rank")
        )
        try fixture.use(one) { make("Person", $0, ["name": "Ada King"]) }
        let split = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
        split.label = "split"
        var seen: [String] = []
        split.willMigrateHandler = { manager, stage in
            let entity = manager.container?.managedObjectModel.entitiesByName["Person"]
            seen.append("will \(stage.label ?? "") \(entity?.attributesByName.count ?? 0)")
        }
        split.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                for person in try context.fetch(request) {
                    let name = person.value(forKey: "name") as? String ?? ""
                    person.setValue(
                        name.split(separator: " ").first.map(String.init), forKey: "first")
                }
                try context.save()
            }
            seen.append("did")
        }
        let light = NSLightweightMigrationStage([two.versionChecksum, three.versionChecksum])
        let names = try fixture.use(three, options([split, light])) {
            try values("Person", "first", $0)
        }
        #expect(names == ["Ada"])
        #expect(seen == ["will split 1", "did"])
        // The newest store needs no stage. An older model is refused.
        try fixture.use(three, options([split, light])) { _ in }
        #expect(seen.count == 2)
        let back = fixture.failure(one, options([split, light]))
        #expect(back?.code == NSStagedMigrationBackwardMigrationError)
    }

    @Test func `a handler's error ends it with the store at the previous version`() throws {
        let fixture = try MigrationFixture()
        let (one, two) = (try model("name"), try model("name", "first"))
        try fixture.use(one) { make("Person", $0, ["name": "Ada"]) }
        let before = try fixture.dump()
        let stage = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
        stage.willMigrateHandler = { _, _ in throw NSError(domain: "app", code: 5) }
        let error = try #require(fixture.failure(two, options([stage])))
        #expect(error.domain == "app" && error.code == 5)
        #expect(try fixture.dump() == before)
    }

    @Test func `versions that no stage mentions, and two stages to one version, are errors`() throws
    {
        let fixture = try MigrationFixture()
        let (one, two) = (try model("name"), try model("name", "first"))
        try fixture.use(one) { make("Person", $0) }
        let other = NSLightweightMigrationStage([two.versionChecksum])
        #expect(
            fixture.failure(two, options([other]))?.code
                == NSManagedObjectModelReferenceNotFoundError)
        let wrong = NSManagedObjectModelReference(model: two, versionChecksum: "none")
        let stage = NSCustomMigrationStage(migratingFrom: reference(one), to: wrong)
        #expect(
            fixture.failure(two, options([stage]))?.code
                == NSManagedObjectModelReferenceNotFoundError)
        let twice = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
        let again = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
        #expect(fixture.failure(two, options([twice, again]))?.code == NSCoreDataError)
        #expect(throws: ModelError.self) { try wrong.resolve() }
    }

    /// Changes the version hashes of the store, as if another framework had written it.
    private func disguise(_ fixture: MigrationFixture, keepsModel: Bool) throws {
        let connection = try Connection(.file(fixture.url.path))
        var plist = try #require(try StoreMetadata.read(connection)).plist
        plist[StoreMetadata.makerKey] = nil
        plist[VersionDigest.hashesKey] = ["Person": Data(repeating: 7, count: 32)]
        let row = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        try StoreMetadata.encode(plist).withUnsafeBytes { row.bind(1, blob: $0) }
        try row.run()
        if !keepsModel { try connection.execute("DELETE FROM Z_MODELCACHE") }
    }

    @Test func `a store of another framework is identified by the model that it contains`() throws {
        let fixture = try MigrationFixture()
        let (one, two) = (try model("name"), try model("name", "first"))
        try fixture.use(one) { make("Person", $0, ["name": "Ada"]) }
        try disguise(fixture, keepsModel: true)
        let stages = [NSLightweightMigrationStage([one.versionChecksum, two.versionChecksum])]
        let names = try fixture.use(two, options(stages)) { try values("Person", "name", $0) }
        #expect(names == ["Ada"])
    }

    @Test func `a store of another framework without a model needs its metadata updated`() throws {
        let fixture = try MigrationFixture()
        let (one, two) = (try model("name"), try model("name", "first"))
        try fixture.use(one) { make("Person", $0, ["name": "Ada"]) }
        try disguise(fixture, keepsModel: false)
        let stages = [NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))]
        let error = try #require(fixture.failure(two, options(stages)))
        #expect(error.code == NSStagedMigrationFrameworkVersionMismatchError)
        // The message of the error recommends this option.
        try fixture.use(one, [NSIgnorePersistentStoreVersioningOption: true]) {
            make("Person", $0, ["name": "Grace"])
        }
        let names = try fixture.use(two, options(stages)) { try values("Person", "name", $0) }
        #expect(names == ["Ada", "Grace"])
    }
}
