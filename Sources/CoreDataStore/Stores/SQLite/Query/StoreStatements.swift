import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// The statements that a store runs repeatedly.
///
/// Each has a number under which a connection keeps its compiled form, so that firing a fault
/// neither creates nor hashes a text. The text is created only when a connection first compiles the
/// statement, because a program that reads a few rows needs few of the statements.
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

    /// The columns of the members' rows.
    private static func list(_ slot: ToManySlot, _ schema: StoreSchema) -> String {
        StatementRowPacker(
            entity: schema.layout[slot.destinationIndex], layout: schema.layout,
            numbers: schema.numbers
        ).selectList
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
