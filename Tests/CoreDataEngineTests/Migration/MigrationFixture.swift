import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataTrace
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// A store that a test migrates from one model to another.
final class MigrationFixture {
    let folder: TemporaryFolder
    let url: URL
    let log = StatementLog()
    /// Whether each model with which a test opens the store knows the earlier models.
    var knowsVersions = true
    private var versions: [NSManagedObjectModel] = []

    init() throws {
        folder = try TemporaryFolder()
        url = folder.url.appendingPathComponent("Store.sqlite")
    }

    /// A model with entities in the XML of a `contents` file.
    static func model(_ entities: String) throws -> NSManagedObjectModel {
        try NSManagedObjectModel.parse(
            Data("<model>\(entities)</model>".utf8), path: "contents")
    }

    static var automatic: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
    }

    /// The earlier models become known versions of this model, as if all had been loaded from one
    /// folder.
    func acquaint(_ model: NSManagedObjectModel) {
        if knowsVersions { model.knownVersions = versions.filter { $0 !== model } }
        versions.append(model)
    }

    /// Opens the store with a model, runs the body in a context, saves, and closes the store.
    @discardableResult
    func use<T>(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = automatic,
        _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        coordinator.trace.add(log)
        acquaint(model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        defer { try? coordinator.remove(store) }
        return try Self.save(in: coordinator, body)
    }

    /// Runs the body in a new context, and saves its changes.
    static func save<T>(
        in coordinator: NSPersistentStoreCoordinator, _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let result = try body(context)
            if context.hasChanges { try context.save() }
            return result
        }
    }

    /// Persons with pets, and humans with animals, which have renaming identifiers.
    static func renamedPets() throws -> (old: NSManagedObjectModel, new: NSManagedObjectModel) {
        let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#
        let old = try model(
            """
            <entity name="Person">\(name)<relationship name="pets" optional="YES" toMany="YES" \
            destinationEntity="Pet" inverseName="owner" inverseEntity="Pet"/></entity>
            <entity name="Pet">\(name)<relationship name="owner" optional="YES" maxCount="1" \
            destinationEntity="Person" inverseName="pets" inverseEntity="Person"/></entity>
            """)
        let new = try model(
            """
            <entity name="Animal" elementID="Pet"><attribute name="title" elementID="name" \
            optional="YES" attributeType="String"/><relationship name="keeper" elementID="owner" \
            optional="YES" maxCount="1" destinationEntity="Human" inverseName="animals" \
            inverseEntity="Human"/></entity>
            <entity name="Human" elementID="Person">\(name)<relationship name="animals" \
            elementID="pets" optional="YES" toMany="YES" destinationEntity="Animal" \
            inverseName="keeper" inverseEntity="Animal"/></entity>
            """)
        return (old, new)
    }

    /// Stops a migration at each of its steps, one after another, and then lets it end.
    ///
    /// - Parameters:
    ///   - contents: the contents of the store, which each stop must leave unchanged.
    ///   - dump: reads the contents.
    /// - Returns: the number of stops.
    static func stops<Contents: Equatable>(
        of migration: StoreMigration, keeping contents: Contents, _ dump: () throws -> Contents
    ) throws -> Int {
        var migration = migration
        var stopped = 0
        for limit in 1...100 {
            var steps = 0
            migration.afterStep = { step throws(CoreDataError) in
                steps += 1
                guard steps < limit else { throw CoreDataError(.migration, "stopped at \(step)") }
            }
            do throws(CoreDataError) {
                try migration.run()
                break
            } catch {
                #expect(error.code == .migration)
                let found = try dump()
                #expect(found == contents)
                stopped += 1
            }
        }
        return stopped
    }

    /// The error of opening the store; nil if opening succeeds.
    func failure(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = automatic
    ) -> NSError? {
        do {
            try use(model, options) { _ in }
            return nil
        } catch {
            return error as NSError
        }
    }

    /// The SQL statements since the last call that have changed tables or rows.
    func changes() -> [String] {
        log.take().filter { sql in
            ["ALTER", "UPDATE Z", "INSERT", "CREATE", "DROP"].contains { sql.hasPrefix($0) }
                && !sql.contains("Z_PRIMARYKEY") && !sql.contains("Z_METADATA")
                && !sql.contains("Z_MODELCACHE")
        }
    }

    func sql(_ text: String) throws -> [String] {
        try rows(Connection(.file(url.path)), text)
    }

    func run(_ text: String) throws { try Connection(.file(url.path)).execute(text) }

    /// The schema and all rows of the file.
    func dump() throws -> [String] {
        let connection = try Connection(.file(url.path))
        let schema = try rows(
            connection, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
        let tables = try rows(
            connection, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return try schema
            + tables.flatMap { table in
                try rows(connection, "SELECT '\(table)', * FROM \(table) ORDER BY 2")
            }
    }
}

@discardableResult
func make(
    _ name: String, _ context: NSManagedObjectContext, _ values: [String: Any] = [:]
) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
}

/// The values of `key` in all objects of the entity, sorted.
func values(
    _ name: String, _ key: String, _ context: NSManagedObjectContext
) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: name)
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return try context.fetch(request).map { "\($0.value(forKey: key) ?? "nil")" }
}
