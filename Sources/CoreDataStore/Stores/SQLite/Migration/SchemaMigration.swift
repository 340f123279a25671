import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import CoreDataTrace
import Foundation

/// Migrates a store's file from one model to another in place, in one transaction.
///
/// Used if the mapping could be inferred. No object is created. Rows keep their primary keys, and
/// the store keeps its UUID and the program's metadata. If anything fails, the file is unchanged.
package struct SchemaMigration {
    private let path: String
    let change: SchemaChange
    private let trace: Trace

    /// The key in a store's metadata that lists deferred work.
    package static let pendingKey = "NSPersistentStoreDeferredLightweightMigrationOptionKey"

    package init(path: String, _ change: SchemaChange, trace: Trace) {
        self.path = path
        self.change = change
        self.trace = trace
    }

    /// Migrates the file.
    ///
    /// Runs one statement for each table that changes, one for each entity in such a table, and one
    /// for each index.
    ///
    /// - Throws:
    ///   - 134110 if a mandatory attribute lacks a value.
    ///   - 134111 if the rows break a uniqueness constraint.
    ///   - 134190 if a row has several owners but the new model allows only one, or if new inverses
    ///     do not agree.
    ///   - 134100 if the file does not have the source's tables.
    ///   - SQLite's errors.
    /// - Returns: the number of rows that were written; nil if another process has already migrated
    ///   the file.
    package func run() throws(CoreDataError) -> Int? {
        try SchemaNames.check(change.destination)
        let result: Result<Int?, CoreDataError>
        do throws(SQLiteError) {
            result = try migrate(try connect())
        } catch {
            throw failure(error)
        }
        return try result.get()
    }

    private func connect() throws(SQLiteError) -> Connection {
        try .forMigrating(
            path, busyTimeoutMilliseconds: change.timeoutMilliseconds, trace: trace)
    }

    private func migrate(
        _ connection: Connection
    ) throws(SQLiteError) -> Result<Int?, CoreDataError> {
        // Truncates the write-ahead log, unless other processes use the store.
        _ = try? connection.firstText("PRAGMA wal_checkpoint(TRUNCATE)")
        try connection.begin(.immediate)
        // Without the mark, the next opening of the store deletes the external files of rows that
        // the migration removes. So the mark is removed here.
        ExternalFiles(store: path).mark.remove()
        do throws(CoreDataError) {
            let rows = try apply(to: connection)
            try sql { () throws(SQLiteError) in try connection.commit() }
            return .success(rows)
        } catch {
            // An error of this rollback is ignored, because SQLite also rolls back when the
            // connection is closed without a commit.
            try? connection.rollback()
            return .failure(error)
        }
    }

    private func apply(to connection: Connection) throws(CoreDataError) -> Int? {
        var (found, metadata) = try sql { () throws(SQLiteError) in
            (try SchemaCheck.read(connection), try StoreMetadata.read(connection))
        }
        guard let metadata else {
            throw StoreFile.error(
                .migrationSourceStore, path, "has no metadata; use the path of a store")
        }
        let stored = metadata.plist[VersionDigest.hashesKey] as? [String: Data]
        guard stored == change.sourceHashes else { return nil }
        let partial = change.configured.map {
            PartialStore(source: $0.source, destination: $0.destination)
        }
        let completion = partial?.completion(of: change.source, in: found) ?? []
        for statement in completion { try step(statement, connection) }
        if !completion.isEmpty {
            found = try sql { () throws(SQLiteError) in try SchemaCheck.read(connection) }
        }
        let source = StoredNames.layout(change.source, in: found) ?? change.source
        let destination = change.destination
        let moves = RowMoves(
            from: source, try SchemaCheck(layout: source).match(found), to: destination,
            EntityNumbers(inOrderOf: destination), change.mapping, SQLiteMigrationDialect())
        let statements = MigrationStatements(
            moves: moves, found: found, isDeferred: change.isDeferred,
            hasDeferredWork: metadata.plist[Self.pendingKey] != nil)
        try checkRows(moves, connection)
        let plan = statements.plan()
        // The triggers of the old model would fire for rows that are being moved.
        for kind in ["TRIGGER", "TABLE"] {
            for name in try sql({ () throws(SQLiteError) in try kept(kind, connection) }) {
                try step("DROP \(kind) \"\(name)\"", connection)
            }
        }
        var rows = 0
        for statement in plan.statements { rows += try step(statement, connection) }
        for statement in try indexStatements(connection) { try step(statement, connection) }
        let derived = DerivedTriggers(
            layout: destination, numbers: EntityNumbers(inOrderOf: destination))
        let spatial = SpatialIndexes(layout: destination)
        for statement in derived.recomputing() + derived.statements() + spatial.statements()
            + spatial.filling()
        {
            try step(statement, connection)
        }
        let system = MigrationSystemTables(migration: self, moves: moves, found: found)
        for statement in try sql({ () throws(SQLiteError) in try system.statements(connection) }) {
            try step(statement, connection)
        }
        for statement in partial?.reduction(of: destination) ?? [] {
            try step(statement, connection)
        }
        try system.write(metadata, leavesWork: plan.leavesWork, connection)
        try change.afterStep?("metadata")
        return rows
    }

    /// - Returns: the number of rows that the statement changed.
    @discardableResult private func step(
        _ statement: String, _ connection: Connection
    ) throws(CoreDataError) -> Int {
        let rows = try sql { () throws(SQLiteError) in try connection.execute(statement) }
        try change.afterStep?(statement)
        return rows
    }
}

// MARK: Checks and indexes

extension SchemaMigration {
    /// Rejects rows that the destination cannot contain.
    private func checkRows(
        _ moves: RowMoves, _ connection: Connection
    ) throws(CoreDataError) {
        for check in moves.checks {
            let hit = try sql { () throws(SQLiteError) in try connection.firstText(check.sql) }
            if let hit { throw check.error(hit) }
        }
    }

    /// Drops indexes that the new model does not have, then creates the missing ones.
    private func indexStatements(_ connection: Connection) throws(CoreDataError) -> [String] {
        let destination = change.destination
        let wanted = SchemaGenerator(layout: destination).statements().filter {
            $0.hasPrefix("CREATE INDEX") || $0.hasPrefix("CREATE UNIQUE INDEX")
        }
        let tables = Set(destination.entities.map(\.tableName))
            .union(SchemaGenerator(layout: destination).joinTables().map(\.name))
        let existing = try sql { () throws(SQLiteError) in try indexes(connection) }
        let odd = existing.filter { index in
            tables.contains(index.table) && index.name.hasPrefix("Z") && !wanted.contains(index.sql)
        }
        let present = Set(existing.map(\.sql))
        return odd.map { "DROP INDEX \"\($0.name)\"" } + wanted.filter { !present.contains($0) }
    }

    /// The triggers for derived attributes and spatial indexes in the file, or the tables of the
    /// spatial indexes.
    private func kept(_ kind: String, _ connection: Connection) throws(SQLiteError) -> [String] {
        let condition =
            kind == "TRIGGER"
            ? "type = 'trigger' AND (name GLOB 'Z_DA_*' OR name GLOB 'ZT_*' OR name GLOB 'Z_RT_*')"
            : "name GLOB 'Z_RT_*' AND sql LIKE 'CREATE VIRTUAL TABLE%'"
        let statement = try connection.statement(
            "SELECT name FROM sqlite_master WHERE \(condition) ORDER BY name")
        defer { statement.finish() }
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }

    private func indexes(
        _ connection: Connection
    ) throws(SQLiteError) -> [(name: String, table: String, sql: String)] {
        let statement = try connection.statement(
            "SELECT name, tbl_name, sql FROM sqlite_master "
                + "WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
        defer { statement.finish() }
        var result: [(name: String, table: String, sql: String)] = []
        while try statement.step() {
            result.append((statement.text(0), statement.text(1), statement.text(2)))
        }
        return result
    }

    // MARK: Failures

    package func sql<T>(_ body: () throws(SQLiteError) -> T) throws(CoreDataError) -> T {
        do throws(SQLiteError) { return try body() } catch { throw failure(error) }
    }

    private func failure(_ error: SQLiteError) -> CoreDataError {
        guard error.isUniquenessViolation else { return CoreDataError(error, path: path) }
        return CoreDataError(
            .migrationConstraintViolation,
            "The store's rows break a uniqueness constraint of the new model (\(error.message)). "
                + "Remove the duplicates with the old model first.",
            info: ["reason": error.message, "NSFilePath": path])
    }
}
