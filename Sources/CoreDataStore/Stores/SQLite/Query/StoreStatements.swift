import CoreDataModel
import CoreDataSQLite

/// The statements that a store runs repeatedly.
///
/// Each has a number under which a connection keeps its compiled form, so that firing a fault
/// neither creates nor hashes a text. The text is created only when a connection first compiles the
/// statement, because a program that reads a few rows needs few of the statements.
final class StoreStatements: Sendable {
    private let entities: ContiguousArray<EntityStatements>

    package init(layout: ModelLayout, numbers: EntityNumbers) {
        var number = 0
        entities = ContiguousArray(
            layout.entities.map { entity in
                let made = EntityStatements(
                    entity: entity, layout: layout, numbers: numbers, firstNumber: number)
                number += made.count
                return made
            })
    }

    package subscript(entity: EntityLayout) -> EntityStatements { entities[entity.index] }

    package subscript(index: Int) -> EntityStatements { entities[index] }

    /// Lends the statements of an entity without changing the reference count, for which all
    /// threads would contend.
    @inline(__always)
    package func lend<T>(
        _ index: Int, _ body: (EntityStatements) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try Unmanaged.passUnretained(entities[index]).lend(body)
    }
}

/// The number of a statement's compiled form, and its text.
struct NumberedStatement: Sendable {
    package let number: Int
    private let makeText: @Sendable () -> String

    init(number: Int, _ makeText: @escaping @Sendable () -> String) {
        self.number = number
        self.makeText = makeText
    }

    /// The text, created at each call; use it only if a compiled form is missing.
    package var sql: String { makeText() }
}

/// The fixed statements of one entity.
final class EntityStatements: Sendable {
    package let entity: EntityLayout
    package let reader: StatementRowPacker
    /// The columns of a SELECT of keys: `Z_ENT` (or `0` if the entity has no subentities) and
    /// `Z_PK`.
    let keyList: String
    package let row: NumberedStatement
    package let rows: NumberedStatement
    package let insert: InsertStatements
    package let delete: NumberedStatement
    /// Deletes rows with consecutive keys and one version.
    let deleteRun: NumberedStatement
    package let version: NumberedStatement
    package let toMany: ContiguousArray<ToManyStatements?>
    /// How many statement numbers belong to this entity.
    package let count: Int

    package init(
        entity: EntityLayout, layout: ModelLayout, numbers: EntityNumbers, firstNumber: Int
    ) {
        var next = firstNumber
        func numbered(_ sql: @autoclosure @escaping @Sendable () -> String) -> NumberedStatement {
            defer { next += 1 }
            return NumberedStatement(number: next, sql)
        }
        self.entity = entity
        let table = entity.tableName
        let reader = StatementRowPacker(entity: entity, layout: layout, numbers: numbers)
        self.reader = reader
        keyList = entity.hasSubentities ? "t0.Z_ENT, t0.Z_PK" : "0, t0.Z_PK"
        row = numbered("SELECT \(reader.selectList) FROM \(table) t0 WHERE  t0.Z_PK = ? ")
        rows = numbered(
            "SELECT \(reader.selectList) FROM \(StoreFunctions.integerArray)(?) a "
                + "CROSS JOIN \(table) t0 ON t0.Z_PK = a.value ORDER BY a.rowid")
        let columns = InsertColumns(entity: entity)
        insert = InsertStatements(
            columns: columns, one: numbered(columns.statement(rows: 1)),
            group: numbered(columns.statement(rows: InsertColumns.rowsPerGroup)))
        delete = numbered("DELETE FROM \(table) WHERE Z_PK = ? AND Z_OPT = ?")
        deleteRun = numbered("DELETE FROM \(table) WHERE Z_PK BETWEEN ? AND ? AND Z_OPT = ?")
        version = numbered("SELECT Z_OPT FROM \(table) WHERE Z_PK = ?")
        toMany = ContiguousArray(
            entity.toMany.map { slot in
                ToManyTexts(slot: slot, layout: layout, numbers: numbers).map { texts in
                    ToManyStatements(
                        destination: slot.destinationIndex, readsRows: texts.readsRows,
                        one: numbered(texts.one), all: numbered(texts.all))
                }
            })
        count = next - firstNumber
    }
}

/// The statements that read one to-many relationship.
struct ToManyStatements: Sendable {
    package let destination: Int
    /// Whether ``all`` returns whole rows, or keys whose rows are fetched next.
    let readsRows: Bool
    /// Selects the keys of the members of one owner.
    package let one: NumberedStatement
    /// Members of many owners; the owner's position, from 1, is the last column.
    package let all: NumberedStatement
}

/// Writes the texts of ``ToManyStatements``.
private struct ToManyTexts: Sendable {
    private let storage: ToManyStorage
    private let destination: EntityLayout
    private let layout: ModelLayout
    private let numbers: EntityNumbers

    init?(slot: ToManySlot, layout: ModelLayout, numbers: EntityNumbers) {
        if case .none = slot.storage { return nil }
        storage = slot.storage
        destination = layout[slot.destinationIndex]
        self.layout = layout
        self.numbers = numbers
    }

    var readsRows: Bool {
        if case .foreignKey = storage { return true }
        return false
    }

    /// The keys of the members: entity and number.
    private var keys: String {
        destination.hasSubentities ? "t0.Z_ENT, t0.Z_PK" : "0, t0.Z_PK"
    }

    var one: String {
        switch storage {
        case .none: return ""
        case .foreignKey(let column, _, let orderColumn):
            return "SELECT \(keys) FROM \(destination.tableName) t0 WHERE  t0.\(column) = ? "
                + (orderColumn.map { "ORDER BY t0.\($0), t0.Z_PK" } ?? "")
        case .joinTable(let table, let owner, let member, let orderColumn, _):
            return "SELECT \(keys) FROM \(table) t1 \(join(member)) WHERE t1.\(owner) = ? "
                + (orderColumn.map { "ORDER BY t1.\($0), t0.Z_PK" } ?? "")
        }
    }

    var all: String {
        let array = "\(StoreFunctions.integerArray)(?) a"
        switch storage {
        case .none: return ""
        case .foreignKey(let column, _, let orderColumn):
            let reader = StatementRowPacker(entity: destination, layout: layout, numbers: numbers)
            return "SELECT \(reader.selectList), a.rowid FROM \(array) "
                + "CROSS JOIN \(destination.tableName) t0 ON t0.\(column) = a.value "
                + "ORDER BY a.rowid"
                + (orderColumn.map { ", t0.\($0), t0.Z_PK" } ?? "")
        case .joinTable(let table, let owner, let member, let orderColumn, _):
            return "SELECT \(keys), a.rowid FROM \(array) "
                + "CROSS JOIN \(table) t1 ON t1.\(owner) = a.value \(join(member)) "
                + "ORDER BY a.rowid"
                + (orderColumn.map { ", t1.\($0), t0.Z_PK" } ?? "")
        }
    }

    private func join(_ member: String) -> String {
        "JOIN \(destination.tableName) t0 ON t0.Z_PK = t1.\(member)"
    }
}
