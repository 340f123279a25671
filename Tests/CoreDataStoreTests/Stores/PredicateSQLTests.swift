import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import TestSupport
import Testing

/// Checks the SQL after `FROM ZBOOK t0` for each form of predicate, and the titles that it finds.
@Suite struct PredicateSQLTests {
    private let fixture: StoreFixture
    private let world: PredicateWorld

    init() throws {
        fixture = try StoreFixture()
        world = try PredicateWorld(fixture)
        fixture.log.forget()
    }

    private func check(
        _ format: String, _ arguments: Any?..., finds titles: [String], sql: String,
        from table: String = "FROM ZBOOK t0", location: SourceLocation = #_sourceLocation
    ) throws {
        let predicate = NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
        try check(predicate, finds: titles, sql: sql, from: table, location: location)
    }

    private func check(
        _ predicate: NSPredicate, finds titles: [String], sql: String,
        from table: String = "FROM ZBOOK t0", location: SourceLocation = #_sourceLocation
    ) throws {
        let plan = try fixture.plan("Book", predicate)
        let found = try fixture.values("title", plan).map { value -> String in
            if case .string(let title) = value { title } else { "-" }
        }
        let text = try #require(fixture.log.take().first, sourceLocation: location)
        let start = try #require(text.range(of: table), sourceLocation: location)
        #expect(
            text[start.upperBound...].trimmingCharacters(in: .whitespaces) == sql,
            sourceLocation: location)
        #expect(found.sorted() == titles, sourceLocation: location)
        #expect(
            try fixture.store.count(plan) == titles.count, "the count agrees",
            sourceLocation: location)
        fixture.log.forget()
    }

    private func refused(
        _ format: String, _ arguments: Any..., text: String,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        let error = #expect(throws: CoreDataError.self, sourceLocation: location) {
            try fixture.store.fetchKeys(try fixture.plan("Book", predicate))
        }
        #expect(error?.code == .invalidArgument, sourceLocation: location)
        #expect(
            error?.message.contains(text) == true, "\(error?.message ?? "")",
            sourceLocation: location)
        #expect(fixture.log.take().isEmpty, "nothing ran", sourceLocation: location)
    }

    // MARK: Values

    @Test func `comparisons bind their values`() throws {
        try check("year == %d", 1843, finds: ["Notes"], sql: "WHERE  t0.ZYEAR = ?")
        try check("year != 1843", finds: ["Dune", "Emma", "Été"], sql: "WHERE  t0.ZYEAR <> ?")
        try check("year < 1900", finds: ["Emma", "Notes"], sql: "WHERE  t0.ZYEAR < ?")
        try check("year >= 1965", finds: ["Dune", "Été"], sql: "WHERE  t0.ZYEAR >= ?")
        try check("1900 <= year", finds: ["Dune", "Été"], sql: "WHERE  ? <=  t0.ZYEAR")
        try check("title == 'Emma'", finds: ["Emma"], sql: "WHERE  t0.ZTITLE = ?")
        try check("price > 9.5", finds: ["Dune"], sql: "WHERE  t0.ZPRICE > ?")
        try check("title == isbn", finds: [], sql: "WHERE  t0.ZTITLE =  t0.ZISBN")
    }

    @Test func `not equal does not find rows with NULL`() throws {
        try check("isbn != '1'", finds: ["Emma", "Été"], sql: "WHERE  t0.ZISBN <> ?")
        try check("NOT (isbn == '1')", finds: ["Emma", "Été"], sql: "WHERE NOT ( t0.ZISBN = ?)")
    }

    @Test func `nil becomes IS NULL`() throws {
        try check("isbn == nil", finds: ["Dune"], sql: "WHERE  t0.ZISBN IS NULL")
        try check(
            "isbn != nil", finds: ["Emma", "Notes", "Été"], sql: "WHERE  t0.ZISBN IS NOT NULL")
        try check("isbn == %@", nil, finds: ["Dune"], sql: "WHERE  t0.ZISBN IS NULL")
        try check("author == nil", finds: ["Été"], sql: "WHERE  t0.ZAUTHOR IS NULL")
    }

    @Test func `AND, OR and NOT are nested as written`() throws {
        try check(
            "year > 1800 AND price < 5 AND title != 'Notes'", finds: ["Emma"],
            sql: "WHERE ( t0.ZYEAR > ? AND  t0.ZPRICE < ? AND  t0.ZTITLE <> ?)")
        try check(
            "(year < 1840 OR year > 2000) AND isbn != nil", finds: ["Emma", "Été"],
            sql: "WHERE (( t0.ZYEAR < ? OR  t0.ZYEAR > ?) AND  t0.ZISBN IS NOT NULL)")
        try check("TRUEPREDICATE", finds: ["Dune", "Emma", "Notes", "Été"], sql: "WHERE  1 = 1")
        try check("FALSEPREDICATE", finds: [], sql: "WHERE  1 = 0")
        try check(
            NSCompoundPredicate(andPredicateWithSubpredicates: []),
            finds: ["Dune", "Emma", "Notes", "Été"], sql: "WHERE  1 = 1")
        try check(
            NSCompoundPredicate(orPredicateWithSubpredicates: []), finds: [], sql: "WHERE  1 = 0")
    }

    @Test func `BETWEEN includes its bounds`() throws {
        try check(
            "year BETWEEN {1815, 1843}", finds: ["Emma", "Notes"],
            sql: "WHERE (t0.ZYEAR Between ? AND ?)")
        try check(
            "year BETWEEN %@", [1965, 1965], finds: ["Dune"],
            sql: "WHERE (t0.ZYEAR Between ? AND ?)")
    }

    @Test func `IN binds integers as one array and texts one by one`() throws {
        let array = "IN (SELECT value FROM _Z_intarray(?))"
        try check(
            "year IN %@", [1815, 1965, 7], finds: ["Dune", "Emma"], sql: "WHERE  t0.ZYEAR \(array)")
        try check("year IN %@", [Int](), finds: [], sql: "WHERE  t0.ZYEAR \(array)")
        try check(
            "title IN {'Emma', 'Dune'}", finds: ["Dune", "Emma"], sql: "WHERE  t0.ZTITLE IN (?, ?)")
        try check("title IN %@", ["Emma"], finds: ["Emma"], sql: "WHERE  t0.ZTITLE IN (?)")
        try check("title IN %@", [String](), finds: [], sql: "WHERE  t0.ZTITLE IN ()")
        try check(
            "title IN[c] %@", ["emma"], finds: ["Emma"],
            sql: "WHERE  t0.ZTITLE COLLATE NSCollateNoCase IN (?)")
        try check(
            "title IN 'Notes on Emma'", finds: ["Emma", "Notes"],
            sql: "WHERE  NSCoreDataStringSearch( ?, t0.ZTITLE, 0, 0)")
    }

    @Test func `SQL evaluates arithmetic`() throws {
        try check("year + 5 == 1820", finds: ["Emma"], sql: "WHERE  (t0.ZYEAR + ?) = ?")
        try check("year * 2 - 1 > 4000", finds: ["Été"], sql: "WHERE  ((t0.ZYEAR * ?) - ?) > ?")
        try check("abs(year) == 1843", finds: ["Notes"], sql: "WHERE  NSCoreDataAbs( t0.ZYEAR) = ?")
        try check("noindex(year) == 1843", finds: ["Notes"], sql: "WHERE  +t0.ZYEAR = ?")
    }

    // MARK: Texts

    @Test func `string operators respect case and diacritics`() throws {
        func search(_ flags: Int) -> String {
            "WHERE  NSCoreDataStringSearch( t0.ZTITLE, ?, \(flags), 0)"
        }
        try check("title CONTAINS 'm'", finds: ["Emma"], sql: search(0))
        try check("title CONTAINS 'E'", finds: ["Emma"], sql: search(0))
        try check("title CONTAINS[c] 'E'", finds: ["Dune", "Emma", "Notes"], sql: search(1))
        try check(
            "title CONTAINS[cd] 'e'", finds: ["Dune", "Emma", "Notes", "Été"], sql: search(129))
        try check("title BEGINSWITH 'N'", finds: ["Notes"], sql: search(8))
        try check("title BEGINSWITH[cd] 'e'", finds: ["Emma", "Été"], sql: search(137))
        try check("title ENDSWITH 'e'", finds: ["Dune"], sql: search(12))
        try check("title ENDSWITH[d] 'e'", finds: ["Dune", "Été"], sql: search(140))
        try check("title CONTAINS ''", finds: [], sql: search(0))
        try check(
            "isbn CONTAINS 'zzz'", finds: [],
            sql: "WHERE  NSCoreDataStringSearch( t0.ZISBN, ?, 0, 0)")
    }

    @Test func `LIKE and MATCHES match the whole text`() throws {
        func like(_ flags: Int) -> String { "WHERE  NSCoreDataLike( t0.ZTITLE, ?, \(flags), 0)" }
        try check("title LIKE 'E*a'", finds: ["Emma"], sql: like(0))
        try check("title LIKE '????'", finds: ["Dune", "Emma"], sql: like(0))
        try check("title LIKE[c] '*E'", finds: ["Dune"], sql: like(1))
        try check("title LIKE '*'", finds: ["Dune", "Emma", "Notes", "Été"], sql: like(0))
        func matches(_ flags: Int) -> String {
            "WHERE  NSCoreDataMatches( t0.ZTITLE, ?, \(flags), 0)"
        }
        try check("title MATCHES '[DE].*'", finds: ["Dune", "Emma"], sql: matches(0))
        try check("title MATCHES 'mm'", finds: [], sql: matches(0))
        try check("title MATCHES[c] 'EMMA'", finds: ["Emma"], sql: matches(1))
        try refused("title MATCHES '['", text: "'[' is not a regular expression")
    }

    @Test func `equality with options compares by collation`() throws {
        try check(
            "title ==[c] 'EMMA'", finds: ["Emma"],
            sql: "WHERE  t0.ZTITLE COLLATE NSCollateNoCase = ?")
        try check(
            "title ==[cd] 'ETE'", finds: ["Été"],
            sql: "WHERE  t0.ZTITLE COLLATE NSCollateNoCaseNoDiacritic = ?")
        try check(
            "uppercase(title) == 'ÉTÉ'", finds: ["Été"],
            sql: "WHERE  NSCoreDataUppercase( t0.ZTITLE) = ?")
    }

    // MARK: Relationships

    @Test func `a path through to-one relationships is a join`() throws {
        let join = "JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK"
        try check("author.name == 'Ada'", finds: ["Notes"], sql: "\(join) WHERE  t1.ZNAME = ?")
        try check(
            "author.name == 'Jane' AND author.born < 1800", finds: ["Emma"],
            sql: "\(join) WHERE ( t1.ZNAME = ? AND  t1.ZBORN < ?)")
        try check(
            "author.name == nil", finds: ["Été"],
            sql: "LEFT OUTER \(join) WHERE  t1.ZNAME IS NULL")
        try check(
            "author.name == 'Ada' OR year > 2000", finds: ["Notes", "Été"],
            sql: "LEFT OUTER \(join) WHERE ( t1.ZNAME = ? OR  t0.ZYEAR > ?)")
    }

    @Test func `objects are compared by key, without a join`() throws {
        try check("author == %@", world.ada, finds: ["Notes"], sql: "WHERE  t0.ZAUTHOR = ?")
        try check(
            "author != %@", world.ada, finds: ["Dune", "Emma"], sql: "WHERE  t0.ZAUTHOR <> ?")
        try check(
            "author IN %@", [world.ada, world.jane], finds: ["Emma", "Notes"],
            sql: "WHERE  t0.ZAUTHOR IN (SELECT value FROM _Z_intarray(?))")
        try check("self == %@", world.emma, finds: ["Emma"], sql: "WHERE  t0.Z_PK = ?")
        try check("objectID == %@", world.emma, finds: ["Emma"], sql: "WHERE  t0.Z_PK = ?")
        try check(
            "self IN %@", [world.emma, world.notes], finds: ["Emma", "Notes"],
            sql: "WHERE  t0.Z_PK IN (SELECT value FROM _Z_intarray(?))")
        try check(
            "author.objectID == %@", world.ada, finds: ["Notes"], sql: "WHERE  t0.ZAUTHOR = ?")
        // The other table has a row with the same primary key.
        try check("self == %@", world.ada, finds: [], sql: "WHERE  t0.Z_PK = ?")
        try check(
            "author == %@", ObjectKey(entity: 0, key: -1), finds: [], sql: "WHERE  t0.ZAUTHOR = ?")
    }

    @Test func `ANY joins the members and returns each row once`() throws {
        try check(
            "ANY chapters.title BEGINSWITH 'c'", finds: ["Dune", "Emma"],
            sql: "JOIN ZCHAPTER t1 ON t0.Z_PK = t1.ZBOOK "
                + "WHERE  NSCoreDataStringSearch( t1.ZTITLE, ?, 8, 0)")
        try check(
            "ANY tags.name == 'classic'", finds: ["Dune", "Emma"],
            sql: "JOIN Z_2TAGS t1 ON t0.Z_PK = t1.Z_2BOOKS JOIN ZTAG t2 ON t1.Z_10TAGS = t2.Z_PK "
                + "WHERE  t2.ZNAME = ?")
        try check(
            "ANY tags == %@", world.classic, finds: ["Dune", "Emma"],
            sql: "JOIN Z_2TAGS t1 ON t0.Z_PK = t1.Z_2BOOKS WHERE  t1.Z_10TAGS = ?")
        try check(
            "tags CONTAINS %@", world.classic, finds: ["Dune", "Emma"],
            sql: "JOIN Z_2TAGS t1 ON t0.Z_PK = t1.Z_2BOOKS WHERE  t1.Z_10TAGS = ?")
        try check(
            "%@ IN tags", world.classic, finds: ["Dune", "Emma"],
            sql: "JOIN Z_2TAGS t1 ON t0.Z_PK = t1.Z_2BOOKS WHERE  t1.Z_10TAGS = ?")
        try check(
            "ANY tags IN %@", [world.classic, world.sand], finds: ["Dune", "Emma"],
            sql: "JOIN Z_2TAGS t1 ON t0.Z_PK = t1.Z_2BOOKS "
                + "WHERE  t1.Z_10TAGS IN (SELECT value FROM _Z_intarray(?))")
    }

    @Test func `two ANYs may match different members`() throws {
        try check(
            "ANY tags.name == 'classic' AND ANY tags.name == 'sand'", finds: ["Dune"],
            sql: "JOIN Z_2TAGS t1 ON t0.Z_PK = t1.Z_2BOOKS JOIN ZTAG t2 ON t1.Z_10TAGS = t2.Z_PK "
                + "JOIN Z_2TAGS t3 ON t0.Z_PK = t3.Z_2BOOKS JOIN ZTAG t4 ON t3.Z_10TAGS = t4.Z_PK "
                + "WHERE ( t2.ZNAME = ? AND  t4.ZNAME = ?)")
    }

    @Test func `below OR and NOT, members are matched by a sub-select`() throws {
        let members =
            "SELECT 1 FROM Z_2TAGS t1 JOIN ZTAG t2 ON t1.Z_10TAGS = t2.Z_PK "
            + "WHERE (t0.Z_PK = t1.Z_2BOOKS AND  t2.ZNAME = ?)"
        try check(
            "NONE tags.name == 'classic'", finds: ["Notes", "Été"],
            sql: "WHERE NOT ( EXISTS (\(members)))")
        try check(
            "ANY tags.name == 'sand' OR year == 1843", finds: ["Dune", "Notes"],
            sql: "WHERE ( EXISTS (\(members)) OR  t0.ZYEAR = ?)")
    }

    @Test func `ALL fails for a member with NULL and is true for no members`() throws {
        try check(
            "ALL chapters.title BEGINSWITH 'c'", finds: ["Emma", "Notes", "Été"],
            sql: "WHERE  NOT EXISTS (SELECT 1 FROM ZCHAPTER t1 WHERE (t0.Z_PK = t1.ZBOOK AND "
                + "( NSCoreDataStringSearch( t1.ZTITLE, ?, 8, 0)) IS NOT 1))")
    }

    @Test func `@count and the other operators are sub-selects`() throws {
        try check(
            "chapters.@count > 1", finds: ["Dune", "Emma"],
            sql: "WHERE  (SELECT COUNT(t1.Z_PK) FROM ZCHAPTER t1 WHERE (t0.Z_PK = t1.ZBOOK) ) > ?")
        try check(
            "tags.@count == 0", finds: ["Notes", "Été"],
            sql: "WHERE  (SELECT COUNT(t1.Z_10TAGS) FROM Z_2TAGS t1 "
                + "WHERE (t0.Z_PK = t1.Z_2BOOKS) ) = ?")
        try check(
            "author.books.@count == 1", finds: ["Dune", "Emma", "Notes"],
            sql: "LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK "
                + "WHERE  (CASE WHEN t1.Z_PK IS NULL THEN NULL ELSE "
                + "(SELECT COUNT(t2.Z_PK) FROM ZBOOK t2 WHERE (t1.Z_PK = t2.ZAUTHOR) ) END) = ?")
        try check(
            "author.books.@max.year == 1843", finds: ["Notes"],
            sql: "LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK "
                + "WHERE  (SELECT MAX(t2.ZYEAR) FROM ZBOOK t2 WHERE (t1.Z_PK = t2.ZAUTHOR) ) = ?")
    }

    @Test func `SUBQUERY counts the matching members`() throws {
        try check(
            "SUBQUERY(chapters, $c, $c.title BEGINSWITH 'c').@count == 1", finds: ["Dune"],
            sql: "WHERE  (SELECT COUNT(t1.Z_PK) FROM ZCHAPTER t1 WHERE (t0.Z_PK = t1.ZBOOK AND  "
                + "NSCoreDataStringSearch( t1.ZTITLE, ?, 8, 0)) ) = ?")
        try check(
            "SUBQUERY(tags, $t, $t.name == 'classic' AND $t.books.@count > 1).@count > 0",
            finds: ["Dune", "Emma"],
            sql: "WHERE  (SELECT COUNT(t1.Z_10TAGS) FROM Z_2TAGS t1 "
                + "JOIN ZTAG t2 ON t1.Z_10TAGS = t2.Z_PK WHERE (t0.Z_PK = t1.Z_2BOOKS AND "
                + "( t2.ZNAME = ? AND  (SELECT COUNT(t3.Z_2BOOKS) FROM Z_2TAGS t3 "
                + "WHERE (t2.Z_PK = t3.Z_10TAGS) ) > ?)) ) > ?")
    }

    @Test func `paths continue after members and variables`() throws {
        try check(
            "ANY chapters.book.author.name == 'Jane'", finds: ["Emma"],
            sql: "JOIN ZCHAPTER t1 ON t0.Z_PK = t1.ZBOOK "
                + "LEFT OUTER JOIN ZBOOK t2 ON t1.ZBOOK = t2.Z_PK "
                + "LEFT OUTER JOIN ZAUTHOR t3 ON t2.ZAUTHOR = t3.Z_PK WHERE  t3.ZNAME = ?")
        try check(
            "SUBQUERY(chapters, $c, $c.book.title == title).@count == 2", finds: ["Dune", "Emma"],
            sql: "WHERE  (SELECT COUNT(t1.Z_PK) FROM ZCHAPTER t1 "
                + "JOIN ZBOOK t2 ON t1.ZBOOK = t2.Z_PK WHERE (t0.Z_PK = t1.ZBOOK AND  "
                + "t2.ZTITLE =  t0.ZTITLE) ) = ?")
        try check(
            "NOT (year IN %@)", [1815, 1843], finds: ["Dune", "Été"],
            sql: "WHERE NOT ( t0.ZYEAR IN (SELECT value FROM _Z_intarray(?)))")
    }

    @Test func `joined members do not disturb order and limit`() throws {
        var plan = try fixture.plan(
            "Book", NSPredicate(format: "ANY chapters.title != 'zzz'"),
            sort: [
                .init(key: "author.name", ascending: false), .init(key: "year", ascending: true),
            ])
        #expect(try Array(fixture.store.fetchKeys(plan)) == [world.emma, world.dune])
        #expect(
            fixture.log.take() == [
                "SELECT DISTINCT 0, t0.Z_PK FROM ZBOOK t0 "
                    + "JOIN ZCHAPTER t1 ON t0.Z_PK = t1.ZBOOK "
                    + "LEFT OUTER JOIN ZAUTHOR t2 ON t0.ZAUTHOR = t2.Z_PK "
                    + "WHERE  t1.ZTITLE <> ? ORDER BY t2.ZNAME DESC, t0.ZYEAR"
            ])
        plan.limit = 1
        plan.offset = 1
        #expect(try Array(fixture.store.fetchKeys(plan)) == [world.dune])
        #expect(try fixture.store.count(plan) == 1)
    }

    // MARK: What SQL cannot say

    /// The store evaluates a part of the predicate in memory.
    ///
    /// - Parameter candidates: the WHERE clause of the statement that reads the rows to test.
    private func checkResidue(
        _ format: String, _ arguments: Any..., finds titles: [String], candidates: String,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let plan = try fixture.plan("Book", NSPredicate(format: format, argumentArray: arguments))
        let found = try fixture.values("title", plan).map { value -> String in
            if case .string(let title) = value { title } else { "-" }
        }
        #expect(found.sorted() == titles, "\(format)", sourceLocation: location)
        let texts = fixture.log.take()
        #expect(texts.first == "BEGIN" && texts.last == "COMMIT", sourceLocation: location)
        let reads = texts.filter { $0.hasPrefix("SELECT") }
        #expect(
            reads.first?.hasSuffix("FROM ZBOOK t0" + candidates) == true, "\(reads)",
            sourceLocation: location)
        #expect(
            reads.last?.hasSuffix(
                "FROM ZBOOK t0 WHERE  t0.Z_PK IN (SELECT value FROM _Z_intarray(?))") == true,
            "\(reads)", sourceLocation: location)
        #expect(try fixture.store.count(plan) == titles.count, sourceLocation: location)
        fixture.log.forget()
    }

    // D-074
    @Test func `conditions that SQL cannot express are tested on the rows of the others`() throws {
        try checkResidue("sqrt(year - 1843) == 0", finds: ["Notes"], candidates: "")
        try checkResidue(
            "title.length == 4 AND year < 1900", finds: ["Emma"],
            candidates: " WHERE  t0.ZYEAR < ?")
        try checkResidue("floor(price) == 10", finds: ["Dune"], candidates: "")
        try checkResidue("author.name.length > 4", finds: ["Dune"], candidates: "")
        try checkResidue("ANY tags.books.title == 'Emma'", finds: ["Dune", "Emma"], candidates: "")
        try checkResidue(
            "NOT (isbn.length == 1) AND author IN %@", [world.ada, world.frank], finds: [],
            candidates: " WHERE  t0.ZAUTHOR IN (SELECT value FROM _Z_intarray(?))")
        try checkResidue("isbn.length != 2", finds: ["Emma", "Notes", "Été"], candidates: "")
        try checkResidue(
            "author == %@ AND ceiling(price) == 3", world.ada, finds: ["Notes"],
            candidates: " WHERE  t0.ZAUTHOR = ?")
        try check(
            "{1815, 1965} CONTAINS year", finds: ["Dune", "Emma"], sql: "WHERE  t0.ZYEAR IN (?, ?)")
    }

    @Test func `a test in memory reads a relationship once for all rows`() throws {
        let plan = try fixture.plan(
            "Book", NSPredicate(format: "ANY tags.books.author.name.length > 4"))
        #expect(try Array(fixture.store.fetchKeys(plan)) == [world.emma, world.dune])
        let reads = fixture.log.take().filter { $0.hasPrefix("SELECT") }
        // The statements read the books, the tags, the books of the tags, the authors and the final
        // result.
        #expect(reads.count <= 7, "\(reads)")
        #expect(reads.last?.contains("WHERE  t0.Z_PK IN (SELECT value") == true)
    }

    @Test func `order, limit and offset are applied after the test in memory`() throws {
        var plan = try fixture.plan(
            "Book", NSPredicate(format: "title.length > 3"),
            sort: [.init(key: "year", ascending: false)])
        #expect(try Array(fixture.store.fetchKeys(plan)) == [world.dune, world.notes, world.emma])
        plan.limit = 1
        plan.offset = 1
        #expect(try Array(fixture.store.fetchKeys(plan)) == [world.notes])
        #expect(try fixture.store.count(plan) == 1)
        plan.offset = 3
        #expect(try fixture.store.count(plan) == 0)
    }

    // MARK: Refusals

    @Test func `a condition that a store cannot evaluate is refused before any statement`() throws {
        try refused("isbm == '1'", text: "keypath isbm not found in entity <NSSQLEntity Book id=2>")
        try refused(
            "draft == '1'", text: "keypath draft not found in entity <NSSQLEntity Book id=2>")
        try refused(
            "author.nam == '1'",
            text: "keypath author.nam not found in entity <NSSQLEntity Author id=1>")
        try refused("chapters == nil", text: "to-many key not allowed here")
        try refused("chapters.title == 'x'", text: "to-many key not allowed here")
        try refused("author.name.tone == 3", text: "keypath author.name.tone not found in entity")
        try refused("sqrt(year) == 1 AND isbm == '1'", text: "keypath isbm not found in entity")
        try refused("year == $x", text: "the variable $x has no value")
        let block = NSPredicate(block: { _, _ in true })
        #expect(throws: CoreDataError.self) {
            try fixture.store.fetchKeys(try fixture.plan("Book", block))
        }
    }

    // MARK: Order and limits

    @Test func `sort descriptors become ORDER BY, also along to-one paths`() throws {
        func titles(_ sort: [NSSortDescriptor], limit: Int = 0, offset: Int = 0) throws -> [Value] {
            var plan = try fixture.plan("Book", sort: sort)
            plan.limit = limit
            plan.offset = offset
            return try fixture.values("title", plan)
        }
        let all = ["Dune", "Emma", "Notes", "Été"].map(Value.string)
        #expect(try titles([.init(key: "title", ascending: true)]) == all)
        #expect(fixture.log.take()[0].hasSuffix("FROM ZBOOK t0 ORDER BY t0.ZTITLE"))
        #expect(
            try titles([.init(key: "title", ascending: false)], limit: 2, offset: 1)
                == [all[2], all[1]])
        #expect(fixture.log.take()[0].hasSuffix("ORDER BY t0.ZTITLE DESC  LIMIT 2 OFFSET 1"))
        #expect(
            try titles([
                .init(key: "title", ascending: true, selector: "caseInsensitiveCompare:")
            ]).count == 4)
        #expect(fixture.log.take()[0].hasSuffix("ORDER BY t0.ZTITLE COLLATE NSCollateNoCase"))
        #expect(
            try titles([
                .init(key: "title", ascending: true, selector: "localizedStandardCompare:")
            ]) == [all[0], all[1], all[3], all[2]])
        #expect(fixture.log.take()[0].hasSuffix("ORDER BY t0.ZTITLE COLLATE NSCollateFinderlike"))
        #expect(
            try titles([
                .init(key: "author.name", ascending: false), .init(key: "year", ascending: true),
            ]) == [all[1], all[0], all[2], all[3]])
        #expect(
            fixture.log.take()[0].hasSuffix(
                "LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK "
                    + "ORDER BY t1.ZNAME DESC, t0.ZYEAR"))
        #expect(try titles([], limit: 1).count == 1)
        #expect(fixture.log.take()[0].hasSuffix("FROM ZBOOK t0  LIMIT 1"))
    }

    @Test func `orders that a store does not support are refused`() throws {
        func text(_ sort: NSSortDescriptor) throws -> String? {
            let error = #expect(throws: CoreDataError.self) {
                try fixture.store.fetchKeys(try fixture.plan("Book", sort: [sort]))
            }
            return error?.message
        }
        #expect(
            try text(.init(key: "title", ascending: true, selector: "length"))
                == "unsupported NSSortDescriptor selector: length")
        #expect(
            try text(.init(key: "title", ascending: true) { _, _ in .orderedSame })
                == "unsupported NSSortDescriptor (comparator blocks are not supported)")
        #expect(try text(.init(key: "chapters", ascending: true)) == "to-many key not allowed here")
        #expect(
            try text(.init(key: "nothing", ascending: true))
                == "keypath nothing not found in entity <NSSQLEntity Book id=2>")
    }

    @Test func `a count respects limit and offset`() throws {
        var plan = try fixture.plan("Book")
        #expect(try fixture.store.count(plan) == 4)
        plan.limit = 3
        #expect(try fixture.store.count(plan) == 3)
        plan.offset = 2
        #expect(try fixture.store.count(plan) == 2)
        #expect(
            fixture.log.take().last
                == "SELECT COUNT(*) FROM (SELECT t0.Z_PK FROM ZBOOK t0  LIMIT 3 OFFSET 2)")
    }
}

/// A store with four books. One has no author, and one has no number.
struct PredicateWorld {
    let ada, jane, frank: ObjectKey
    let notes, emma, dune, summer: ObjectKey
    let classic, sand: ObjectKey

    init(_ fixture: StoreFixture) throws {
        let authors = try fixture.insert(
            "Author",
            [
                ["name": .string("Ada"), "born": .integer(1815)],
                ["name": .string("Jane"), "born": .integer(1775)],
                ["name": .string("Frank"), "born": .integer(1920)],
            ])
        (ada, jane, frank) = (authors[0], authors[1], authors[2])
        func book(
            _ title: String, _ year: Int64, _ price: Double, _ isbn: String?, _ author: ObjectKey?
        ) -> [String: Value] {
            [
                "title": .string(title), "year": .integer(year), "price": .double(price),
                "isbn": isbn.map(Value.string) ?? .null,
                "author": author.map(Value.reference) ?? .null,
            ]
        }
        let books = try fixture.insert(
            "Book",
            [
                book("Notes", 1843, 3, "1", ada), book("Emma", 1815, 4, "2", jane),
                book("Dune", 1965, 10, nil, frank), book("Été", 2001, 6, "3", nil),
            ])
        (notes, emma, dune, summer) = (books[0], books[1], books[2], books[3])
        try fixture.insert(
            "Chapter",
            [
                ["title": .string("c1"), "book": .reference(emma)],
                ["title": .string("c2"), "book": .reference(emma)],
                ["title": .string("c1"), "book": .reference(dune)],
                ["title": .null, "book": .reference(dune)],
            ])
        let tags = try fixture.insert(
            "Tag", [["name": .string("classic")], ["name": .string("sand")]])
        (classic, sand) = (tags[0], tags[1])
        let entity = try fixture.entity("Book")
        let slot = try #require(entity.toManySlot(named: "tags"))
        var plan = SavePlan()
        for (owner, members) in [(emma, [classic]), (dune, tags)] {
            plan.memberships.append(
                .init(
                    entity: entity, slot: slot, owner: owner.key, added: members, removed: [],
                    order: nil))
        }
        try fixture.commit(plan)
    }
}
