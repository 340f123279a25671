import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Binds the values of new rows of one entity to the parameters of an INSERT statement for one row
/// or for a group of rows.
struct InsertColumns: Sendable {
    /// The number of rows in one statement. In measurements, 20 rows were not faster.
    static let rowsPerGroup = 16

    private let slots: ContiguousArray<StoredSlot>
    private let columnCount: Int

    package init(entity: EntityLayout) {
        slots = ContiguousArray(
            entity.values.enumerated().compactMap { slot, value in
                guard value.column != nil else { return nil }
                return StoredSlot(
                    slot: slot, kind: value.kind, hasEntityColumn: value.toOne?.entityColumn != nil)
            })
        columnCount = 3 + slots.reduce(0) { $0 + ($1.hasEntityColumn ? 2 : 1) }
    }

    /// Binds one row. SQLite reads strings and bytes directly from the row's block.
    ///
    /// - Parameters:
    ///   - place: the row's position in the statement, from 0.
    ///   - cells: the row, which must stay valid until the statement has run.
    ///   - isRepeated: whether a row was just bound at this position. Its entity number and version
    /// are the same, so they stay bound.
    package func bind(
        place: Int, cells: UnsafeRawPointer, number: Int64, isRepeated: Bool = false,
        to statement: Statement, numbers: EntityNumbers
    ) {
        var index = place * columnCount + 1
        statement.bind(index, integer: RowFormat.key(cells))
        if !isRepeated || statement.recordsBindings {
            statement.bind(index + 1, integer: number)
            statement.bind(index + 2, integer: 1)
        }
        index += 3
        slots.withUnsafeBufferPointer { slots in
            for stored in slots {
                statement.bind(index, cells, stored.slot, stored.kind)
                index += 1
                guard stored.hasEntityColumn else { continue }
                statement.bind(index, entityOf: cells, stored.slot, numbers: numbers)
                index += 1
            }
        }
        assert(index == (place + 1) * columnCount + 1, "a column of the row has no value")
    }

    private struct StoredSlot: Sendable {
        let slot: Int
        let kind: ValueKind
        let hasEntityColumn: Bool
    }
}

extension Statement {
    @inline(__always)
    fileprivate func bind(_ index: Int, _ cells: UnsafeRawPointer, _ slot: Int, _ kind: ValueKind) {
        if RowFormat.isNull(cells, slot: slot) { return bind(index) }
        switch kind {
        case .integer16, .integer32, .integer64, .boolean:
            bind(index, integer: Int64(bitPattern: RowFormat.word(cells, slot: slot)))
        case .double, .float, .date:
            bind(index, double: Double(bitPattern: RowFormat.word(cells, slot: slot)))
        case .string, .uri: bind(index, lastingText: RowFormat.bytes(cells, slot: slot))
        case .uuid, .binary: bind(index, lastingBlob: RowFormat.bytes(cells, slot: slot))
        case .decimal: bind(index, value: RowFormat.value(cells, slot: slot, kind: kind))
        case .toOne: bind(index, integer: ObjectKey(packed: RowFormat.word(cells, slot: slot)).key)
        }
    }

    /// Binds the entity number (`Z_ENT`) of a to-one relationship's destination.
    fileprivate func bind(
        _ index: Int, entityOf cells: UnsafeRawPointer, _ slot: Int, numbers: EntityNumbers
    ) {
        if RowFormat.isNull(cells, slot: slot) { return bind(index) }
        let key = ObjectKey(packed: RowFormat.word(cells, slot: slot))
        bind(index, integer: numbers.number(of: Int(key.entity)))
    }
}

struct InsertStatements: Sendable {
    package let columns: InsertColumns
    package let one: NumberedStatement
    package let group: NumberedStatement
}
