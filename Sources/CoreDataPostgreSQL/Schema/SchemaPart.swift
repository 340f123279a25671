import CoreDataSQL

/// An index, a unique constraint or a view of a store.
struct SchemaPart: Hashable {
    /// The table of an index or a constraint.
    let table: String
    let creation: String
    let removal: String
}

/// A foreign key of a store.
struct ForeignKey {
    let table: String
    let column: String
    /// The table of the rows to which the column refers.
    let destination: String
    let rule: String
    /// Whether a reference to a missing row is cleared. Otherwise the row is deleted.
    let isCleared: Bool

    var creation: String {
        "ALTER TABLE \(table) ADD FOREIGN KEY (\(column)) REFERENCES \(destination) \(rule)"
    }

    /// The statement that removes references to missing rows, before the key is created.
    var repair: String {
        let isDangling =
            "\(column) IS NOT NULL AND NOT EXISTS (SELECT FROM \(destination) d"
            + " WHERE d.\(ServerNames.rows.key) = t.\(column))"
        return isCleared
            ? "UPDATE \(table) t SET \(column) = NULL WHERE \(isDangling)"
            : "DELETE FROM \(table) t WHERE \(isDangling)"
    }
}
