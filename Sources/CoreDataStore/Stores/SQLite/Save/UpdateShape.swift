import CoreDataModel
import CoreDataSQLite

/// The statement that writes certain slots of an entity's row and checks its version.
struct UpdateShape {
    package let sql: String
    package let entity: Int
    private let hasEntityColumn: ContiguousArray<Bool>

    package init(_ group: SavePlan.Update) {
        entity = group.entity.index
        let slots = group.slots.map { group.entity.values[$0] }
        hasEntityColumn = ContiguousArray(slots.map { $0.toOne?.entityColumn != nil })
        let assignments = slots.map { slot in
            (slot.column.map { "\($0) = \(slot.writeExpression(of: "?")), " } ?? "")
                + (slot.toOne?.entityColumn.map { "\($0) = ?, " } ?? "")
        }.joined()
        sql =
            "UPDATE \(group.entity.tableName) SET \(assignments)Z_OPT = ?  "
            + "WHERE Z_PK = ? AND Z_OPT = ?"
    }

    /// Binds one row of the group that the shape was made of.
    package func bind(
        _ group: SavePlan.Update, _ row: Int, to statement: Statement,
        texts: inout TextArena, numbers: EntityNumbers
    ) {
        let width = hasEntityColumn.count
        assert(width == group.slots.count, "the shape is another group's")
        var index = 1
        group.values.withUnsafeBufferPointer { all in
            let values = UnsafeBufferPointer(rebasing: all[(row * width)..<((row + 1) * width)])
            texts.reset(for: values)
            for place in 0..<width {
                statement.bind(index, value: values[place], texts: &texts)
                index += 1
                guard hasEntityColumn[place] else { continue }
                statement.bind(index, entityOf: values[place], numbers: numbers)
                index += 1
            }
        }
        assert(index + 2 == statement.parameterCount, "every parameter has a value")
        let version = group.versions[row]
        statement.bind(index, integer: Int64(version == .max ? 1 : version + 1))
        statement.bind(index + 1, integer: group.keys[row])
        statement.bind(index + 2, integer: Int64(version))
    }
}
