import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// All rows of the store as values, read after each save without contexts and without the row
/// cache. The difference between two mirrors is the effect of a save.
struct StoreMirror {
    private(set) var rows: [ObjectKey: Row] = [:]

    subscript(key: ObjectKey) -> Row? { rows[key] }

    /// Reads the store.
    ///
    /// - Parameter name: names the destination of a to-one value.
    static func read(
        _ store: StoreStage, layout: ModelLayout, name: (ObjectKey) -> String
    ) throws(CoreDataError) -> StoreMirror {
        var mirror = StoreMirror()
        try store.rows { reference in
            let cells = reference.cells
            let entity = layout[RowFormat.entity(cells)]
            let key = ObjectKey(entity: entity.index, key: RowFormat.key(cells))
            mirror.rows[key] = Row(cells: cells, entity: entity, name: name)
        }
        return mirror
    }

    func changes(since before: StoreMirror) -> [ObjectKey] {
        rows.keys.filter { rows[$0] != before[$0] } + before.rows.keys.filter { rows[$0] == nil }
    }

    /// The rows of an entity that have the same values as the given row in the constrained
    /// properties.
    func duplicates(of row: Row, entity: EntityLayout) -> [ObjectKey] {
        rows.filter { key, candidate in
            Int(key.entity) == entity.index
                && entity.uniquenessConstraints.contains { constraint in
                    constraint.slots.allSatisfy {
                        candidate.values[$0] == row.values[$0] && row.values[$0] != .null
                    }
                }
        }.keys.sorted { $0.key < $1.key }
    }
}

extension Row {
    init(cells: UnsafeRawPointer, entity: EntityLayout, name: (ObjectKey) -> String) {
        let values = entity.values.indices.map { slot in
            LiteralCoding.observed(
                RowFormat.value(cells, slot: slot, kind: entity.values[slot].kind),
                kind: entity.values[slot].kind, name: name)
        }
        self.init(version: Int(RowFormat.version(cells)), values: values)
    }

    init(current object: NSManagedObject, name: (ObjectKey) -> String) throws(CoreDataError) {
        var values: [ObservedValue] = []
        for (slot, property) in object.layout.values.enumerated() {
            values.append(
                LiteralCoding.observed(try object.value(at: slot), kind: property.kind, name: name))
        }
        self.init(
            version: object.cells.map { Int(RowFormat.version($0)) } ?? 0, values: values)
    }
}
