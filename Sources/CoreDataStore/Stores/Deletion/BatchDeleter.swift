import CoreDataModel
import CoreDataSQL

/// Deletes the rows of a batch and applies their delete rules, in its caller's transaction.
///
/// Cascade rules delete further rows. Optional inverses are set to NULL, and pairs are removed from
/// join tables. If a remaining row requires a deleted row, the batch fails. Deny rules and minimum
/// counts are not checked.
package struct BatchDeleter<Source: BatchDeletionSource> {
    private let source: Source
    private var seen: Set<ObjectKey> = []
    private var required: RequiredInverses<Source>

    package init(_ source: Source) {
        self.source = source
        required = RequiredInverses(source)
    }

    private var layout: ModelLayout { source.schema.layout }
    private var names: RowNames { source.schema.names }

    package mutating func run(
        _ keys: ContiguousArray<ObjectKey>, _ history: inout HistoryRecord
    ) throws(Source.Failure) {
        var waiting = keys.filter { seen.insert($0).inserted }
        while !waiting.isEmpty {
            let groups = Dictionary(grouping: waiting, by: \.entity).sorted { $0.key < $1.key }
            waiting = []
            for (entity, group) in groups {
                let entity = layout[Int(entity)]
                let numbers = ContiguousArray(group.map(\.key))
                for key in try cascade(from: numbers, entity) where seen.insert(key).inserted {
                    waiting.append(key)
                }
                try required.note(numbers, of: entity)
                try cutLinks(of: numbers, entity, &history)
                try source.keepTombstones(of: numbers, entity, in: &history)
                try source.execute(
                    "DELETE FROM \(entity.tableName) WHERE \(source.isAmong(names.key))", numbers)
                history.deleted(group)
            }
        }
        try required.check()
    }

    // MARK: Cascades

    private func cascade(
        from keys: ContiguousArray<Int64>, _ entity: EntityLayout
    ) throws(Source.Failure) -> [ObjectKey] {
        var found: [ObjectKey] = []
        for slot in entity.values {
            guard let toOne = slot.toOne, toOne.deleteBehavior == .cascade,
                let column = slot.column
            else { continue }
            found += try source.rows(
                of: layout[toOne.destinationIndex],
                where: "t0.\(names.key) IN (SELECT \(column) FROM \(entity.tableName) "
                    + "WHERE \(source.isAmong(names.key)))", keys)
        }
        for slot in entity.toMany where slot.deleteBehavior == .cascade {
            let destination = layout[slot.destinationIndex]
            switch slot.storage {
            case .foreignKey(let column, _, _):
                found += try source.rows(
                    of: destination, where: source.isAmong("t0.\(column)"), keys)
            case .joinTable(let table, let owner, let member, _, _):
                found += try source.rows(
                    of: destination,
                    where: "t0.\(names.key) IN (SELECT \(member) FROM \(table) "
                        + "WHERE \(source.isAmong(owner)))", keys)
            case .none: break
            }
        }
        return found
    }

    // MARK: Inverses

    private func cutLinks(
        of keys: ContiguousArray<Int64>, _ entity: EntityLayout, _ history: inout HistoryRecord
    ) throws(Source.Failure) {
        for slot in entity.values {
            guard let toOne = slot.toOne, toOne.deleteBehavior.letsGo,
                case .value(let inverse) = toOne.inverse
            else { continue }
            try clear(inverse, of: layout[toOne.destinationIndex], keys, &history)
        }
        for (index, slot) in entity.toMany.enumerated() {
            switch slot.storage {
            case .joinTable(let table, let owner, let member, _, _):
                // If the relationship is its own inverse, deleted rows may be in both columns of
                // the join table.
                for column in layout.isReflexive(index, of: entity) ? [owner, member] : [owner] {
                    try source.execute(
                        "DELETE FROM \(table) WHERE \(source.isAmong(column))", keys)
                }
            case .foreignKey:
                guard slot.deleteBehavior.letsGo, case .value(let inverse) = slot.inverse
                else { continue }
                try clear(inverse, of: layout[slot.destinationIndex], keys, &history)
            case .none: break
            }
        }
    }

    /// Writes NULL to an optional to-one relationship wherever it refers to a deleted row.
    private func clear(
        _ slot: Int, of entity: EntityLayout, _ keys: ContiguousArray<Int64>,
        _ history: inout HistoryRecord
    ) throws(Source.Failure) {
        let value = entity.values[slot]
        guard value.isOptional, let column = value.column else { return }
        let cleared = [column, value.toOne?.entityColumn].compactMap { $0 }
            .map { "\($0) = NULL, " }.joined()
        let found = try source.keys(
            of: entity,
            "UPDATE \(entity.tableName) SET \(cleared)\(names.version) = (\(names.version) + 1) "
                + "WHERE \(source.isAmong(column)) "
                + "RETURNING \(entity.hasSubentities ? names.entity : "0"), \(names.key)", keys)
        history.updated(found, slots: [slot])
    }
}
