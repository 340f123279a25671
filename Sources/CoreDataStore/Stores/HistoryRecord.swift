import CoreDataModel

/// The changes of one transaction, which are collected while it writes. The store adds them to its
/// history before the commit.
///
/// Stays empty if the store tracks no history.
package struct HistoryRecord {
    package struct Change {
        package var kind: HistoryChangeKind
        package var key: ObjectKey
        /// The bitmap of the changed properties, for an update.
        package var columns: [UInt8]
        package var tombstone: [Value]
    }

    package let origin: WriteOrigin
    package let isOn: Bool
    private let layout: ModelLayout
    package private(set) var changes: [Change] = []
    /// The preserved values of rows that are about to be deleted.
    private var tombstones: [ObjectKey: [Value]] = [:]
    private var updates: [ObjectKey: Int] = [:]

    /// - Parameter isOn: whether the store tracks its history.
    package init(origin: WriteOrigin, isOn: Bool, layout: ModelLayout) {
        self.origin = origin
        self.isOn = isOn
        self.layout = layout
    }

    package mutating func inserted(_ keys: some Sequence<ObjectKey>) {
        guard isOn else { return }
        for key in keys {
            changes.append(Change(kind: .insert, key: key, columns: [], tombstone: []))
        }
    }

    /// - Parameters:
    ///   - slots: the changed value slots.
    ///   - members: the changed to-many slots.
    package mutating func updated(
        _ keys: some Sequence<ObjectKey>, slots: [Int], members: [Int] = []
    ) {
        guard isOn else { return }
        for key in keys {
            let columns = HistoryColumns(layout[Int(key.entity)])
            if updates[key] == nil {
                updates[key] = changes.count
                changes.append(
                    Change(kind: .update, key: key, columns: columns.none, tombstone: []))
            }
            guard let index = updates[key] else { continue }
            for slot in slots { columns.set(valueSlot: slot, in: &changes[index].columns) }
            for slot in members { columns.set(toManySlot: slot, in: &changes[index].columns) }
        }
    }

    package mutating func deleted(_ keys: some Sequence<ObjectKey>) {
        guard isOn else { return }
        for key in keys {
            let kept = tombstones.removeValue(forKey: key) ?? []
            changes.append(Change(kind: .delete, key: key, columns: [], tombstone: kept))
        }
    }

    /// Adds the changes of a save.
    ///
    /// - Parameter computed: the rows whose derived values the store has computed, with the slots.
    package mutating func add(_ plan: SavePlan, computed: [(row: ObjectKey, slots: [Int])] = []) {
        func keys(_ keys: ContiguousArray<Int64>, _ entity: EntityLayout) -> [ObjectKey] {
            keys.map { ObjectKey(entity: entity.index, key: $0) }
        }
        for group in plan.inserts { inserted(keys(group.keys, group.entity)) }
        let new = Set(changes.map(\.key))
        assert(new.count == changes.count, "a row was inserted twice")
        for group in plan.updates { updated(keys(group.keys, group.entity), slots: group.slots) }
        for change in plan.memberships {
            let owner = ObjectKey(entity: change.entity.index, key: change.owner)
            if !new.contains(owner) { updated([owner], slots: [], members: [change.slot]) }
        }
        for (row, slots) in computed where !new.contains(row) { updated([row], slots: slots) }
        for group in plan.deletes { deleted(keys(group.keys, group.entity)) }
    }

    /// Keeps the preserved values of a row that is about to be deleted.
    package mutating func keep(_ values: [Value], of key: ObjectKey) { tombstones[key] = values }
}

/// The order of an entity's properties in the bitmaps of a history. The list contains all stored
/// properties, also inherited ones, sorted by name. The first property is the highest bit of the
/// first byte.
package struct HistoryColumns {
    private let entity: EntityLayout
    package let names: [String]

    package init(_ entity: EntityLayout) {
        self.entity = entity
        names =
            (entity.values.filter { !$0.isTransient }.map(\.name)
            + entity.toMany.filter { !$0.isTransient }.map(\.name))
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package var none: [UInt8] { Array(repeating: 0, count: (names.count + 7) / 8) }

    package func set(valueSlot slot: Int, in bits: inout [UInt8]) {
        set(entity.values[slot].name, &bits)
    }

    package func set(toManySlot slot: Int, in bits: inout [UInt8]) {
        set(entity.toMany[slot].name, &bits)
    }

    private func set(_ name: String, _ bits: inout [UInt8]) {
        guard let index = names.firstIndex(of: name) else { return }
        bits[index / 8] |= 0x80 >> UInt8(index % 8)
    }

    package func bits(of names: some Sequence<String>) -> [UInt8] {
        var bits = none
        for name in names { set(name, &bits) }
        return bits
    }

    package func names(in bits: UnsafeRawBufferPointer) -> [String] {
        names.enumerated().filter { index, _ in
            index / 8 < bits.count && bits[index / 8] & (0x80 >> UInt8(index % 8)) != 0
        }.map(\.element)
    }

    /// The slots of the attributes that are preserved after a deletion, sorted by name:
    /// `ZTOMBSTONE0` contains the first one.
    package var preserved: [Int] {
        entity.values.indices.filter { entity.values[$0].isPreservedInHistory }.sorted {
            entity.values[$0].name.utf8.lexicographicallyPrecedes(entity.values[$1].name.utf8)
        }
    }
}
