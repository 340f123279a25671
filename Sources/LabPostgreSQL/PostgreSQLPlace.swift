import ContextHistory
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataStore
import Foundation
import LabRunner
import Synchronization

/// The schema of one cell's store, and a second schema with views for the SQL of scenarios.
final class PostgreSQLPlace: HostedPlace {
    let url: URL
    private let schema: String
    private let host: PostgreSQLHost
    /// The connections of other processes by their numbers, and the one of the lab under -1.
    private let guests = Mutex<[Int: Connection]>([:])

    init(schema: String, host: PostgreSQLHost) throws(CoreDataError) {
        self.schema = schema
        self.host = host
        let text = host.address(of: schema)
        guard let url = URL(string: text) else {
            throw CoreDataError(
                .invalidArgument,
                "The text in \(PostgreSQLHost.variable) is not a URL; correct it.")
        }
        self.url = url
    }

    var type: String { FaultlinePostgreSQLStoreType }
    private var views: String { "\(schema)_sql" }

    private func administer(_ sql: String) throws(CoreDataError) {
        do throws(ServerError) {
            let connection = try Connection(try ServerAddress(host.administration))
            try connection.runScript(sql)
        } catch {
            throw CoreDataError(
                .storeOperation,
                "The lab cannot change the database: \(error). Let \(PostgreSQLHost.variable) name"
                    + " a database whose user may create schemas, or unset it.")
        }
    }

    func prepare(_ layout: ModelLayout) throws(CoreDataError) {
        guard host.guestAddress != nil else { return }
        let guest = PostgreSQLHost.guest
        let statements =
            ["CREATE SCHEMA \(views)"]
            + LayoutViews.statements(layout, store: schema, views: views) + [
                "GRANT USAGE ON SCHEMA \(views) TO \(guest)",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(views) TO \(guest)",
            ]
        try administer(statements.joined(separator: "; "))
    }

    func endOutsiders() { guests.withLock { $0 = $0.filter { $0.key < 0 } } }

    func remove() {
        guests.withLock { $0 = [:] }
        // A context that is pinned to a state may still read the tables.
        let readers =
            "SELECT pg_terminate_backend(l.pid, 5000) FROM pg_locks l"
            + " JOIN pg_class c ON c.oid = l.relation"
            + " WHERE c.relnamespace = to_regnamespace('\(schema)') AND l.pid <> pg_backend_pid()"
        try? administer(
            "SET client_min_messages = error; SET lock_timeout = 10000; \(readers);"
                + " DROP SCHEMA IF EXISTS \(views) CASCADE; DROP SCHEMA IF EXISTS \(schema) CASCADE"
        )
    }

    // MARK: SQL of scenarios

    /// The limits of one statement.
    private static let (rowsMax, bytesMax, milliseconds) = (10_000, 10_000_000, 10_000)

    func answer(_ sql: String, by outsider: Int?) throws(StatementProblem) -> ObservedValue {
        do throws(ServerError) {
            let connection = try guest(outsider)
            return try Self.firstColumn(of: connection.execute(sql), sql)
        } catch {
            throw StatementProblem(
                source: error.sqlState.isEmpty
                    ? "PostgreSQL error" : "PostgreSQL error \(error.sqlState)",
                code: Int(error.sqlState) ?? -1, message: error.message)
        }
    }

    private func guest(_ outsider: Int?) throws(ServerError) -> Connection {
        try guests.withLock { guests throws(ServerError) in
            if let known = guests[outsider ?? -1], !known.isLost { return known }
            guard let text = host.guestAddress else {
                throw ServerError(client: "the lab runs SQL only in a server of its own")
            }
            var options = Connection.Options()
            options.statementMilliseconds = Self.milliseconds
            options.lockMilliseconds = Self.milliseconds
            options.settings = [("search_path", views)]
            if outsider == nil { options.settings.append(("default_transaction_read_only", "on")) }
            let made = try Connection(try ServerAddress(text), options: options)
            guests[outsider ?? -1] = made
            return made
        }
    }

    private static func firstColumn(
        of result: QueryResult, _ sql: String
    ) throws(ServerError) -> ObservedValue {
        guard result.columnCount > 0 else { return .none }
        let type = result.type(ofColumn: 0)
        var values: [ObservedValue] = []
        var bytes = 0
        for row in 0..<result.rowCount {
            let cell = result[row, 0]
            bytes += cell.bytes.count
            values.append(value(cell, type))
            guard values.count <= rowsMax, bytes <= bytesMax else {
                throw ServerError(client: "the statement returns too much data", sql: sql)
            }
        }
        return values.isEmpty ? .none : values.count == 1 ? values[0] : .list(values)
    }

    /// A value as SQLite would return it: a boolean is an integer, and a sum of integers, too.
    private static func value(_ cell: Cell, _ type: UInt32) -> ObservedValue {
        if cell.isNull { return .null }
        switch CoreDataPostgreSQLClient.ValueKind(rawValue: type) {
        case .bool, .int2, .int4, .int8: return .integer(cell.integer)
        case .float8: return .number(cell.double)
        case .numeric:
            guard let decimal = cell.decimal else { return .text("a number") }
            let number = NSDecimalNumber(decimal: decimal)
            let fits = decimal >= Decimal(Int64.min) && decimal <= Decimal(Int64.max)
            let integer = fits ? number.int64Value : 0
            return fits && Decimal(integer) == decimal
                ? .integer(integer) : .number(number.doubleValue)
        case .text: return .text(cell.text)
        case .bytea, .uuid: return .text("a blob")
        // The types of names and of literals also have the form of a text.
        case nil: return .text(cell.text)
        }
    }
}
