import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: RealStores.folder != nil, RealStores.areMissing))
struct RealStoreTests {
    @Test(arguments: RealStores.samples)
    func `a store of a real app opens and counts as plain SQL does`(_ sample: RealStores.Sample)
        throws
    {
        let folder = try TemporaryFolder()
        let path = try folder.copy(sample.store)
        let fixture = try StoreFixture(.file(path), layout: try sample.layout())
        let connection = try Connection(.file(path))
        for entity in fixture.layout.entities {
            let family = try entity.familyRange.map { index in
                let name = fixture.layout[index].name
                return try rows(
                    connection,
                    "SELECT count(*) FROM \(entity.tableName) WHERE Z_ENT = "
                        + "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)')")[0]
            }.compactMap(Int.init).reduce(0, +)
            let plan = FetchPlan(entity: entity)
            #expect(try fixture.store.count(plan) == family)
            #expect(try fixture.store.fetchKeys(plan).count == family)
            let fetched = try fixture.store.fetchRows(plan, generation: 0)
            #expect(fetched.count == family)
            try compareValues(fixture, entity, fixture.rows(fetched), connection)
        }
        #expect(
            try fixture.store.identifier == rows(connection, "SELECT Z_UUID FROM Z_METADATA")[0])
    }

    private func compareValues(
        _ fixture: StoreFixture, _ entity: EntityLayout, _ fetched: [RowReference],
        _ connection: Connection
    ) throws {
        for (slot, value) in entity.values.enumerated() {
            guard let column = value.column, value.kind == .string else { continue }
            let texts = fetched.map { row -> String in
                RowFormat.isNull(row.cells, slot: slot)
                    ? "" : RowFormat.string(row.cells, slot: slot)
            }
            let keys = fetched.map { String(RowFormat.key($0.cells)) }.joined(separator: ",")
            #expect(
                try texts.sorted()
                    == rows(
                        connection,
                        "SELECT \(column) FROM \(entity.tableName) WHERE Z_PK IN (\(keys))"
                    ).sorted())
        }
    }

    @Test(arguments: RealStores.samples)
    func `a save changes its rows and nothing else`(_ sample: RealStores.Sample) throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy(sample.store)
        let before = try content(path)
        var inserted: [ObjectKey] = []
        var changed: ObjectKey?
        do {
            let fixture = try StoreFixture(.file(path), layout: try sample.layout())
            let entity = try #require(fixture.layout.entities.first)
            var plan = SavePlan()
            let slot = try #require(entity.values.firstIndex { $0.kind == .string })
            let name = entity.values[slot].name
            inserted = try fixture.insert(
                entity.name, [[name: .string("new 1")], [name: .string("new 2")]], into: &plan)
            changed = try fixture.store.fetchKeys(FetchPlan(entity: entity)).first
            if let changed {
                plan.updates = [
                    try fixture.update(
                        changed, version: try fixture.version(changed), [name: .string("changed")])
                ]
            }
            try fixture.commit(plan)
            fixture.store.close()
        }
        let after = try content(path)
        #expect(after.keys.sorted() == before.keys.sorted())
        for (table, old) in before where table != "Z_PRIMARYKEY" {
            let new = try #require(after[table])
            if table == "sqlite_master" || table.hasPrefix("Z_M") {
                #expect(new == old, "\(table) is byte for byte what it was")
                continue
            }
            let touched = Set(new).symmetricDifference(old)
            let isTable = table == fixtureTable(sample)
            #expect(
                touched.count == (isTable ? inserted.count + (changed == nil ? 0 : 2) : 0),
                "\(table)")
        }
        let connection = try Connection(.file(path))
        #expect(try rows(connection, "PRAGMA integrity_check") == ["ok"])
        #expect(try rows(connection, "PRAGMA auto_vacuum") == ["2"])
    }

    private func fixtureTable(_ sample: RealStores.Sample) -> String? {
        (try? sample.layout())?.entities.first?.tableName
    }

    /// All rows of all tables, and the schema.
    private func content(_ path: String) throws -> [String: [String]] {
        let connection = try Connection(.file(path))
        var content = [
            "sqlite_master": try rows(connection, "SELECT type, name, sql FROM sqlite_master")
        ]
        for table in try rows(connection, "SELECT name FROM sqlite_master WHERE type = 'table'") {
            content[table] = try rows(connection, "SELECT * FROM \(table)")
        }
        return content
    }

    @Test func `ordered children have the order of the app`() throws {
        let folder = try TemporaryFolder()
        let sample = RealStores.samples[1]
        let path = try folder.copy(sample.store)
        let fixture = try StoreFixture(.file(path), layout: try sample.layout())
        let entity = try #require(fixture.layout.entities.first)
        let slot = try #require(entity.toManySlot(named: "children"))
        let owners = try fixture.store.fetchKeys(FetchPlan(entity: entity))
        let all = try fixture.store.destinations(
            ofAll: ContiguousArray(owners.map(\.key)), entity: entity, slot: slot, generation: 0)
        let connection = try Connection(.file(path))
        for (owner, members) in zip(owners, all.keysByOwner) {
            #expect(
                try members.map { String($0.key) }
                    == rows(
                        connection,
                        "SELECT Z_PK FROM ZBOOKMARKENTITY WHERE ZPARENT = \(owner.key) "
                            + "ORDER BY Z_FOK_PARENT"))
            #expect(try Array(fixture.store.destinations(of: owner, slot: slot)) == members)
        }
        #expect(all.keysByOwner.contains { $0.count > 1 })
    }

    @Test func `triggers of derived attributes run when such a store is written`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copy("alemar11-CoreDataPlus-SampleModel2_V2.sqlite")
        let fixture = try StoreFixture(.file(path), layout: try Self.booksAndPages()) {
            $0.tracksHistory = true
        }
        let books = try fixture.store.fetchKeys(try fixture.plan("Book"))
        let book = try #require(books.first)
        guard case .integer(let count) = try fixture.value(book, "pagesCount") else {
            Issue.record("the book has no count")
            return
        }
        try fixture.insert("Page", [["number": .integer(900), "book": .reference(book)]])
        #expect(try fixture.value(book, "pagesCount") == .integer(count + 1))
    }

    private static func booksAndPages() throws -> ModelLayout {
        let book = StoreModels.entity(
            "Book",
            [
                StoreModels.attribute("title"),
                StoreModels.attribute("pagesCount", .integer64AttributeType),
            ])
        let novel = StoreModels.entity("GraphicNovel", [])
        book.subentities = [novel]
        let page = StoreModels.entity(
            "Page", [StoreModels.attribute("number", .integer32AttributeType)])
        StoreModels.relate(book, "pages", many: true, page, "book", many: false)
        let model = NSManagedObjectModel()
        model.entities = [book, novel, page]
        try model.freeze()
        return model.layout
    }

    @Test func `a store without columns of the model is refused with all of them, and unchanged`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = try folder.copy(RealStores.samples[0].store)
        let before = try folder.contents
        let error = #expect(throws: CoreDataError.self) {
            try StoreFixture(.file(path), layout: try RealStores.samples[2].layout())
        }
        #expect(error?.code == .storeIncompatibleVersionHash)
        #expect(error?.message.contains("ZBOOKMARKENTITY.") == true, "\(error?.message ?? "")")
        let after = try folder.contents
        #expect(after.keys == before.keys)
        #expect(after[RealStores.samples[0].store] == before[RealStores.samples[0].store])
        #expect(
            after[RealStores.samples[0].store + "-wal"]
                == before[RealStores.samples[0].store + "-wal"])
    }
}
