import CoreDataModel
import CoreDataPredicate
import CoreDataSQL
import Testing

/// Tests of the SQL for a database that compares only values of like types.
@Suite struct TypedDialectTests {
    private let schema = ServerStore.typedSchema

    private func rows(
        _ format: String, sort: [NSSortDescriptor] = []
    ) throws -> SelectBuilder {
        SelectBuilder(
            plan: FetchPlan(
                entity: try #require(schema.layout.entity(named: "Book")),
                predicate: NSPredicate(format: format, argumentArray: []),
                sortDescriptors: sort),
            schema: schema)
    }

    @Test(arguments: [
        "title == 5", "title > pages", "isRead == pages", "isRead IN {0, 2}", "pages == 'a'",
        "price CONTAINS '1'", "title CONTAINS nil", "pages < nil", "title + 1 > 2",
        "TERNARY(isRead == YES, 1, 'a') == 1", "chapters.@max.name == 5",
        "pages == 9.3e18", "title == 'a\u{0}b'",
    ])
    func `values of different types are compared in memory`(_ condition: String) throws {
        let rows = try rows(condition)
        let refusal = #expect(throws: QueryRefusal.self) { try rows.select("t0.id") }
        #expect(refusal?.isBeyondSQL == true, "\(refusal?.message ?? "")")
    }

    @Test(arguments: [
        ("pages == 2.0", " t0.pages = $1", Binding.integer(2)),
        ("pages > 2.5", " t0.pages > $1", .double(2.5)),
        ("price > 2", " t0.price > $1", .integer(2)),
        ("isRead == YES", " t0.\"isRead\" = $1", .boolean(true)),
        ("author.born == 1800", " t1.born = $1", .integer(1800)),
    ])
    func `numbers of different widths are compared by the database`(
        _ condition: String, _ sql: String, _ binding: Binding
    ) throws {
        let statement = try rows(condition).select("t0.id").spelled(in: schema.dialect)
        #expect(statement.sql.contains("WHERE \(sql) ORDER BY t0.id"), "\(statement.sql)")
        #expect(statement.bindings == [binding])
    }

    @Test func `rows are sorted by key, and missing values come first`() throws {
        let sort = [
            NSSortDescriptor(key: "title", ascending: true),
            NSSortDescriptor(key: "pages", ascending: false),
        ]
        let statement = try rows("TRUEPREDICATE", sort: sort).select("t0.id")
        #expect(
            statement.spelled(in: schema.dialect).sql.hasSuffix(
                "ORDER BY t0.title COLLATE \"C\" NULLS FIRST, t0.pages DESC NULLS LAST, t0.id"))
    }

    @Test func `an empty list contains no value`() throws {
        let rows = SelectBuilder(
            plan: FetchPlan(
                entity: try #require(schema.layout.entity(named: "Book")),
                predicate: NSPredicate(format: "title IN %@", argumentArray: [[String]()])),
            schema: schema)
        let sql = try rows.select("t0.id").spelled(in: schema.dialect).sql
        #expect(sql == "SELECT t0.id FROM \"Book\" t0 WHERE  1 = 0 ORDER BY t0.id")
    }
}
