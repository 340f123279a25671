import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import Foundation

/// Updates the parts of a store that are not rows of entities: entity numbers, primary keys,
/// history, metadata, and cached model. This is the last part of a migration's transaction.
struct MigrationSystemTables {
    package let migration: SchemaMigration
    let moves: RowMoves
    package let found: SchemaCheck.Found

    /// The statements for `Z_PRIMARYKEY`, and for the entities and preserved values in the history.
    package func statements(_ connection: Connection) throws(SQLiteError) -> [String] {
        let largest = try largestKeys(connection)
        var result = ["DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16000"]
        for entity in migration.change.destination.entities {
            let largest = entity.index == entity.rootIndex ? largestKey(entity, largest) : 0
            result.append(
                "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES"
                    + "(\(entity.index + 1), \(SQLLiteral.text(.string(entity.name))), "
                    + "\((entity.superIndex ?? -1) + 1), \(largest))")
        }
        return result + history.statements()
    }

    private func largestKeys(_ connection: Connection) throws(SQLiteError) -> [Int64: Int64] {
        let statement = try connection.statement("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
        defer { statement.finish() }
        var result: [Int64: Int64] = [:]
        while try statement.step() { result[statement.integer(0)] = statement.integer(1) }
        return result
    }

    /// The largest last key of the old tables whose rows move into the table of a root entity. New
    /// keys are larger, so no key is assigned twice.
    private func largestKey(_ root: EntityLayout, _ largest: [Int64: Int64]) -> Int64 {
        root.familyRange.compactMap { migration.change.mapping.entities[$0].source }.map { index in
            largest[moves.sourceNumbers.number(of: migration.change.source[index].rootIndex)] ?? 0
        }.max() ?? 0
    }

    private var history: MigrationHistory {
        MigrationHistory(moves: moves, columns: found.columns["ACHANGE"] ?? [])
    }

    /// Writes the metadata of the new model and the model itself, and updates the history.
    package func write(
        _ metadata: StoreMetadata, leavesWork: Bool, _ connection: Connection
    ) throws(CoreDataError) {
        let plist = metadata.plist(adopting: migration.change.newMetadata, pendingWork: leavesWork)
        let bytes = try StoreMetadata.encode(plist)
        try migration.sql { () throws(SQLiteError) in
            try history.rewriteColumns(connection)
            let row = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
            bytes.withUnsafeBytes { row.bind(1, blob: $0) }
            try row.run()
            try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
            try connection.execute("DELETE FROM Z_MODELCACHE")
            let content = try connection.statement("INSERT INTO Z_MODELCACHE(Z_CONTENT) VALUES(?)")
            migration.change.newModelCache.withUnsafeBytes { content.bind(1, blob: $0) }
            try content.run()
        }
    }
}

extension StoreMetadata {
    /// The metadata property list, in which the values that describe the model are replaced and the
    /// custom values are kept.
    package func plist(
        adopting new: [String: any Sendable], pendingWork: Bool
    ) -> [String: any Sendable] {
        var result = plist.filter {
            !$0.key.hasPrefix("NSStoreModelVersion") && $0.key != SchemaMigration.pendingKey
        }
        for (key, value) in new { result[key] = value }
        result[Self.makerKey] = Self.maker
        if pendingWork { result[SchemaMigration.pendingKey] = true }
        return result
    }
}
