import CoreDataModel
import CoreDataPredicate
import CoreDataTrace
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Tests that a failed handler of a stage runs again at each opening until it succeeds.
struct StagedHandlerTests {
    private struct Full: Error {}

    private let fixture: MigrationFixture
    private let one: NSManagedObjectModel
    private let two: NSManagedObjectModel

    init() throws {
        fixture = try MigrationFixture()
        let number = #"<attribute name="n" attributeType="Integer 64" defaultValueString="0"/>"#
        let doubled =
            #"<attribute name="doubled" attributeType="Integer 64" defaultValueString="0"/>"#
        let bytes =
            #"<attribute name="bytes" optional="YES" attributeType="Binary" "#
            + #"allowsExternalBinaryDataStorage="YES"/>"#
        one = try MigrationFixture.model(#"<entity name="File">\#(number)\#(bytes)</entity>"#)
        two = try MigrationFixture.model(
            #"<entity name="File">\#(number)\#(bytes)\#(doubled)</entity>"#)
        try fixture.use(one) {
            make("File", $0, ["n": 21, "bytes": Data(count: 200_000)])
        }
    }

    private func makeStage(
        to next: NSManagedObjectModel, _ handler: @escaping (NSManagedObjectContext) throws -> Void
    ) -> NSCustomMigrationStage {
        func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(next))
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait { try handler(context) }
        }
        return stage
    }

    private func options(_ stages: NSMigrationStage...) -> [AnyHashable: Any] {
        var options = MigrationFixture.automatic
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager(stages)
        return options
    }

    private func double(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "File")
        for file in try context.fetch(request) {
            file.setValue((file.value(forKey: "n") as? Int ?? 0) * 2, forKey: "doubled")
        }
        try context.save()
    }

    @Test func `an error of a handler is thrown, its changes are dropped, and it runs again`()
        throws
    {
        let failing = makeStage(to: two) { context in
            try double(context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "File")
            try context.fetch(request).first?.setValue(nil, forKey: "bytes")
            try context.save()
            throw Full()
        }
        #expect(throws: Full.self) { try fixture.use(two, options(failing)) { _ in } }
        // The tables are migrated, but the saves of the handler were undone. The file with the
        // external value therefore remains.
        #expect(try fixture.sql("SELECT ZDOUBLED FROM ZFILE") == ["0"])
        var runs = 0
        let working = makeStage(to: two) { context in
            runs += 1
            try double(context)
        }
        for _ in 0..<2 {
            try fixture.use(two, options(working)) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "File")
                let file = try #require(try context.fetch(request).first)
                #expect(file.value(forKey: "doubled") as? Int == 42)
                #expect((file.value(forKey: "bytes") as? Data)?.count == 200_000)
            }
        }
        #expect(runs == 1)
    }

    @Test func `D-073 a store with a pending handler opens only for programs that run it`() throws {
        let failing = makeStage(to: two) { _ in throw Full() }
        #expect(throws: Full.self) { try fixture.use(two, options(failing)) { _ in } }
        let third = try MigrationFixture.model(
            #"<entity name="File"><attribute name="n" attributeType="Integer 64"/></entity>"#)
        for (model, options) in [
            (two, [:]), (two, MigrationFixture.automatic), (third, MigrationFixture.automatic),
        ] as [(NSManagedObjectModel, [AnyHashable: Any])] {
            let error = try #require(fixture.failure(model, options))
            #expect(error.code == NSMigrationError)
            #expect(error.localizedDescription.contains(two.versionChecksum))
        }
        // Reading does not change the store.
        let reading = [NSReadOnlyPersistentStoreOption: true]
        #expect(try fixture.use(two, reading) { try values("File", "n", $0) } == ["21"])
        // A migration to a third version first runs the handler of the second version.
        let light = NSLightweightMigrationStage([two.versionChecksum, third.versionChecksum])
        third.knownVersions = [two]
        var seen: [String] = []
        let working = makeStage(to: two) { seen += try values("File", "doubled", $0) }
        #expect(
            try fixture.use(third, options(working, light)) { try values("File", "n", $0) }
                == ["21"])
        #expect(seen == ["0"])
        #expect(fixture.failure(third, [:]) == nil)
    }

    @Test func `no other process opens a store while a handler runs`() throws {
        var codes: [Int?] = []
        var others = 0
        var other = options(makeStage(to: two) { _ in others += 1 })
        other[NSPersistentStoreTimeoutOption] = 0 as NSNumber
        let stage = makeStage(to: two) { context in
            codes.append(fixture.failure(two, other)?.code)
            try double(context)
        }
        try fixture.use(two, options(stage)) { _ in }
        #expect(codes == [NSSQLiteError])
        #expect(try fixture.use(two, other) { try values("File", "doubled", $0) } == ["42"])
        #expect(others == 0)
    }

    @Test func `a handler's contexts see each other's saves`() throws {
        let stage = makeStage(to: two) { context in
            make("File", context, ["n": 1])
            try context.save()
            let second = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            second.persistentStoreCoordinator = context.persistentStoreCoordinator
            let numbers = try second.performAndWait { try values("File", "n", second) }
            #expect(numbers == ["1", "21"])
        }
        #expect(
            try fixture.use(two, options(stage)) { try values("File", "n", $0) } == ["1", "21"])
    }
}
