import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Converts a store's history to the entity numbers and the properties of a new model.
///
/// Changes of removed entities are deleted, because a new entity may get their number.
struct MigrationHistory {
    package let source: ModelLayout
    package let destination: ModelLayout
    package let mapping: SchemaMapping
    package let numbers: EntityNumbers
    package let columns: Set<String>

    /// An entity that exists in both models.
    private struct Pair {
        let old: EntityLayout
        let oldNumber: Int64
        let new: EntityLayout
        let map: SchemaMapping.Entity

        var newNumber: Int64 { Int64(new.index + 1) }

        func oldName(of name: String) -> String? {
            if let slot = new.valueSlot(named: name) {
                if case .value(let index) = map.values[slot] { return old.values[index].name }
                if case .toMany(let index) = map.values[slot] { return old.toMany[index].name }
            } else if let slot = new.toManySlot(named: name) {
                if case .value(let index) = map.toMany[slot] { return old.values[index].name }
                if case .toMany(let index) = map.toMany[slot] { return old.toMany[index].name }
            }
            return nil
        }
    }

    private var pairs: [Pair] {
        mapping.entities.enumerated().compactMap { index, map in
            map.source.map { old in
                Pair(
                    old: source[old], oldNumber: numbers.number(of: old), new: destination[index],
                    map: map)
            }
        }
    }

    /// Deletes changes of removed entities and renumbers the other changes. If the preserved values
    /// of an entity move to other columns, one more statement moves them.
    package func statements() -> [String] {
        guard columns.contains("ZENTITY") else { return [] }
        return droppedRows() + renumbering() + tombstones()
    }

    private func droppedRows() -> [String] {
        let kept = Set(pairs.map(\.oldNumber))
        let gone = source.entities.map { numbers.number(of: $0.index) }.filter {
            !kept.contains($0)
        }
        guard !gone.isEmpty else { return [] }
        let list = gone.map(String.init).joined(separator: ", ")
        return ["DELETE FROM ACHANGE WHERE ZENTITY IN (\(list))"]
    }

    private func renumbering() -> [String] {
        let moved = pairs.filter { $0.oldNumber != $0.newNumber }
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
        for pair in pairs {
            guard let moves = tombstoneMoves(pair) else { continue }
            while present < moves.count {
                result.append("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(present)")
                present += 1
            }
            let values = moves.enumerated().map { place, origin in
                "ZTOMBSTONE\(place) = " + (origin.map { "ZTOMBSTONE\($0)" } ?? "NULL")
            }
            result.append(
                "UPDATE ACHANGE SET \(values.joined(separator: ", ")) WHERE ZENTITY = "
                    + "\(pair.newNumber) AND ZCHANGETYPE = \(HistoryChangeKind.delete.rawValue)")
        }
        return result
    }

    /// For each new position of a preserved value, its old position, or nil if it had none. If no
    /// position changes, the result itself is nil.
    private func tombstoneMoves(_ pair: Pair) -> [Int?]? {
        let old = HistoryColumns(pair.old).preserved.map { pair.old.values[$0].name }
        let new = HistoryColumns(pair.new).preserved.map { slot in
            pair.oldName(of: pair.new.values[slot].name).flatMap { old.firstIndex(of: $0) }
        }
        guard new != old.indices.map({ $0 }), !(new.isEmpty && old.isEmpty) else { return nil }
        return new + Array(repeating: nil, count: max(0, old.count - new.count))
    }

    // MARK: Changed properties of updates

    /// Rewrites the bitmaps of changed properties in the order of the new model.
    ///
    /// Runs one SELECT for each entity whose properties changed, and one UPDATE for each row.
    func rewriteColumns(_ connection: Connection) throws(SQLiteError) {
        guard columns.contains("ZENTITY") else { return }
        for pair in pairs {
            let (old, new) = (HistoryColumns(pair.old), HistoryColumns(pair.new))
            let origins = new.names.map { pair.oldName(of: $0) }
            guard origins != old.names.map({ $0 }) else { continue }
            let changed = try rows(of: pair, connection).map { key, names in
                let kept = zip(new.names, origins).filter { _, origin in
                    origin.map { names.contains($0) } ?? false
                }
                return (key, new.bits(of: kept.map { $0.0 }))
            }
            let update = try connection.statement("UPDATE ACHANGE SET ZCOLUMNS = ? WHERE Z_PK = ?")
            for (key, bits) in changed {
                bits.withUnsafeBytes { update.bind(1, blob: $0) }
                update.bind(2, integer: key)
                try update.run()
            }
        }
    }

    private func rows(
        of pair: Pair, _ connection: Connection
    ) throws(SQLiteError) -> [(key: Int64, names: [String])] {
        let statement = try connection.statement(
            "SELECT Z_PK, ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ? AND ZCHANGETYPE = ?")
        defer { statement.finish() }
        statement.bind(1, integer: pair.newNumber)
        statement.bind(2, integer: Int64(HistoryChangeKind.update.rawValue))
        let old = HistoryColumns(pair.old)
        var result: [(key: Int64, names: [String])] = []
        while try statement.step() {
            result.append((statement.integer(0), old.names(in: statement.value(1).bytes)))
        }
        return result
    }
}
