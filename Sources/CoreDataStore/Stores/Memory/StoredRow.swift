import CoreDataModel

/// One row as it is written to a file, with values that can be read again. Other values are
/// rejected.
///
/// A reference to a missing object is left out. Deleting an object leaves such references if a
/// relationship has no inverse.
struct StoredRow {
    package let values: [Value]
    package let members: [[ObjectKey]]

    /// - Throws: 134030 for a value that a file cannot contain.
    package init(
        _ row: MemoryContent.Row, _ key: Int64, _ content: MemoryContent
    ) throws(CoreDataError) {
        let entity = content.layout[row.entity]
        guard StoredValue.keys.contains(key) else {
            throw CoreDataError(
                .storeSave,
                "\(entity.name) \(key) cannot be written: the largest id that a file can contain is"
                    + " \(StoredValue.keys.upperBound). Use NSSQLiteStoreType.")
        }
        var values: [Value] = []
        for (value, slot) in zip(row.values, entity.values) {
            let stored = Self.stored(value, slot.kind, content)
            if let problem = StoredValue.problem(stored, slot.kind) {
                throw CoreDataError(
                    .storeSave,
                    "The value of '\(slot.name)' of \(entity.name) \(key) \(problem), so a file"
                        + " cannot contain it; set another value and save again.")
            }
            values.append(stored)
        }
        self.values = values
        let owner = ObjectKey(entity: row.entity, key: key)
        members = row.members.indices.map { slot in
            let members = content.members(of: owner, slot: slot)
            guard members.count > 1 else { return members }
            var known: Set<Int64> = []
            return members.filter { known.insert($0.key).inserted }
        }
    }

    private static func stored(
        _ value: Value, _ kind: ValueKind, _ content: MemoryContent
    ) -> Value {
        switch value {
        case .reference(let key):
            content.row(key).map { .reference(ObjectKey(entity: $0.entity, key: key.key)) } ?? .null
        // Any number other than 0 is true.
        case .integer(let integer) where kind == .boolean: .integer(integer == 0 ? 0 : 1)
        default: value
        }
    }
}
