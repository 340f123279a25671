import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Converts a store's history to the entity numbers and the properties of a new model.
///
/// Changes of removed entities are deleted, because a new entity may get their number.
struct MigrationHistory {
    let moves: RowMoves
    let columns: Set<String>

    private var entities: [MigratedEntity] { MigratedEntity.all(in: moves) }

    /// Deletes changes of removed entities and renumbers the other changes. If the preserved values
    /// of an entity move to other columns, one more statement moves them.
    func statements() -> [String] {
        guard columns.contains("ZENTITY") else { return [] }
        return droppedRows() + renumbering() + tombstones()
    }

    private func droppedRows() -> [String] {
        let kept = Set(entities.map(\.oldNumber))
        let gone = moves.source.entities.map { moves.sourceNumbers.number(of: $0.index) }.filter {
            !kept.contains($0)
        }
        guard !gone.isEmpty else { return [] }
        let list = gone.map(String.init).joined(separator: ", ")
        return ["DELETE FROM ACHANGE WHERE ZENTITY IN (\(list))"]
    }

    private func renumbering() -> [String] {
        let moved = entities.filter { $0.oldNumber != $0.newNumber }
        guard !moved.isEmpty else { return [] }
        let cases = moved.map { "WHEN \($0.oldNumber) THEN \($0.newNumber)" }
        let old = moved.map { String($0.oldNumber) }
        return [
            "UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(cases.joined(separator: " ")) END "
                + "WHERE ZENTITY IN (\(old.joined(separator: ", ")))"
        ]
    }

    // MARK: Preserved values of deleted rows

    private func tombstones() -> [String] {
        var present = columns.filter { $0.hasPrefix("ZTOMBSTONE") }.count
        var result: [String] = []
        for entity in entities {
            guard var moves = entity.preservedMoves else { continue }
            let former = HistoryColumns(entity.old).preserved.count
            moves += Array(repeating: nil, count: max(0, former - moves.count))
            while present < moves.count {
                result.append("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(present)")
                present += 1
            }
            let values = moves.enumerated().map { place, origin in
                "ZTOMBSTONE\(place) = " + (origin.map { "ZTOMBSTONE\($0)" } ?? "NULL")
            }
            result.append(
                "UPDATE ACHANGE SET \(values.joined(separator: ", ")) WHERE ZENTITY = "
                    + "\(entity.newNumber) AND ZCHANGETYPE = \(HistoryChangeKind.delete.rawValue)")
        }
        return result
    }

    // MARK: Changed properties of updates

    /// Rewrites the bitmaps of changed properties in the order of the new model.
    ///
    /// Runs one SELECT for each entity whose properties changed, and one UPDATE for each row.
    func rewriteColumns(_ connection: Connection) throws(SQLiteError) {
        guard columns.contains("ZENTITY") else { return }
        for entity in entities {
            guard let conversion = entity.bitmapConversion else { continue }
            let changed = try rows(of: entity, conversion, connection)
            let update = try connection.statement("UPDATE ACHANGE SET ZCOLUMNS = ? WHERE Z_PK = ?")
            for (key, bits) in changed {
                bits.withUnsafeBytes { update.bind(1, blob: $0) }
                update.bind(2, integer: key)
                try update.run()
            }
        }
    }

    private func rows(
        of entity: MigratedEntity, _ conversion: (UnsafeRawBufferPointer) -> [UInt8],
        _ connection: Connection
    ) throws(SQLiteError) -> [(key: Int64, bits: [UInt8])] {
        let statement = try connection.statement(
            "SELECT Z_PK, ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ? AND ZCHANGETYPE = ?")
        defer { statement.finish() }
        statement.bind(1, integer: entity.newNumber)
        statement.bind(2, integer: Int64(HistoryChangeKind.update.rawValue))
        var result: [(key: Int64, bits: [UInt8])] = []
        while try statement.step() {
            result.append((statement.integer(0), conversion(statement.value(1).bytes)))
        }
        return result
    }
}
