import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import Foundation

/// The UPDATE statement that sets certain slots of an entity's row if the row has the expected
/// version.
struct UpdateShape {
    package let sql: String
    package let entity: Int
    private let table: String
    private let slots: [ValueSlot]
    private let hasEntityColumn: ContiguousArray<Bool>

    package init(_ group: SavePlan.Update) {
        entity = group.entity.index
        table = group.entity.tableName
        slots = group.slots.map { group.entity.values[$0] }
        hasEntityColumn = ContiguousArray(slots.map { $0.toOne?.entityColumn != nil })
        sql = Self.statement(table, slots, where: "Z_PK = ? AND Z_OPT = ?") { _ in "?" }
    }

    /// - Parameter value: returns the SQL expression for a value, for the index of its column among
    ///   the columns that the statement sets.
    private static func statement(
        _ table: String, _ slots: [ValueSlot], where condition: String, value: (Int) -> String
    ) -> String {
        var place = 0
        var assignments = ""
        func assign(_ column: String, _ expression: (String) -> String) {
            assignments += "\(column) = \(expression(value(place))), "
            place += 1
        }
        for slot in slots {
            if let column = slot.column { assign(column, slot.writeExpression) }
            if let column = slot.toOne?.entityColumn { assign(column) { $0 } }
        }
        return "UPDATE \(table) SET \(assignments)Z_OPT = ?  WHERE \(condition)"
    }

    package func bind(
        _ group: SavePlan.Update, _ row: Int, to statement: Statement,
        texts: inout TextArena, numbers: EntityNumbers
    ) {
        let width = hasEntityColumn.count
        assert(width == group.slots.count, "the shape belongs to another group")
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
        assert(index + 2 == statement.parameterCount, "a parameter of the statement has no value")
        let version = group.versions[row]
        statement.bind(index, integer: Int64(version == .max ? 1 : version + 1))
        statement.bind(index + 1, integer: group.keys[row])
        statement.bind(index + 2, integer: Int64(version))
    }

    // MARK: Rows with consecutive keys

    /// The statement for the rows of a run, which all have the same version.
    var runSQL: String {
        Self.statement(table, slots, where: "Z_PK BETWEEN ? AND ? AND Z_OPT = ?") {
            "\(RowRun.function)(Z_PK, \($0))"
        }
    }

    /// Whether one statement may write many rows. False if a slot is binary. The bytes may be long,
    /// so those of each row should be released before the next row is bound.
    var writesRuns: Bool { !slots.contains { $0.kind == .binary } }

    /// Adds the values of some rows to the run. The arena keeps strings until the run has ended.
    func fill(
        _ run: RowRun, _ group: SavePlan.Update, _ rows: Range<Int>, texts: inout TextArena,
        numbers: EntityNumbers
    ) {
        let width = slots.count
        let columns = hasEntityColumn.reduce(0) { $0 + ($1 ? 2 : 1) }
        run.begin(firstKey: group.keys[rows.lowerBound], rows: rows.count, width: columns)
        group.values.withUnsafeBufferPointer { all in
            let values = UnsafeBufferPointer(
                rebasing: all[(rows.lowerBound * width)..<(rows.upperBound * width)])
            texts.reset(for: values, keepsData: true)
            var place = 0
            for value in values {
                run.add(value, texts: &texts)
                if hasEntityColumn[place] { run.add(entityOf: value, numbers: numbers) }
                place = place + 1 == width ? 0 : place + 1
            }
        }
        assert(run.isFull, "a column of the run has no value")
    }

    func bindRun(_ group: SavePlan.Update, _ rows: Range<Int>, to statement: Statement) {
        let version = group.versions[rows.lowerBound]
        statement.bind(1, integer: Int64(version == .max ? 1 : version + 1))
        statement.bind(2, integer: group.keys[rows.lowerBound])
        statement.bind(3, integer: group.keys[rows.upperBound - 1])
        statement.bind(4, integer: Int64(version))
    }
}

extension RowRun {
    fileprivate func add(_ value: Value, texts: inout TextArena) {
        switch value {
        case .null, .object: addNull()
        case .integer(let integer): add(integer: integer)
        case .double(let double): add(double: double)
        case .string(let string): add(lastingText: texts.keep(string))
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { add(lastingBlob: texts.keep($0)) }
        case .data(let data): data.withUnsafeBytes { add(lastingBlob: texts.keep($0)) }
        case .decimal(let decimal): add(double: NSDecimalNumber(decimal: decimal).doubleValue)
        case .reference(let key): add(integer: key.key)
        }
    }

    /// Adds the entity number (`Z_ENT`) of a to-one relationship's destination.
    fileprivate func add(entityOf value: Value, numbers: EntityNumbers) {
        guard case .reference(let key) = value else { return addNull() }
        add(integer: numbers.number(of: Int(key.entity)))
    }
}
