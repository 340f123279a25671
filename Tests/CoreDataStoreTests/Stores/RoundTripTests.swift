import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import TestSupport
import Testing

@Suite struct RoundTripTests {
    @Test func `rows are read as they were saved, with one SELECT for a fetch`() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Author", [["name": .string("Ada"), "born": .integer(1815)]])
        fixture.log.forget()
        let plan = try fixture.plan("Author")
        #expect(try fixture.values("name", plan) == [.string("Ada")])
        #expect(
            fixture.log.take() == [
                "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME FROM ZAUTHOR t0"
            ])
        #expect(try fixture.values("born", plan) == [.integer(1815)])
    }

    @Test(arguments: Self.oddValues)
    func `each type keeps each value`(_ attribute: String, _ value: Value) throws {
        let fixture = try StoreFixture()
        let key = try fixture.insert("Everything", [[attribute: value]])[0]
        #expect(try fixture.value(key, attribute) == value)
        for other in ["bool", "data", "date", "decimal", "double", "int64", "text", "uri", "uuid"]
        where other != attribute {
            #expect(try fixture.value(key, other) == .null)
        }
        // An update writes the value, too.
        var plan = SavePlan()
        plan.updates = [try fixture.update(key, version: 1, [attribute: .null])]
        try fixture.commit(plan)
        #expect(try fixture.value(key, attribute) == .null)
        plan.updates = [try fixture.update(key, version: 2, [attribute: value])]
        try fixture.commit(plan)
        #expect(try fixture.value(key, attribute) == value)
    }

    static let oddValues: [(String, Value)] = [
        ("bool", .integer(0)), ("bool", .integer(1)),
        ("int16", .integer(Int64(Int16.min))), ("int32", .integer(Int64(Int32.max))),
        ("int64", .integer(.min)), ("int64", .integer(.max)), ("int64", .integer(0)),
        ("double", .double(0.1)), ("double", .double(-.greatestFiniteMagnitude)),
        ("double", .double(.leastNonzeroMagnitude)), ("double", .double(.infinity)),
        ("double", .double(3)), ("float", .double(Double(Float.pi))),
        ("date", .double(0)), ("date", .double(-63_114_076_800.5)),
        ("date", .double(700_000_000.25)),
        ("decimal", .decimal(Decimal(string: "12345678.875")!)), ("decimal", .decimal(-3)),
        ("decimal", .decimal(Decimal(string: "0.1")!)),
        ("text", .string("")), ("text", .string("a\0b")),
        ("text", .string("Ünïcödé 👩‍👩‍👧‍👦 \u{0301}")),
        ("text", .string("'; DROP TABLE ZEVERYTHING; --")),
        ("text", .string(String(repeating: "x", count: 100_000))),
        ("uri", .string("x-coredata://host/Entity/p1")),
        ("uuid", .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)))),
        ("data", .data(Data())), ("data", .data(Data([0, 255, 0]))),
        ("data", .data(Data(repeating: 7, count: 70_000))),
    ]

    @Test func `a value that SQLite cannot hold becomes null or the nearest double`() throws {
        let fixture = try StoreFixture()
        let keys = try fixture.insert(
            "Everything",
            [
                ["double": .double(.nan)],
                ["decimal": .decimal(Decimal(string: "0.12345678901234567890")!)],
            ])
        #expect(try fixture.value(keys[0], "double") == .null)
        guard case .decimal(let decimal) = try fixture.value(keys[1], "decimal") else {
            Issue.record("no decimal came back")
            return
        }
        #expect(abs(NSDecimalNumber(decimal: decimal).doubleValue - 0.123456789012345) < 1e-14)
    }

    @Test func `values of a wrong storage class are read without harm`() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Everything", [[:]])
        let store = try fixture.reopened(
            after:
                "UPDATE ZEVERYTHING SET ZINT32 = 'seven', ZINT64 = '12 apples', ZDOUBLE = x'0102', "
                + "ZDATE = 'today', ZTEXT = 42, ZUUID = 'short', ZDECIMAL = 'no number', "
                + "ZDATA = 1.5, ZBOOL = 'x', ZURI = x'FFFE', Z_OPT = 'many', Z_ENT = 'x'")
        let plan = try store.plan("Everything")
        let row = try #require(store.rows(try store.store.fetchRows(plan, generation: 0)).first)
        #expect(try store.value(row, "int32") == .integer(0))
        #expect(try store.value(row, "int64") == .integer(12))
        #expect(try store.value(row, "double") == .double(0))
        #expect(try store.value(row, "date") == .double(0))
        #expect(try store.value(row, "text") == .string("42"))
        #expect(try store.value(row, "decimal") == .null)
        #expect(try store.value(row, "data") == .data(Data("1.5".utf8)))
        #expect(try store.value(row, "uri") == .string("\u{FFFD}\u{FFFD}"))
        guard case .uuid = try store.value(row, "uuid") else {
            Issue.record("a short UUID is filled up")
            return
        }
    }

    @Test func `blocks hold 256 rows and keep the order of the fetch`() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Author", (0..<600).map { ["born": .integer(Int64($0))] })
        let fetched = try fixture.store.fetchRows(
            try fixture.plan("Author", sort: [.init(key: "born", ascending: false)]), generation: 9)
        #expect(fetched.blocks.map(\.count) == [256, 256, 88])
        #expect(fetched.blocks.allSatisfy { $0.generation == 9 })
        #expect(
            try fixture.rows(fetched).map { try fixture.value($0, "born") }
                == (0..<600).reversed().map { .integer(Int64($0)) })
    }
}

// MARK: By key and along relationships

@Suite struct ReadingTests {
    @Test func `one row costs one SELECT, a missing one returns nil`() throws {
        let fixture = try StoreFixture()
        let key = try fixture.insert("Author", [["name": .string("A")]])[0]
        fixture.log.forget()
        let row = try #require(try fixture.store.row(key, generation: 0))
        #expect(RowFormat.key(row.cells) == key.key)
        #expect(RowFormat.version(row.cells) == 1)
        #expect(
            fixture.log.take() == [
                "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME FROM ZAUTHOR t0 "
                    + "WHERE  t0.Z_PK = ? "
            ])
        #expect(try fixture.store.row(ObjectKey(entity: 0, key: 99), generation: 0) == nil)
    }

    @Test func `a batch is one SELECT whose text does not depend on its size, in request order`()
        throws
    {
        let fixture = try StoreFixture()
        let keys = try fixture.insert("Author", (0..<700).map { ["born": .integer(Int64($0))] })
        fixture.log.forget()
        let author = try fixture.entity("Author")
        var texts: Set<String> = []
        for size in [1, 20, 100, 500] {
            let wanted = ContiguousArray(keys.prefix(size).map(\.key).reversed()) + [5_000]
            let rows = fixture.rows(try fixture.store.rows(wanted, entity: author, generation: 0))
            #expect(rows.map { RowFormat.key($0.cells) } == wanted.dropLast())
            let taken = fixture.log.take()
            #expect(taken.count == 1)
            texts.formUnion(taken)
        }
        #expect(
            texts == [
                "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME FROM _Z_intarray(?) a "
                    + "CROSS JOIN ZAUTHOR t0 ON t0.Z_PK = a.value ORDER BY a.rowid"
            ])
    }

    @Test func `members of one owner are read by one SELECT, ordered ones in order`() throws {
        let fixture = try StoreFixture()
        let world = try ReadingWorld(fixture)
        let books = try #require(world.author.toManySlot(named: "books"))
        let chapters = try #require(world.book.toManySlot(named: "chapters"))
        let tags = try #require(world.book.toManySlot(named: "tags"))
        fixture.log.forget()
        #expect(
            try Array(fixture.store.destinations(of: world.authors[0], slot: books)) == world.books)
        #expect(
            fixture.log.take() == ["SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZAUTHOR = ? "])
        #expect(
            try Array(fixture.store.destinations(of: world.books[0], slot: chapters))
                == world.chapters.reversed())
        #expect(
            fixture.log.take() == [
                "SELECT 0, t0.Z_PK FROM ZCHAPTER t0 WHERE  t0.ZBOOK = ? "
                    + "ORDER BY t0.Z_FOK_BOOK, t0.Z_PK"
            ])
        #expect(try Array(fixture.store.destinations(of: world.books[1], slot: tags)) == world.tags)
        #expect(
            fixture.log.take() == [
                "SELECT 0, t0.Z_PK FROM Z_2TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_10TAGS "
                    + "WHERE t1.Z_2BOOKS = ? "
            ])
    }

    @Test func `members of many owners cost one SELECT, two over a join table`() throws {
        let fixture = try StoreFixture()
        let world = try ReadingWorld(fixture)
        let owners = ContiguousArray(world.authors.map(\.key))
        fixture.log.forget()
        let books = try fixture.store.destinations(
            ofAll: owners, entity: world.author,
            slot: try #require(world.author.toManySlot(named: "books")), generation: 3)
        #expect(books.keysByOwner == [world.books, []])
        #expect(fixture.rows(books.rows).map { RowFormat.key($0.cells) } == world.books.map(\.key))
        #expect(fixture.log.take().count == 1)
        let tags = try fixture.store.destinations(
            ofAll: ContiguousArray(world.books.reversed().map(\.key)), entity: world.book,
            slot: try #require(world.book.toManySlot(named: "tags")), generation: 3)
        #expect(tags.keysByOwner == [[], world.tags, [world.tags[0]]])
        #expect(fixture.rows(tags.rows).count == 2, "each row once")
        #expect(fixture.log.take().count == 2)
        let chapters = try fixture.store.destinations(
            ofAll: ContiguousArray(world.books.map(\.key)), entity: world.book,
            slot: try #require(world.book.toManySlot(named: "chapters")), generation: 3)
        #expect(chapters.keysByOwner == [world.chapters.reversed(), [], []])
    }

    @Test func `entities of a hierarchy share a table, and each row has its entity's slots`() throws
    {
        let fixture = try StoreFixture()
        let film = try fixture.insert("Film", [["name": .string("F"), "minutes": .integer(90)]])[0]
        let series = try fixture.insert(
            "Series", [["name": .string("S"), "seasons": .integer(3)]])[0]
        let short = try fixture.insert(
            "ShortFilm",
            [["name": .string("X"), "minutes": .integer(9), "festival": .string("C")]])[0]
        #expect([film, series, short].map(\.key) == [1, 2, 3], "one sequence for the family")
        let medium = try fixture.entity("Medium")
        let shelf = try fixture.insert("Shelf", [["favorite": .reference(short)]])[0]
        #expect(try fixture.value(shelf, "favorite") == .reference(short))
        fixture.log.forget()
        let all = fixture.rows(
            try fixture.store.fetchRows(FetchPlan(entity: medium), generation: 0))
        #expect(
            fixture.log.take() == [
                "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZMINUTES, t0.ZFESTIVAL, "
                    + "t0.ZSEASONS FROM ZMEDIUM t0"
            ])
        #expect(
            all.map { RowFormat.entity($0.cells) }
                == [film, series, short].map { Int($0.entity) })
        #expect(try fixture.value(all[2], "festival") == .string("C"))
        #expect(try fixture.value(all[1], "seasons") == .integer(3))
        let films = try fixture.store.fetchKeys(FetchPlan(entity: try fixture.entity("Film")))
        #expect(Array(films) == [film, short])
        #expect(
            fixture.log.take()
                == ["SELECT t0.Z_ENT, t0.Z_PK FROM ZMEDIUM t0 WHERE  t0.Z_ENT IN (?, ?)"])
        var plan = FetchPlan(entity: try fixture.entity("Film"), includesSubentities: false)
        #expect(Array(try fixture.store.fetchKeys(plan)) == [film])
        plan = FetchPlan(entity: try fixture.entity("Series"))
        #expect(try fixture.store.count(plan) == 1)
        #expect(
            fixture.log.take() == [
                "SELECT t0.Z_ENT, t0.Z_PK FROM ZMEDIUM t0 WHERE  t0.Z_ENT = ?",
                "SELECT COUNT(*) FROM ZMEDIUM t0 WHERE  t0.Z_ENT = ?",
            ])
    }
}

/// A store with an author who has two tags and three books. The first book has chapters.
struct ReadingWorld {
    let author: EntityLayout
    let book: EntityLayout
    let authors: [ObjectKey]
    let books: [ObjectKey]
    let chapters: [ObjectKey]
    let tags: [ObjectKey]

    init(_ fixture: StoreFixture) throws {
        author = try fixture.entity("Author")
        book = try fixture.entity("Book")
        authors = try fixture.insert("Author", [["name": .string("A")], ["name": .string("B")]])
        let owner = Value.reference(authors[0])
        books = try fixture.insert(
            "Book", ["x", "y", "z"].map { ["title": .string($0), "author": owner] })
        let first = Value.reference(books[0])
        chapters = try fixture.insert(
            "Chapter", ["1", "2"].map { ["title": .string($0), "book": first] })
        tags = try fixture.insert("Tag", [["name": .string("s")], ["name": .string("t")]])
        var plan = SavePlan()
        plan.memberships = [
            .init(
                entity: book, slot: try #require(book.toManySlot(named: "chapters")),
                owner: books[0].key, added: chapters, removed: [], order: chapters.reversed()),
            .init(
                entity: book, slot: try #require(book.toManySlot(named: "tags")),
                owner: books[0].key, added: [tags[0]], removed: [], order: nil),
            .init(
                entity: book, slot: try #require(book.toManySlot(named: "tags")),
                owner: books[1].key, added: tags, removed: [], order: nil),
        ]
        try fixture.commit(plan)
    }
}
