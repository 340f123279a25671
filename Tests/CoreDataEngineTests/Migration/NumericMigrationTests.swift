import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Migrations that change the numeric type of an attribute.
struct NumericMigrationTests {
    static let types = [
        "Boolean", "Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Decimal",
    ]

    static func model(_ type: String) throws -> NSManagedObjectModel {
        try MigrationFixture.model(
            #"<entity name="Card"><attribute name="amount" optional="YES" "#
                + #"attributeType="\#(type)"/></entity>"#)
    }

    private func store(_ type: String, _ numbers: [NSNumber]) throws -> MigrationFixture {
        let fixture = try MigrationFixture()
        try fixture.use(Self.model(type)) { context in
            for number in numbers { make("Card", context, ["amount": number]) }
            make("Card", context)
        }
        return fixture
    }

    private func numbers(_ context: NSManagedObjectContext) throws -> [NSNumber?] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Card")
        request.sortDescriptors = [NSSortDescriptor(key: "amount", ascending: true)]
        return try context.fetch(request).map { $0.value(forKey: "amount") as? NSNumber }
    }

    /// The inferred mapping model copies the objects. Returns the numbers of the copies.
    private func copy(
        _ fixture: MigrationFixture, _ old: String, _ new: String
    ) throws -> [NSNumber?] {
        let target = fixture.folder.url.appendingPathComponent("Copy.sqlite")
        let (source, destination) = (try Self.model(old), try Self.model(new))
        try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
            from: fixture.url, sourceType: NSSQLiteStoreType,
            with: NSMappingModel.inferredMappingModel(
                forSourceModel: source, destinationModel: destination),
            toDestinationURL: target, destinationType: NSSQLiteStoreType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: destination)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: target)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try numbers(context) }
    }

    @Test(arguments: types, types)
    func `each numeric type converts to each other one if the value fits`(
        old: String, new: String
    ) throws {
        let fixture = try store(old, [0, 1])
        let copied = try copy(fixture, old, new)
        let moved = try fixture.use(Self.model(new)) { try numbers($0) }
        #expect(moved.map { $0?.doubleValue } == [nil, 0, 1])
        #expect(copied == moved)
        // A converted number is stored as a save would have stored it.
        let fresh = try store(new, [0, 1])
        let types = "SELECT typeof(ZAMOUNT), ZAMOUNT FROM ZCARD ORDER BY ZAMOUNT"
        #expect(try fixture.sql(types) == fresh.sql(types))
    }

    static let fitting: [(String, NSNumber, String, Double)] = [
        ("Integer 64", 9_007_199_254_740_992 as NSNumber, "Double", 9_007_199_254_740_992.0),
        ("Integer 64", -16_777_216 as NSNumber, "Float", -16_777_216.0),
        ("Integer 64", -32_768 as NSNumber, "Integer 16", -32_768),
        ("Integer 64", 2_147_483_647 as NSNumber, "Integer 32", 2_147_483_647),
        ("Double", 0.1 as NSNumber, "Float", Double(0.1 as Float)),
        ("Double", 12.5 as NSNumber, "Decimal", 12.5),
        ("Double", -7.0 as NSNumber, "Integer 16", -7),
        ("Float", 0.5 as NSNumber, "Double", 0.5), ("Float", 0.5 as NSNumber, "Decimal", 0.5),
        ("Decimal", NSDecimalNumber(string: "19.99"), "Double", 19.99),
        ("Decimal", NSDecimalNumber(string: "300"), "Integer 16", 300),
    ]

    @Test(arguments: fitting)
    func `a number that fits is the same number, fractions to the nearest Float`(
        old: String, number: NSNumber, new: String, expected: Double
    ) throws {
        let fixture = try store(old, [number])
        #expect(try copy(fixture, old, new).map { $0?.doubleValue } == [nil, expected])
        let moved = try fixture.use(Self.model(new)) { try numbers($0) }
        #expect(moved.map { $0?.doubleValue } == [nil, expected])
    }

    static let unfitting: [(String, NSNumber, String)] = [
        ("Integer 64", 9_007_199_254_740_993 as NSNumber, "Double"),
        ("Integer 64", NSNumber(value: Int64.max), "Decimal"),
        ("Integer 64", NSNumber(value: Int64.max), "Double"),
        ("Integer 64", 16_777_217 as NSNumber, "Float"),
        ("Integer 64", 32_768 as NSNumber, "Integer 16"),
        ("Integer 64", -2_147_483_649 as NSNumber, "Integer 32"),
        ("Integer 16", 2 as NSNumber, "Boolean"), ("Double", 0.5 as NSNumber, "Boolean"),
        ("Double", 1.5 as NSNumber, "Integer 64"), ("Double", 1e300 as NSNumber, "Integer 64"),
        ("Double", 1e300 as NSNumber, "Float"), ("Double", 1e300 as NSNumber, "Decimal"),
        ("Double", NSNumber(value: Double.infinity), "Decimal"),
        ("Float", 0.5 as NSNumber, "Integer 16"),
        ("Decimal", NSDecimalNumber(string: "0.01"), "Integer 32"),
    ]

    @Test(arguments: unfitting)
    func `D-075 a number that does not fit ends the migration and keeps the store`(
        old: String, number: NSNumber, new: String
    ) throws {
        let fixture = try store(old, [1, number])
        let before = try fixture.dump()
        let error = try #require(fixture.failure(try Self.model(new)))
        #expect(error.code == NSMigrationError)
        #expect(error.localizedDescription.contains("'amount' of entity 'Card'"))
        #expect(try fixture.dump() == before)
        let copying = #expect(throws: (any Error).self) { try copy(fixture, old, new) }
        #expect(copying.map { ($0 as NSError).code } == NSMigrationError)
    }

    @Test func `one statement converts a table with several numeric types`() throws {
        let fixture = try store("Integer 64", [5])
        _ = fixture.changes()
        try fixture.use(Self.model("Double")) { _ in }
        #expect(
            fixture.changes() == [
                "CREATE TABLE Z_MIGRATION_0 ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
                    + "Z_OPT INTEGER, ZAMOUNT FLOAT )",
                "INSERT INTO Z_MIGRATION_0(Z_PK, Z_ENT, Z_OPT, ZAMOUNT) SELECT Z_PK, 1, Z_OPT, "
                    + "faultline_as_double(ZAMOUNT) FROM ZCARD",
                "DROP TABLE ZCARD", "ALTER TABLE Z_MIGRATION_0 RENAME TO ZCARD",
            ])
        #expect(
            try fixture.sql("SELECT typeof(ZAMOUNT), ZAMOUNT FROM ZCARD WHERE ZAMOUNT") == [
                "real|5.0"
            ])
    }

    @Test func `a mandatory number is the default if it was nil`() throws {
        let fixture = try store("Integer 64", [5])
        let new = try MigrationFixture.model(
            #"<entity name="Card"><attribute name="amount" attributeType="Double" "#
                + #"defaultValueString="2.5"/></entity>"#)
        #expect(
            try fixture.use(new) { try numbers($0) }.map { $0?.doubleValue } == [2.5, 5])
    }

    @Test(arguments: ["String", "Date", "Binary", "UUID", "URI"])
    func `a number converts to no other type, and no other type to a number`(other: String) throws {
        for (old, new) in [("Integer 64", other), (other, "Integer 64")] {
            let error = #expect(throws: (any Error).self) {
                try NSMappingModel.inferredMappingModel(
                    forSourceModel: Self.model(old), destinationModel: Self.model(new))
            }
            #expect(error.map { ($0 as NSError).code } == NSInferredMappingModelError)
        }
    }
}
