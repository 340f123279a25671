import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// The changes of one transaction. They are collected while the transaction writes, and the store
/// adds them to its history before the commit.
///
/// Used by saves and batch requests. Stays empty if the store tracks no history.
struct HistoryRecord {
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

    package init(origin: WriteOrigin, store: SQLiteStore) {
        self.origin = origin
        isOn = store.tracksHistory
        layout = store.layout
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

    /// Reads the values that are preserved after a deletion. Runs one SELECT for an entity with
    /// such values.
    mutating func keepTombstones(
        of keys: ContiguousArray<Int64>, _ entity: EntityLayout, _ store: SQLiteStore,
        _ connection: Connection
    ) throws(SQLiteError) {
        guard isOn else { return }
        let slots = HistoryColumns(entity).preserved
        guard !slots.isEmpty else { return }
        let columns = slots.compactMap { slot in
            entity.values[slot].column.map { entity.values[slot].readExpression(of: $0) }
        }
        let statement = try connection.statement(
            "SELECT Z_PK, \(columns.joined(separator: ", ")) FROM \(entity.tableName) "
                + "WHERE Z_PK IN (SELECT value FROM \(StoreFunctions.integerArray)(?))")
        defer { statement.finish() }
        try statement.bind([.array(keys)])
        while try statement.step() {
            let key = ObjectKey(entity: entity.index, key: statement.integer(0))
            tombstones[key] = slots.enumerated().map { offset, slot in
                ResultColumn(index: offset + 1, kind: entity.values[slot].kind)
                    .read(statement, store.numbers)
            }
        }
    }
}

/// The order of an entity's properties in the bitmaps of a history. The bitmaps contain all stored
/// properties, including inherited ones, sorted by name. The first property is the highest bit of
/// the first byte.
struct HistoryColumns {
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

    /// Converts the names of properties to a bitmap.
    package func bits(of names: some Sequence<String>) -> [UInt8] {
        var bits = none
        for name in names { set(name, &bits) }
        return bits
    }

    /// The names of the properties whose bits are set.
    package func names(in bits: UnsafeRawBufferPointer) -> [String] {
        names.enumerated().filter { index, _ in
            index / 8 < bits.count && bits[index / 8] & (0x80 >> UInt8(index % 8)) != 0
        }.map(\.element)
    }

    /// The slots of the attributes whose values are preserved after a deletion, sorted by name.
    /// Their order determines the numbers of the columns `ZTOMBSTONE0`, `ZTOMBSTONE1`, ….
    var preserved: [Int] {
        entity.values.indices.filter { entity.values[$0].isPreservedInHistory }.sorted {
            entity.values[$0].name.utf8.lexicographicallyPrecedes(entity.values[$1].name.utf8)
        }
    }
}
