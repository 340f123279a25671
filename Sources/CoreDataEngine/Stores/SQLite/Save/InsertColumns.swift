import CoreDataModel
import CoreDataSQLite

/// The columns that a new row of an entity fills, and how values are bound to them.
///
/// Made once for each entity. Used by `SaveTransaction` for one row, and for a group of rows
/// that go into one statement, which is what makes inserting fast.
struct InsertColumns: Sendable {
    /// Where the gain levels off (measured: 20 rows are no better).
    static let rowsPerGroup = 16

    let entity: EntityLayout
    private let slots: ContiguousArray<StoredSlot>
    private let names: [String]

    init(entity: EntityLayout) {
        self.entity = entity
        slots = ContiguousArray(
            entity.values.enumerated().compactMap { slot, value in
                guard value.column != nil else { return nil }
                return StoredSlot(slot: slot, hasEntityColumn: value.toOne?.entityColumn != nil)
            })
        names =
            ["Z_PK", "Z_ENT", "Z_OPT"]
            + entity.values.flatMap { [$0.column, $0.toOne?.entityColumn].compactMap { $0 } }
    }

    func statement(rows: Int) -> String {
        let row = "(" + repeatElement("?", count: names.count).joined(separator: ", ") + ")"
        return "INSERT INTO \(entity.tableName)(\(names.joined(separator: ", "))) VALUES"
            + repeatElement(row, count: rows).joined(separator: ", ")
    }

    /// Binds one row.
    ///
    /// - Parameters:
    ///   - place: the row's place in the statement, from 0.
    ///   - values: one value for each value slot of the entity.
    func bind(
        place: Int, key: Int64, number: Int64, values: UnsafeBufferPointer<Value>,
        to statement: Statement, texts: inout TextArena, numbers: EntityNumbers
    ) {
        var index = place * names.count + 1
        statement.bind(index, integer: key)
        statement.bind(index + 1, integer: number)
        statement.bind(index + 2, integer: 1)
        index += 3
        slots.withUnsafeBufferPointer { slots in
            for stored in slots {
                statement.bind(index, value: values[stored.slot], texts: &texts)
                index += 1
                guard stored.hasEntityColumn else { continue }
                statement.bind(index, entityOf: values[stored.slot], numbers: numbers)
                index += 1
            }
        }
    }

    private struct StoredSlot: Sendable {
        let slot: Int
        let hasEntityColumn: Bool
    }
}

/// The two texts with which rows of an entity are inserted.
struct InsertStatements: Sendable {
    let columns: InsertColumns
    let one: NumberedStatement
    let group: NumberedStatement
}
