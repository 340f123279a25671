/// The values of a row at one version.
package struct RecordedSnapshot: Sendable {
    package let version: Int
    /// The known values. A value is missing if the log had no room for it.
    package let values: [String: RecordedValue]

    package init(version: Int, _ values: [String: RecordedValue]) {
        self.version = version
        self.values = values
    }
}

/// The change of one object by a save.
package struct RecordedRow: Sendable {
    /// The reason why the object is part of the save.
    package enum Role: Sendable {
        case insert, update, delete
        /// The merge policy has added the object to the save.
        case resolved
    }

    package let object: RecordedObject
    package var role: Role
    /// The row from which the context started; nil for an inserted object.
    package var base: RecordedSnapshot?
    /// The row in the target immediately before the save; nil if it did not exist.
    package var stored: RecordedSnapshot?
    /// The values that the context had set before the save; all values for an inserted object.
    package var wanted: [String: RecordedValue] = [:]
    /// The properties that the program had set.
    package var named: Set<String> = []
    /// The properties that a custom merge policy has set.
    package var decided: Set<String> = []
    /// The row that the save has written; nil for a deleted row, or if nothing was written.
    package var after: RecordedSnapshot?
    /// Whether the save has written or deleted the row. A merge policy can drop a change.
    package var isWritten: Bool

    package init(
        _ object: RecordedObject, _ role: Role = .update, base: RecordedSnapshot? = nil,
        stored: RecordedSnapshot? = nil, after: RecordedSnapshot? = nil, isWritten: Bool = true
    ) {
        self.object = object
        self.role = role
        self.base = base
        self.stored = stored
        self.after = after
        self.isWritten = isWritten
    }

    /// All rows and values of the change.
    var allValues: [[String: RecordedValue]] {
        [base?.values, stored?.values, wanted, after?.values].compactMap(\.self)
    }
}

/// The objects of a failed save.
package struct RecordedFailure: Sendable {
    /// The objects that the error mentions.
    package let culprits: [RecordedObject]
    /// The objects with unsaved changes.
    package let pending: [RecordedObject]

    package init(culprits: [RecordedObject], pending: [RecordedObject]) {
        self.culprits = culprits
        self.pending = pending
    }
}

/// The objects of a merged notification.
package struct RecordedKeys: Sendable, Hashable {
    package let inserted: [RecordedObject]
    package let updated: [RecordedObject]
    package let deleted: [RecordedObject]

    package init(
        inserted: [RecordedObject], updated: [RecordedObject], deleted: [RecordedObject]
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}
