import ContextHistory

/// Converts the saves of a run.
extension RunHistory {
    /// The rows, with all properties that the program has set on new objects. The log of the save
    /// lacks properties that were set to their defaults, so the recorded changes are added. If some
    /// changes are missing in the run, every property may have been set.
    func named(_ rows: [RecordedRow], _ context: Int) -> [RecordedRow] {
        rows.map { row in
            guard row.role == .insert else { return row }
            var row = row
            if let set = inserted[context]?[row.object], !skipping.contains(context) {
                row.named.formUnion(set)
            } else {
                row.named.formUnion(layout.keys(of: row.object.entity))
            }
            return row
        }
    }

    // MARK: Into a store

    /// The changes of a save into a store.
    mutating func write(_ all: [RecordedRow]) -> [Save.Change] {
        let rows = all.map(settled)
        let changes = rows.filter { $0.role != .resolved }.compactMap { change($0, in: rows) }
        for row in rows where row.isWritten { committed[row.object] = .some(row.after) }
        return changes
    }

    /// The row with the values that the store had. If a deleted row is brought back, its versions
    /// begin again. A context that still has the deleted row may then save without a conflict, and
    /// writes only the values that it had set.
    private func settled(_ row: RecordedRow) -> RecordedRow {
        // If rows are missing, the last known row may be older than the context's row.
        guard row.role == .update, gaps.rows == 0, run.forgotten == 0,
            let known = committed[row.object] ?? nil,
            let stored = row.stored, let after = row.after, known.version == stored.version,
            known.values != stored.values
        else { return row }
        var row = row
        row.stored = known
        row.after = RecordedSnapshot(
            version: after.version, known.values.merging(row.wanted) { $1 })
        return row
    }

    /// The change of one row; nil if the row before the save is not known.
    private func change(_ row: RecordedRow, in rows: [RecordedRow]) -> Save.Change? {
        switch row.role {
        case .insert: return insertion(row, in: rows)
        case .update: return update(row)
        case .delete:
            // A context also deletes rows whose deletion it has merged.
            var isGone = false
            if case .some(nil) = committed[row.object] { isGone = true }
            let before = isGone ? nil : row.stored
            return made(row, before: before, after: row.isWritten ? nil : before)
        case .resolved: return nil
        }
    }

    /// The insertion of an object. A constraint may have merged the object into an existing row.
    private func insertion(_ row: RecordedRow, in rows: [RecordedRow]) -> Save.Change? {
        let existing = rows.first { other in
            other.role == .resolved && other.object != row.object && isDouble(row, other)
        }
        guard let existing else {
            return row.isWritten ? made(row, before: nil, after: row.after) : nil
        }
        if row.isWritten { return made(row, before: existing.stored, after: row.after) }
        return made(
            row, as: existing.object, before: existing.stored,
            after: existing.isWritten ? existing.after : existing.stored)
    }

    /// Whether a new object has the values of a row that a constraint requires to be unique.
    private func isDouble(_ row: RecordedRow, _ other: RecordedRow) -> Bool {
        guard let stored = other.stored else { return false }
        let constraints = names.line(of: row.object.entity).flatMap(\.unique)
        return constraints.contains { constraint in
            constraint.allSatisfy { key in
                guard let wanted = row.wanted[key], wanted != .null else { return false }
                if case .lost = wanted { return false }
                return stored.values[key] == wanted
            }
        }
    }

    private func update(_ row: RecordedRow) -> Save.Change? {
        guard let base = row.base else { return nil }
        if let after = row.after, after.version != row.stored?.version {
            return made(row, before: row.stored, after: after)
        }
        // The save has not written the row. So the store still has the row with which the save
        // conflicted, or the row that another save has left.
        if row.stored?.version != base.version {
            return made(row, before: row.stored, after: row.stored)
        }
        if let known = committed[row.object], known.map({ $0.version >= base.version }) ?? true {
            return made(row, before: known, after: known)
        }
        // A save also reports objects whose values equal those of their rows. If values differ, the
        // reason is not known.
        let change = made(row, before: base, after: base)
        return row.after != nil && change.wanted.isEmpty ? change : nil
    }

    // MARK: Into a parent

    /// The changes of a save into a parent. The parent's row has the values that the parent and its
    /// children have set, as far as they are known. The other values are those from which the child
    /// started.
    mutating func push(_ rows: [RecordedRow], into parent: Int) -> [Save.Change] {
        var changes: [Save.Change] = []
        for row in rows {
            let known = held[parent]?[row.object] ?? [:]
            let before = row.base.map { base in
                RecordedSnapshot(
                    version: base.version, base.values.merging(known) { _, newer in newer })
            }
            let after = RecordedSnapshot(
                version: before?.version ?? 0,
                (before?.values ?? row.after?.values ?? [:]).merging(row.wanted) { $1 })
            changes.append(made(row, before: before, after: row.role == .delete ? nil : after))
            held[parent, default: [:]][row.object, default: [:]].merge(row.wanted) { $1 }
        }
        return changes
    }

    // MARK: Changes

    private func made(
        _ row: RecordedRow, as object: RecordedObject? = nil, before: RecordedSnapshot?,
        after: RecordedSnapshot?
    ) -> Save.Change {
        let object = object ?? row.object
        let keys = layout.keys(of: object.entity)
        let base = row.base.map { self.row($0, of: object) }
        return Save.Change(
            object: name(object), base: base, before: before.map { self.row($0, of: object) },
            wanted: keys.enumerated().compactMap { slot, key in
                guard let value = row.wanted[key].map({ observed($0, key, of: object) }),
                    !isSame(value, base?.values[slot])
                else { return nil }
                return (slot, value)
            },
            named: keys.indices.filter { row.named.contains(keys[$0]) },
            decided: Set(keys.indices.filter { row.decided.contains(keys[$0]) }),
            after: after.map { self.row($0, of: object) }, isDelete: row.role == .delete
        ).known
    }

    /// Whether setting a value changes nothing for the program. For example, an accessor of type
    /// `Int` reads nil as 0, so setting 0 is then not a change.
    private func isSame(_ value: ObservedValue, _ base: ObservedValue?) -> Bool {
        if value == base { return true }
        guard base == .null else { return false }
        return [.flag(false), .integer(0), .number(0)].contains(value)
    }
}
