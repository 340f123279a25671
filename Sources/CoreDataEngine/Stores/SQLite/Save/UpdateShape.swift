import CoreDataModel
import CoreDataSQLite

/// The statement that writes certain slots of an entity's row and checks its version.
struct UpdateShape {
    let sql: String
    private let hasEntityColumn: [Bool]

    init(_ group: SavePlan.Update) {
        let slots = group.slots.map { group.entity.values[$0] }
        hasEntityColumn = slots.map { $0.toOne?.entityColumn != nil }
        let columns = slots.flatMap { [$0.column, $0.toOne?.entityColumn].compactMap { $0 } }
        let assignments = columns.map { "\($0) = ?, " }.joined()
        sql =
            "UPDATE \(group.entity.tableName) SET \(assignments)Z_OPT = ?  "
            + "WHERE Z_PK = ? AND Z_OPT = ?"
    }

    func bind(
        _ values: ArraySlice<Value>, key: Int64, version: Int32, to statement: Statement,
        texts: inout TextArena, numbers: EntityNumbers
    ) {
        values.withUnsafeBufferPointer { texts.reset(for: $0) }
        var index = 1
        for (value, hasEntityColumn) in zip(values, hasEntityColumn) {
            statement.bind(index, value: value, texts: &texts)
            index += 1
            guard hasEntityColumn else { continue }
            statement.bind(index, entityOf: value, numbers: numbers)
            index += 1
        }
        statement.bind(index, integer: Int64(version == .max ? 1 : version + 1))
        statement.bind(index + 1, integer: key)
        statement.bind(index + 2, integer: Int64(version))
    }
}
