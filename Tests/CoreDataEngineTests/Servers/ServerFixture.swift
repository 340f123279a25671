import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataPredicate
import CoreDataTrace
import Foundation
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// A store on a server that a test migrates from one model to another.
final class ServerFixture: Sendable {
    let database: TestDatabase
    let schema: String
    let url: URL
    let log = StatementLog()

    init(schema: String = "library") throws {
        database = try TestServer.shared().makeDatabase()
        self.schema = schema
        url = database.url(schema: schema)
    }

    private init(_ database: TestDatabase, schema: String) {
        self.database = database
        self.schema = schema
        url = database.url(schema: schema)
    }

    /// Another store in the same database.
    func another(schema: String) -> ServerFixture { ServerFixture(database, schema: schema) }

    /// Opens the store with a model, runs the body in a context, saves, and closes the store.
    ///
    /// - Parameter older: the earlier models that the program knows.
    @discardableResult
    func use<T>(
        _ model: NSManagedObjectModel, after older: NSManagedObjectModel...,
        configuration: String? = nil, options: [AnyHashable: Any] = MigrationFixture.automatic,
        _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        coordinator.trace.add(log)
        if !older.isEmpty { model.knownVersions = older }
        let store = try coordinator.addPersistentStore(
            ofType: FaultlinePostgreSQLStoreType, configurationName: configuration, at: url,
            options: options)
        defer { try? coordinator.remove(store) }
        return try MigrationFixture.save(in: coordinator, body)
    }

    /// The error of opening the store; nil if opening succeeds.
    func failure(
        _ model: NSManagedObjectModel, after older: NSManagedObjectModel,
        options: [AnyHashable: Any] = MigrationFixture.automatic
    ) -> NSError? {
        do {
            try use(model, after: older, options: options) { _ in }
            return nil
        } catch {
            return error as NSError
        }
    }

    func rows(_ sql: String) throws -> [String] {
        let result = try database.connect().execute(sql)
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { result[row, $0].isNull ? "nil" : result[row, $0].text }
                .joined(separator: "|")
        }
    }

    /// The statements of the last migration that have changed tables and rows.
    func changes() -> [String] {
        log.take().filter { sql in
            ["ALTER TABLE", "UPDATE", "INSERT", "CREATE TABLE", "DROP"].contains {
                sql.hasPrefix($0)
            } && !sql.contains(".\(SystemTable.store)") && !sql.contains(".\(SystemTable.entities)")
                && !sql.hasPrefix("DROP VIEW")
        }
    }

    private enum SystemTable {
        static let store = "_store"
        static let entities = "_entities"
    }

    /// The tables, columns, indexes, constraints, views and sequences of the schema.
    func catalogue() throws -> [String] {
        let columns = try rows(
            "SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)"
                + " || ' ' || a.attnotnull FROM pg_attribute a JOIN pg_class c"
                + " ON c.oid = a.attrelid WHERE c.relnamespace = '\(schema)'::regnamespace"
                + " AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1")
        let indexes = try rows(
            "SELECT replace(indexdef, '\(schema).', '') FROM pg_indexes"
                + " WHERE schemaname = '\(schema)' ORDER BY 1")
        let constraints = try rows(
            "SELECT conrelid::regclass::text || ' ' || conname || ' '"
                + " || pg_get_constraintdef(oid) FROM pg_constraint"
                + " WHERE connamespace = '\(schema)'::regnamespace ORDER BY 1")
        // Views contain entity numbers, which depend on the first model of the store.
        let views = try rows(
            "SELECT viewname || ' ' || regexp_replace(definition, '[0-9]+', 'N', 'g')"
                + " FROM pg_views WHERE schemaname = '\(schema)' ORDER BY 1")
        let sequences = try rows(
            "SELECT c.relname || ' ' || d.refobjid::regclass FROM pg_class c JOIN pg_depend d"
                + " ON d.objid = c.oid AND d.deptype = 'a'"
                + " WHERE c.relnamespace = '\(schema)'::regnamespace AND c.relkind = 'S'"
                + " ORDER BY 1")
        return (columns + indexes + constraints + views + sequences).map {
            $0.replacing("\(schema).", with: "")
        }
    }

    /// The catalogue and the rows of all tables.
    func dump() throws -> [String] {
        let tables = try rows(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
                + " WHERE schemaname = '\(schema)' ORDER BY 1")
        return try catalogue()
            + tables.flatMap { table in
                try rows("SELECT t::text FROM \(table) t ORDER BY 1")
            }
    }
}
