import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// The statements that a store runs repeatedly.
///
/// A connection finds a compiled statement by its number, so firing a fault neither creates nor
/// hashes SQL text. The text is created when a connection first compiles the statement. A program
/// that reads a few rows needs few texts.
final class StoreStatements: Sendable {
    private let entities: ContiguousArray<EntityStatements>

    package init(_ schema: StoreSchema) {
        var number = 0
        entities = ContiguousArray(
            schema.layout.entities.map { entity in
                let made = EntityStatements(
                    entity, schema, firstNumber: number)
                number += made.count
                return made
            })
    }

    package subscript(entity: EntityLayout) -> EntityStatements { entities[entity.index] }

    package subscript(index: Int) -> EntityStatements { entities[index] }

    /// Passes the statements of an entity to the body without changing their reference count, which
    /// all threads would otherwise change.
    @inline(__always)
    package func lend<T>(
        _ index: Int, _ body: (EntityStatements) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try Unmanaged.passUnretained(entities[index]).lend(body)
    }
}

struct NumberedStatement: Sendable {
    package let number: Int
    private let makeText: @Sendable () -> String

    init(number: Int, _ makeText: @escaping @Sendable () -> String) {
        self.number = number
        self.makeText = makeText
    }

    /// The SQL text, which is created at each call. Use it only if the connection has no compiled
    /// statement.
    package var sql: String { makeText() }
}

final class EntityStatements: Sendable {
    package let entity: EntityLayout
    package let reader: StatementRowPacker
    /// The columns of a SELECT that returns keys: `Z_ENT` (or `0` if the entity has no subentities)
    /// and `Z_PK`.
    let keyList: String
    package let row: NumberedStatement
    package let rows: NumberedStatement
    package let insert: InsertStatements
    package let delete: NumberedStatement
    /// Deletes rows that have consecutive keys and the same version.
    let deleteRun: NumberedStatement
    package let version: NumberedStatement
    package let toMany: ContiguousArray<ToManyStatements?>
    package let count: Int

    package init(_ entity: EntityLayout, _ schema: StoreSchema, firstNumber: Int) {
        var next = firstNumber
        func numbered(_ sql: @autoclosure @escaping @Sendable () -> String) -> NumberedStatement {
            defer { next += 1 }
            return NumberedStatement(number: next, sql)
        }
        self.entity = entity
        let reader = StatementRowPacker(
            entity: entity, layout: schema.layout, numbers: schema.numbers)
        self.reader = reader
        let texts = RowTexts(entity, schema: schema, list: reader.selectList)
        keyList = texts.identity
        row = numbered(texts.row)
        rows = numbered(texts.rows)
        let inserts = InsertTexts(entity, schema: schema)
        insert = InsertStatements(
            columns: InsertColumns(entity: entity), one: numbered(inserts.rows(1)),
            group: numbered(inserts.rows(InsertColumns.rowsPerGroup)))
        delete = numbered(texts.delete)
        deleteRun = numbered(texts.deleteRun)
        version = numbered(texts.readVersion)
        toMany = ContiguousArray(
            entity.toMany.map { slot in
                MemberTexts(slot, schema: schema).map { texts in
                    ToManyStatements(
                        destination: slot.destinationIndex, readsRows: texts.readsRows,
                        one: numbered(texts.one), all: numbered(texts.all(Self.list(slot, schema))))
                }
            })
        count = next - firstNumber
    }

    private static func list(_ slot: ToManySlot, _ schema: StoreSchema) -> String {
        StatementRowPacker(
            entity: schema.layout[slot.destinationIndex], layout: schema.layout,
            numbers: schema.numbers
        ).selectList
    }
}

struct ToManyStatements: Sendable {
    package let destination: Int
    let readsRows: Bool
    package let one: NumberedStatement
    package let all: NumberedStatement
}
