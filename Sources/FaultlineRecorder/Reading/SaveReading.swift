import ScenarioWriting

/// Collects the log entries about the rows of one save.
struct SaveReading {
    private var rows: [RecordedObject: RecordedRow] = [:]
    private var order: [RecordedObject] = []
    /// The objects whose rows the store no longer had when the save found a conflict.
    private var missing: Set<RecordedObject> = []
    private var hasConflict = false

    /// The rows in the order of their first entries.
    var finished: [RecordedRow] { order.compactMap { rows[$0] } }

    mutating func noteConflict() { hasConflict = true }

    /// Adds the row on which a context bases its changes. After a conflict, a merge policy has
    /// replaced the row by the row of the store.
    mutating func noteBefore(_ object: RecordedObject, _ row: RecordedSnapshot, isDelete: Bool) {
        if rows[object] == nil {
            let role: RecordedRow.Role = hasConflict ? .resolved : isDelete ? .delete : .update
            add(RecordedRow(object, role, base: row, isWritten: false))
        }
        if !missing.contains(object) { rows[object]?.stored = row }
    }

    mutating func noteWanted(
        _ object: RecordedObject, _ values: [String: RecordedValue], named: Set<String>,
        isNew: Bool
    ) {
        if rows[object] == nil {
            add(RecordedRow(object, isNew ? .insert : .update, isWritten: false))
        }
        rows[object]?.wanted = values
        rows[object]?.named = named
    }

    /// Adds the row of the store with which the save conflicts; nil if the row was deleted.
    mutating func noteFound(_ object: RecordedObject, _ row: RecordedSnapshot?) {
        if rows[object] == nil {
            add(RecordedRow(object, .resolved, base: row, isWritten: false))
        }
        if row == nil { missing.insert(object) }
        rows[object]?.stored = row
    }

    mutating func noteDecided(_ object: RecordedObject, _ key: String) {
        rows[object]?.decided.insert(key)
    }

    /// Adds the row that the save has written; nil if the save has deleted the row.
    mutating func noteAfter(_ object: RecordedObject, _ row: RecordedSnapshot?) {
        if rows[object] == nil { add(RecordedRow(object, row == nil ? .delete : .update)) }
        rows[object]?.after = row
        rows[object]?.isWritten = true
    }

    private mutating func add(_ row: RecordedRow) {
        rows[row.object] = row
        order.append(row.object)
    }
}
