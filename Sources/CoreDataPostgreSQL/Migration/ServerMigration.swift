import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// Migrates a store on a server from one model to another in one transaction.
///
/// Rows keep their keys, and entities keep their numbers. An advisory lock lets one process at a
/// time migrate a store. If anything fails, the store is unchanged.
struct ServerMigration {
    private let change: SchemaChange
    private let options: ServerOptions
    private let connection: Connection

    init(_ change: SchemaChange, _ options: ServerOptions, _ connection: Connection) {
        self.change = change
        self.options = options
        self.connection = connection
    }

    private var schema: String { options.schema }
    private var schemaName: String { Identifier(schema).sql }

    /// - Throws: 134110 for a value that a mandatory attribute lacks, and 134111 for a uniqueness
    ///   constraint that the rows break. 134190 for a row with several owners if the new model
    ///   allows only one, and for new inverses that do not agree. The errors of the server.
    /// - Returns: the number of rows that were written; nil if another process has already migrated
    ///   the store.
    func run() throws(CoreDataError) -> Int? {
        try connection.transaction(failing: failure) { () throws(CoreDataError) in try apply() }
    }

    private func apply() throws(CoreDataError) -> Int? {
        let record = try sql { () throws(ServerError) in
            try StoreOpening.lockMigration(schema, connection)
            try StoreOpening.lock(schema, connection)
            return try StoreRecord(schema, connection)
        }
        guard let record else { throw ClosedServerStore(options).missing }
        let stored = record.metadata.values[VersionDigest.hashesKey] as? [String: Data]
        guard stored == change.sourceHashes else { return nil }
        let numbers = try sql { () throws(ServerError) in
            try StoreOpening.numbers(change.source, schema, connection)
        }
        let statements = statements(numbers)
        try run(statements.completion + statements.sequenceRelease)
        try checkRows(statements.moves)
        let tables = statements.tables
        try removeForeignKeys(statements)
        try run(statements.removal(keeping: tables.kept))
        let last = try lastKeys(statements)
        let rows = try run(tables.statements)
        try run(
            statements.sequences(last) + statements.reduction
                + statements.creation(keeping: tables.kept))
        try write(record, statements)
        return rows
    }

    private func statements(_ numbers: EntityNumbers) -> ServerMigrationStatements {
        func texts(
            _ layout: ModelLayout, _ numbers: EntityNumbers, _ entities: Set<Int>?
        ) -> SchemaTexts {
            SchemaTexts(layout, numbers: numbers, schema: schema, entityIndexes: entities)
        }
        let kept = Set(change.source.entities.map(\.index).filter { numbers.number(of: $0) > 0 })
        let former = Self.complete(change.source.entities.map { numbers.number(of: $0.index) })
        let old = EntityNumbers(numbers: former)
        let new = EntityNumbers(
            numbers: Self.complete(
                change.mapping.entities.map { $0.source.map { former[$0] } ?? 0 },
                after: former.max() ?? 0))
        let whole = (
            old: texts(change.source, old, nil), new: texts(change.destination, new, nil)
        )
        return ServerMigrationStatements(
            moves: RowMoves(
                from: whole.old.renamed, old, to: whole.new.renamed, new, change.mapping,
                ServerMigrationDialect()),
            whole: whole,
            stored: (
                old: texts(change.source, old, kept),
                new: texts(change.destination, new, change.configured?.destination)
            ))
    }

    /// Numbers the entities that have no number yet.
    private static func complete(
        _ numbers: [Int64], after largest: Int64 = 0
    ) -> ContiguousArray<Int64> {
        var last = max(largest, numbers.max() ?? 0)
        return ContiguousArray(
            numbers.map { number in
                if number > 0 { return number }
                last += 1
                return last
            })
    }

    // MARK: Steps

    /// - Returns: the number of rows that the statements wrote.
    @discardableResult private func run(_ statements: [String]) throws(CoreDataError) -> Int {
        var rows = 0
        for statement in statements {
            rows += try sql { () throws(ServerError) in
                try connection.execute(statement).affectedRows
            }
            try change.afterStep?(statement)
        }
        return rows
    }

    private func checkRows(_ moves: RowMoves) throws(CoreDataError) {
        for check in moves.checks {
            let hit = try sql { () throws(ServerError) in
                try connection.firstText("SELECT a.found::text FROM (\(check.sql)) AS a(found)")
            }
            if let hit { throw check.error(hit) }
        }
    }

    /// Removes the foreign keys, because they would forbid the removal of old tables. Their names
    /// are looked up, because the server chose them.
    private func removeForeignKeys(
        _ statements: ServerMigrationStatements
    ) throws(CoreDataError) {
        let tables = Set(statements.stored.old.foreignKeys().map(\.table))
        let removals = try sql { () throws(ServerError) in
            let parameters = Parameters()
            try parameters.append(texts: tables.sorted())
            let result = try connection.execute(
                "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', a.name, c.conname)"
                    + " FROM unnest($1) AS a(name) JOIN pg_constraint c"
                    + " ON c.conrelid = to_regclass(a.name) AND c.contype = 'f'", parameters)
            return (0..<result.rowCount).map { result[$0, 0].text }
        }
        try run(removals)
    }

    private func lastKeys(
        _ statements: ServerMigrationStatements
    ) throws(CoreDataError) -> [String: Int64] {
        var result: [String: Int64] = [:]
        for (sequence, statement) in statements.lastKeys {
            result[sequence] = try sql { () throws(ServerError) in
                try connection.execute(statement).first?.integer ?? 0
            }
        }
        return result
    }

    /// Writes the history, the numbers of the entities, the metadata and the model.
    private func write(
        _ record: StoreRecord, _ statements: ServerMigrationStatements
    ) throws(CoreDataError) {
        let metadata = StoreMetadata(
            identifier: record.metadata.identifier, plist: record.metadata.values)
        let text = try StoreRecord.text(
            of: metadata.plist(adopting: change.newMetadata, pendingWork: false))
        let texts = statements.stored.new
        try sql { () throws(ServerError) in
            try ServerMigrationHistory(moves: statements.moves, history: HistoryTexts(schema))
                .run(connection)
            let model = Parameters()
            try model.append(change.newModelCache)
            try model.append(texts: texts.tableNames)
            _ = try connection.executePipeline([
                PipelinedStatement("DELETE FROM \(schemaName).\(SystemTables.entities)"),
                try StoreOpening.entities(texts),
                try StoreRecord.update(text, schemaName),
                PipelinedStatement(
                    "UPDATE \(schemaName).\(SystemTables.store) SET model = $1, tables = $2",
                    model),
            ])
        }
        try change.afterStep?("metadata")
    }

    // MARK: Failures

    private func sql<T>(_ body: () throws(ServerError) -> T) throws(CoreDataError) -> T {
        do throws(ServerError) { return try body() } catch { throw failure(error) }
    }

    private func failure(_ error: ServerError) -> CoreDataError {
        guard error.isUniqueViolation else { return CoreDataError(error, options.address) }
        return CoreDataError(
            .migrationConstraintViolation,
            "The store's rows break a uniqueness constraint of the new model (\(error.message)). "
                + "Remove the duplicates with the old model first.",
            info: ["reason": error.message, "NSFilePath": options.address.description])
    }
}
