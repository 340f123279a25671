import CoreDataModel
import CoreDataPredicate
import CoreDataSQL
import Testing

import struct Foundation.Decimal

/// The syntax and features of a second dialect differ from those of SQLite.
@Suite struct DialectTests {
    private let schema = ServerStore.schema

    private func entity(_ name: String) throws -> EntityLayout {
        try #require(schema.layout.entity(named: name))
    }

    private func rows(
        _ name: String = "Book", _ format: String? = nil, _ arguments: [Any] = [],
        sort: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0
    ) throws -> SelectBuilder {
        SelectBuilder(
            plan: FetchPlan(
                entity: try entity(name),
                predicate: format.map { NSPredicate(format: $0, argumentArray: arguments) },
                sortDescriptors: sort, limit: limit, offset: offset),
            schema: schema)
    }

    private func check(
        _ fragment: Fragment, _ sql: String, _ bindings: [Binding] = [],
        location: SourceLocation = #_sourceLocation
    ) {
        let spelled = fragment.spelled(in: schema.dialect)
        #expect(spelled.sql == sql, sourceLocation: location)
        #expect(spelled.bindings == bindings, sourceLocation: location)
    }

    // MARK: Fetches

    @Test func `parameters are numbered, and texts have the order of their bytes`() throws {
        let sort = NSSortDescriptor(key: "title", ascending: false)
        check(
            try rows("Book", "pages > 100 AND title == 'Emma'", sort: [sort], limit: 2, offset: 1)
                .select("t0.id"),
            "SELECT t0.id FROM \"Book\" t0 WHERE ( t0.pages > $1 AND "
                + " t0.title COLLATE \"C\" = $2) ORDER BY t0.title COLLATE \"C\" DESC"
                + " LIMIT 2 OFFSET 1", [.integer(100), .text("Emma")])
        check(
            try rows("Book", offset: 3).select("t0.id"), "SELECT t0.id FROM \"Book\" t0 OFFSET 3")
    }

    @Test func `keys are one array`() throws {
        let author = try entity("Author").index
        let keys = [4, 5].map { Row(rowEntity: author, rowKey: $0) }
        check(
            try rows("Book", "author IN %@", [keys]).select("t0.id"),
            "SELECT t0.id FROM \"Book\" t0 WHERE  t0.author = ANY($1)", [.array([4, 5])])
    }

    @Test func `booleans and decimal numbers keep their type`() throws {
        check(
            try rows("Book", "isRead == YES AND price < %@", [Decimal(string: "9.99") ?? 0])
                .select("t0.id"),
            "SELECT t0.id FROM \"Book\" t0 WHERE ( t0.\"isRead\" = $1 AND  t0.price < $2)",
            [.boolean(true), .decimal(Decimal(string: "9.99") ?? 0)])
        #expect(try refusal(try rows("Book", "isRead == 2"))?.isBeyondSQL == true)
    }

    @Test func `ANY is a nested statement, and ALL tests for what is not true`() throws {
        check(
            try rows("Book", "ANY tags.name == 'new'").select("t0.id"),
            "SELECT t0.id FROM \"Book\" t0 WHERE  EXISTS (SELECT 1 FROM \"Book_Tag\" t1"
                + " JOIN \"Tag\" t2 ON t1.\"Tag\" = t2.id WHERE (t0.id = t1.\"Book\" AND "
                + " t2.name COLLATE \"C\" = $1))", [.text("new")])
        check(
            try rows("Book", "ALL chapters.name BEGINSWITH 'The'").select("t0.id"),
            "SELECT t0.id FROM \"Book\" t0 WHERE  NOT EXISTS (SELECT 1 FROM \"Chapter\" t1"
                + " WHERE (t0.id = t1.book AND ( starts_with(t1.name, $1)) IS NOT TRUE))",
            [.text("The")])
    }

    @Test func `counts have a name for their nested statement`() throws {
        check(
            try rows("Comic", "pages / 2 > 10", limit: 5).count(),
            "SELECT COUNT(*) FROM (SELECT t0.id FROM \"Book\" t0 WHERE ( t0.entity = $1 AND "
                + " (t0.pages / NULLIF($2, 0)) > $3) LIMIT 5) AS found",
            [.integer(3), .integer(2), .integer(10)])
    }

    @Test func `sums of nothing are 0`() throws {
        let table = TablePlan(columns: [
            .init(name: "sum", expression: NSExpression(format: "sum:(pages)"), kind: .integer64)
        ])
        check(
            try TableBuilder(table: table, rows: try rows()).make().select,
            "SELECT coalesce(sum( t0.pages)::double precision, 0) AS __var0 FROM \"Book\" t0")
    }

    // MARK: Rows by their keys

    @Test func `rows are read in the order of an array`() throws {
        let texts = RowTexts(try entity("Author"), schema: schema, list: "0, t0.id, t0.version")
        #expect(
            texts.rows
                == "SELECT 0, t0.id, t0.version FROM unnest($1::bigint[]) WITH ORDINALITY"
                + " AS a(value, rowid) JOIN \"Author\" t0 ON t0.id = a.value ORDER BY a.rowid")
        #expect(texts.delete == "DELETE FROM \"Author\" WHERE id = $1 AND version = $2")
        let book = try entity("Book")
        let chapters = try #require(book.toManySlot(named: "chapters"))
        let members = try #require(MemberTexts(book.toMany[chapters], schema: schema))
        #expect(
            members.one
                == "SELECT 0, t0.id FROM \"Chapter\" t0 WHERE  t0.book = $1 "
                + "ORDER BY t0.chapters_order, t0.id")
    }

    // MARK: Writing

    @Test func `insertions resolve duplicates by ON CONFLICT, and return keys`() throws {
        let book = try entity("Book")
        let texts = InsertTexts(book, schema: schema)
        let insert =
            "INSERT INTO \"Book\"(id, entity, version, author, \"isRead\", isbn, pages, price,"
            + " title) VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        #expect(texts.unlessStored == insert + " ON CONFLICT DO NOTHING RETURNING id")
        let title = try #require(book.valueSlot(named: "title"))
        #expect(
            try texts.updating([title])
                == insert + " ON CONFLICT(isbn) DO UPDATE SET version = \"Book\".version+1 ,"
                + " title = excluded.title RETURNING id")
    }

    @Test func `updates return the keys of their rows`() throws {
        let book = try entity("Book")
        let slots = try ["isRead", "pages"].map { try #require(book.valueSlot(named: $0)) }
        let update = try BatchUpdateBuilder(
            [
                (slots[0], .value(.boolean(true))),
                (slots[1], .expression(NSExpression(format: "pages + 1"))),
            ], rows: try rows("Book", "author.born < 1800")
        ).make()
        check(
            update,
            "UPDATE \"Book\" AS t0 SET \"isRead\" = $1, pages = (t0.pages + $2),"
                + " version = (version + 1) WHERE t0.id IN (SELECT t0.id FROM \"Book\" t0"
                + " JOIN \"Author\" t1 ON t0.author = t1.id WHERE  t1.born < $3)"
                + " RETURNING entity, id", [.boolean(true), .integer(1), .integer(1800)])
    }

    @Test func `a history is read and purged by its numbers`() {
        let names = HistoryStatements.Names(
            transactions: "history", changes: "history_change", key: "number", timestamp: "at",
            transaction: "transaction")
        check(
            HistoryStatements(names, .after(number: 7)).changes("c.number"),
            "SELECT c.number FROM history_change c WHERE c.transaction IN (SELECT t.number"
                + " FROM history t WHERE t.number > $1) ORDER BY c.number", [.integer(7)])
        check(
            HistoryStatements(names, .beforeDate(2)).deleteTransactions,
            "DELETE FROM history AS t WHERE t.at < $1", [.double(2)])
    }

    // MARK: What the dialect cannot say

    private func refusal(_ rows: SelectBuilder) throws -> QueryRefusal? {
        #expect(throws: QueryRefusal.self) { try rows.select("t0.id") }
    }

    @Test(arguments: [
        "title CONTAINS[cd] 'a'", "title MATCHES 'a.*'", "title LIKE 'a*'", "title ==[c] 'emma'",
        "uppercase:(title) == 'EMMA'",
    ])
    func `texts that the dialect cannot test are a residue`(_ condition: String) throws {
        let rows = try rows("Book", "pages > 100 AND \(condition)", limit: 2)
        #expect(try refusal(rows)?.isBeyondSQL == true)
        let made = try Residue(of: rows)
        let residue = try #require(made)
        #expect(residue.predicate?.predicateFormat.contains("title") == true)
        check(
            try residue.candidates.select("t0.id"),
            "SELECT t0.id FROM \"Book\" t0 WHERE  t0.pages > $1", [.integer(100)])
        check(
            try residue.builder(passing: [3, 4, 5]).select("t0.id"),
            "SELECT t0.id FROM \"Book\" t0 WHERE  t0.id = ANY($1) LIMIT 2", [.array([3, 4, 5])])
    }

    @Test func `an order that the dialect lacks is a residue, with limit and offset`() throws {
        let sort = NSSortDescriptor(
            key: "title", ascending: true, selector: "localizedStandardCompare:")
        let rows = try rows("Book", "pages > 100", sort: [sort], limit: 2, offset: 1)
        #expect(try refusal(rows)?.isBeyondSQL == true)
        let made = try Residue(of: rows)
        let residue = try #require(made)
        #expect(residue.predicate == nil)
        #expect(residue.sortDescriptors == [sort])
        check(
            try residue.candidates.select("t0.id"),
            "SELECT t0.id FROM \"Book\" t0 WHERE  t0.pages > $1", [.integer(100)])
        check(
            try residue.builder(passing: [9, 3, 7, 5]).select("t0.id"),
            "SELECT t0.id FROM unnest($1::bigint[]) WITH ORDINALITY AS a(value, rowid)"
                + " JOIN \"Book\" t0 ON t0.id = a.value ORDER BY a.rowid", [.array([3, 7])])
    }

    @Test func `a condition that memory must not test either is refused`() throws {
        #expect(try refusal(try rows("Book", "isbm == 1"))?.isBeyondSQL == false)
        #expect(throws: QueryRefusal.self) { try Residue(of: try rows("Book", "isbm == 1")) }
    }
}

/// A row that is a constant in a predicate.
private struct Row: RowIdentifying {
    let rowEntity: Int
    let rowKey: Int64
}
