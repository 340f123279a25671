import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Deletes the rows of a batch and applies their delete rules, in its caller's transaction.
///
/// Cascade rules delete further rows, optional inverses are set to NULL, and pairs are removed from
/// join tables. If a remaining row requires a deleted row, the batch fails. Nothing else is
/// validated: neither deny rules nor minimum counts.
struct BatchDeleter {
    private typealias Failure = PostgreSQLStore.Failure
    private let store: PostgreSQLStore
    private let connection: Connection

    init(_ store: PostgreSQLStore, _ connection: Connection) {
        self.store = store
        self.connection = connection
    }

    private var key: String { store.schema.names.key }

    func run(
        _ keys: ContiguousArray<ObjectKey>, _ history: inout HistoryRecord
    ) throws(PostgreSQLStore.Failure) {
        var seen: Set<ObjectKey> = []
        var waiting = keys.filter { seen.insert($0).inserted }
        var required: [Requirement] = []
        while !waiting.isEmpty {
            let groups = Dictionary(grouping: waiting, by: \.entity).sorted { $0.key < $1.key }
            waiting = []
            for (entity, group) in groups {
                let layout = store.layout[Int(entity)]
                let numbers = ContiguousArray(group.map(\.key))
                for key in try cascade(from: numbers, layout) where seen.insert(key).inserted {
                    waiting.append(key)
                }
                required += try requirements(numbers, layout)
                try cutLinks(of: numbers, layout, &history)
                try keep(numbers, layout, &history)
                _ = try execute(
                    "DELETE FROM \(layout.tableName) WHERE \(key) = ANY($1)", numbers)
                history.deleted(group)
            }
        }
        try check(required)
    }

    private func keep(
        _ keys: ContiguousArray<Int64>, _ entity: EntityLayout, _ history: inout HistoryRecord
    ) throws(PostgreSQLStore.Failure) {
        guard let statement = store.keeping(keys, of: entity) else { return }
        let results = try PostgreSQLStore.failing { () throws(ServerError) in
            try connection.executePipeline([statement])
        }
        store.keep(results[0], of: entity, in: &history)
    }

    private func execute(
        _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(PostgreSQLStore.Failure) -> QueryResult {
        try PostgreSQLStore.failing { () throws(ServerError) in
            let parameters = Parameters()
            parameters.append(int8s: keys)
            return try connection.execute(sql, parameters)
        }
    }

    // MARK: Cascades

    private func cascade(
        from keys: ContiguousArray<Int64>, _ entity: EntityLayout
    ) throws(PostgreSQLStore.Failure) -> [ObjectKey] {
        var found: [ObjectKey] = []
        for slot in entity.values {
            guard let toOne = slot.toOne, toOne.deleteBehavior == .cascade,
                let column = slot.column
            else { continue }
            found += try destinations(
                toOne.destinationIndex,
                "t0.\(key) IN (SELECT \(column) FROM \(entity.tableName) WHERE \(key) = ANY($1))",
                keys)
        }
        for slot in entity.toMany where slot.deleteBehavior == .cascade {
            switch slot.storage {
            case .foreignKey(let column, _, _):
                found += try destinations(
                    slot.destinationIndex, "t0.\(column) = ANY($1)", keys)
            case .joinTable(let table, let owner, let member, _, _):
                found += try destinations(
                    slot.destinationIndex,
                    "t0.\(key) IN (SELECT \(member) FROM \(table) WHERE \(owner) = ANY($1))", keys)
            case .none: break
            }
        }
        return found
    }

    private func destinations(
        _ index: Int, _ condition: String, _ keys: ContiguousArray<Int64>
    ) throws(PostgreSQLStore.Failure) -> [ObjectKey] {
        let texts = store.texts[index]
        let result = try execute(
            "SELECT \(texts.keyList) FROM \(texts.reader.entity.tableName) t0 WHERE \(condition)"
                + " ORDER BY t0.\(key)", keys)
        return Array(texts.reader.keys(result))
    }

    // MARK: Inverses

    private func cutLinks(
        of keys: ContiguousArray<Int64>, _ entity: EntityLayout, _ history: inout HistoryRecord
    ) throws(PostgreSQLStore.Failure) {
        for slot in entity.values {
            guard let toOne = slot.toOne, toOne.deleteBehavior.letsGo,
                case .value(let inverse) = toOne.inverse
            else { continue }
            try clear(inverse, of: toOne.destinationIndex, keys, &history)
        }
        for (index, slot) in entity.toMany.enumerated() {
            switch slot.storage {
            case .joinTable(let table, let owner, let member, _, _):
                let isReflexive = store.layout.isReflexive(index, of: entity)
                _ = try execute(
                    "DELETE FROM \(table) WHERE \(owner) = ANY($1)"
                        + (isReflexive ? " OR \(member) = ANY($1)" : ""), keys)
            case .foreignKey:
                guard slot.deleteBehavior.letsGo, case .value(let inverse) = slot.inverse
                else { continue }
                try clear(inverse, of: slot.destinationIndex, keys, &history)
            case .none: break
            }
        }
    }

    /// Sets an optional to-one relationship to the deleted rows to NULL.
    private func clear(
        _ slot: Int, of index: Int, _ keys: ContiguousArray<Int64>, _ history: inout HistoryRecord
    ) throws(PostgreSQLStore.Failure) {
        let entity = store.layout[index]
        let value = entity.values[slot]
        guard value.isOptional, let column = value.column else { return }
        let names = store.schema.names
        let cleared = [column, value.toOne?.entityColumn].compactMap { $0 }
            .map { "\($0) = NULL, " }.joined()
        let result = try execute(
            "UPDATE \(entity.tableName) SET \(cleared)\(names.version) = \(names.version) + 1"
                + " WHERE \(column) = ANY($1)"
                + " RETURNING \(entity.hasSubentities ? names.entity : "0"), \(names.key)", keys)
        history.updated(store.texts[index].reader.keys(result), slots: [slot])
    }
}

// MARK: Required rows

extension BatchDeleter {
    /// A search for a row whose existence makes the deletion invalid. The search runs after all
    /// rows are deleted, because a row of the same batch may refer to a deleted row.
    private struct Requirement {
        /// The relationship of the deleted rows, such as `Author/books`.
        let relationship: String
        /// Core Data's abbreviation of the relationship's kind: `OTO`, `OTM` or `MTM`.
        let kind: String
        let table: String
        let column: String
        let keys: ContiguousArray<Int64>
    }

    /// The rows that require the rows to delete.
    private func requirements(
        _ keys: ContiguousArray<Int64>, _ entity: EntityLayout
    ) throws(PostgreSQLStore.Failure) -> [Requirement] {
        var found: [Requirement] = []
        for slot in entity.values {
            guard let toOne = slot.toOne, let column = slot.column, toOne.deleteBehavior.letsGo
            else { continue }
            let name = "\(entity.name)/\(slot.name)"
            let destination = store.layout[toOne.destinationIndex]
            found += toOneRequirement(toOne.inverse, destination, name, "OTO", keys)
            guard requiresMembers(toOne.inverse, destination) else { continue }
            found += requirement(
                try integers(
                    "SELECT DISTINCT \(column) FROM \(entity.tableName)"
                        + " WHERE \(key) = ANY($1) AND \(column) IS NOT NULL", keys),
                destination, name, "OTO")
        }
        for slot in entity.toMany where slot.deleteBehavior.letsGo {
            let name = "\(entity.name)/\(slot.name)"
            let destination = store.layout[slot.destinationIndex]
            found += toOneRequirement(slot.inverse, destination, name, "OTM", keys)
            guard requiresMembers(slot.inverse, destination),
                case .joinTable(let table, let owner, let member, _, _) = slot.storage
            else { continue }
            found += requirement(
                try integers(
                    "SELECT DISTINCT \(member) FROM \(table) WHERE \(owner) = ANY($1)", keys),
                destination, name, "MTM")
        }
        return found
    }

    private func toOneRequirement(
        _ inverse: InverseSlot, _ destination: EntityLayout, _ name: String, _ kind: String,
        _ keys: ContiguousArray<Int64>
    ) -> [Requirement] {
        guard case .value(let index) = inverse, !destination.values[index].isOptional,
            let column = destination.values[index].column
        else { return [] }
        return [
            Requirement(
                relationship: name, kind: kind, table: destination.tableName, column: column,
                keys: keys)
        ]
    }

    private func requiresMembers(_ inverse: InverseSlot, _ destination: EntityLayout) -> Bool {
        guard case .toMany(let index) = inverse else { return false }
        return !destination.toMany[index].isOptional
    }

    private func requirement(
        _ owners: ContiguousArray<Int64>, _ destination: EntityLayout, _ name: String,
        _ kind: String
    ) -> [Requirement] {
        owners.isEmpty
            ? []
            : [
                Requirement(
                    relationship: name, kind: kind, table: destination.tableName, column: key,
                    keys: owners)
            ]
    }

    private func integers(
        _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(PostgreSQLStore.Failure) -> ContiguousArray<Int64> {
        let result = try execute(sql, keys)
        return ContiguousArray((0..<result.rowCount).map { result[$0, 0].integer })
    }

    private func check(_ required: [Requirement]) throws(PostgreSQLStore.Failure) {
        for check in required {
            let found = try integers(
                "SELECT \(key) FROM \(check.table) WHERE \(check.column) = ANY($1) LIMIT 1",
                check.keys)
            guard !found.isEmpty else { continue }
            throw .refused(
                CoreDataError(
                    .saveConflicts,
                    "Constraint trigger violation: Batch delete failed due to mandatory"
                        + " \(check.kind) nullify inverse on \(check.relationship). Nothing was"
                        + " deleted; delete the rows at the other end first, or make the inverse"
                        + " optional"))
        }
    }
}
