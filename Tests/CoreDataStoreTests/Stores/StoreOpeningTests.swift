import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import Foundation
import TestSupport
import Testing

@Suite struct StoreOpeningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(
        _ name: String, isReadOnly: Bool = false, location: SourceLocation = #_sourceLocation
    ) throws -> CoreDataError? {
        let before = try folder.contents
        let error = #expect(throws: CoreDataError.self, sourceLocation: location) {
            try StoreFixture(.file(folder.path(name))) { $0.isReadOnly = isReadOnly }
        }
        #expect(try folder.contents == before, "nothing was touched", sourceLocation: location)
        #expect(error?.info["NSFilePath"] == folder.path(name), sourceLocation: location)
        return error
    }

    @Test func `a file that is not a store is refused with Core Data's codes`() throws {
        try Data("not a database, but long enough to look like one".utf8)
            .write(to: folder.url.appendingPathComponent("text"))
        #expect(try failure("text")?.code == .fileReadCorrupt)
        try Data([0xFF, 0xFE, 0]).write(to: folder.url.appendingPathComponent("short"))
        #expect(try failure("short")?.code == .fileReadCorrupt)
        #expect(try failure("no/such/folder.sqlite")?.code == .fileReadUnknown)
        #expect(try failure("missing", isReadOnly: true)?.code == .readOnlyFileMissing)
        try Connection(.file(folder.path("plain"))).execute("CREATE TABLE t (a)")
        #expect(try failure("plain")?.code == .storeOpen)
    }

    @Test func `a folder is not a file`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("folder"), withIntermediateDirectories: false)
        let error = #expect(throws: CoreDataError.self) {
            try StoreFixture(.file(folder.path("folder")))
        }
        #expect(error?.code == .fileReadUnknown)
    }

    @Test func `a file with only a valid header is refused`() throws {
        var bytes = Data("SQLite format 3\0".utf8)
        bytes.append(Data(repeating: 0xAB, count: 5_000))
        try bytes.write(to: folder.url.appendingPathComponent("damaged"))
        #expect(try failure("damaged")?.code == .fileReadCorrupt)
    }

    @Test func `a new file keeps its rows and its identity`() throws {
        let path = folder.path("new.sqlite")
        var identifier = ""
        do {
            let fixture = try StoreFixture(.file(path))
            try fixture.insert("Author", [["name": .string("Ada")]])
            identifier = fixture.store.identifier
            fixture.store.close()
        }
        #expect(try folder.contents.keys.sorted() == ["new.sqlite"], "the log is gone after close")
        let fixture = try StoreFixture(.file(path))
        #expect(fixture.store.identifier == identifier)
        #expect(try fixture.values("name", try fixture.plan("Author")) == [.string("Ada")])
        let connection = try Connection(.file(path))
        #expect(try rows(connection, "PRAGMA journal_mode") == ["wal"])
        #expect(try rows(connection, "PRAGMA auto_vacuum") == ["2"])
        #expect(try rows(connection, "PRAGMA integrity_check") == ["ok"])
    }

    /// The statements and the error of opening a file.
    private func opening(_ path: String) throws -> (statements: [String], missing: String?) {
        let (trace, log) = (Trace(), StatementLog())
        trace.add(log)
        do {
            try SQLiteStore(.init(.file(path)), layout: StoreModels.library, trace: trace).close()
            return (log.texts, nil)
        } catch {
            return (log.texts, error.info["missing"])
        }
    }

    @Test func `an existing file is checked for the names of the model, in one state`() throws {
        let path = folder.path("store")
        try StoreFixture(.file(path)).store.close()
        let usual = try opening(path)
        #expect(usual.missing == nil)
        #expect(
            usual.statements.prefix(4) == [
                "BEGIN", "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY",
                "SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA", "COMMIT",
            ])
        #expect(!usual.statements.contains { $0.contains("pragma_table_info") })

        for (change, missing) in [
            ("RENAME COLUMN ZNAME TO ZNOM", "column ZAUTHOR.ZNAME"),
            ("RENAME TO ZWRITER", "table ZAUTHOR"),
        ] {
            try Connection(.file(path)).execute("ALTER TABLE ZAUTHOR \(change)")
            let other = try opening(path)
            #expect(other.missing == missing)
            #expect(other.statements.first == "BEGIN")
            #expect(other.statements.contains { $0.contains("pragma_table_info") })
            #expect(other.statements.last == "COMMIT")
        }
    }

    @Test(arguments: SQLiteStoreOptions.JournalMode.allCases)
    func `each journal mode saves and reads`(_ mode: SQLiteStoreOptions.JournalMode) throws {
        let fixture = try StoreFixture(.file(folder.path("store"))) { $0.journalMode = mode }
        let key = try fixture.insert("Author", [["name": .string("Ada")]])[0]
        #expect(try fixture.value(key, "name") == .string("Ada"))
        let connection = try Connection(.file(folder.path("store")))
        let kept = mode == .wal || mode == .persist ? mode.rawValue : "delete"
        #expect(try rows(connection, "PRAGMA journal_mode") == [mode == .persist ? "delete" : kept])
    }

    @Test func `pragmas are run as given, and invalid ones are refused`() throws {
        let fixture = try StoreFixture(.file(folder.path("store"))) {
            $0.pragmas = [
                .init(name: "synchronous", value: "OFF"), .init(name: "cache_size", value: "-500"),
            ]
        }
        try fixture.insert("Author", [[:]])
        let error = #expect(throws: CoreDataError.self) {
            try StoreFixture(.file(folder.path("other"))) {
                $0.pragmas = [.init(name: "cache_size", value: "1; DROP TABLE ZAUTHOR")]
            }
        }
        #expect(error?.code == .fileReadUnknown)
    }

    @Test func `a store opened read-only reads, and a save is refused with 513`() throws {
        let path = folder.path("store")
        do {
            let fixture = try StoreFixture(.file(path))
            try fixture.insert("Author", [["name": .string("Ada")]])
            fixture.store.close()
        }
        let fixture = try StoreFixture(.file(path)) { $0.isReadOnly = true }
        #expect(try fixture.store.count(try fixture.plan("Author")) == 1)
        var plan = SavePlan()
        plan.updates = [
            try fixture.update(ObjectKey(entity: 0, key: 1), version: 1, ["name": .string("x")])
        ]
        let error = #expect(throws: CoreDataError.self) { try fixture.store.save(plan) }
        #expect(error?.code == .fileWriteNoPermission)
        #expect(throws: CoreDataError.self) {
            try fixture.store.reserveKeys(1, for: try fixture.entity("Author"))
        }
    }

    @Test func `a closed store refuses work`() throws {
        let fixture = try StoreFixture(.file(folder.path("store")))
        fixture.store.close()
        #expect(throws: CoreDataError.self) { try fixture.store.count(try fixture.plan("Author")) }
        #expect(throws: CoreDataError.self) {
            try fixture.store.reserveKeys(1, for: try fixture.entity("Author"))
        }
    }

    @Test func `readers run next to the writer and see only whole saves`() async throws {
        let fixture = try StoreFixture(.file(folder.path("store")))
        let store = fixture.store
        let plan = FetchPlan(entity: try fixture.entity("Tag"))
        let tag = try fixture.entity("Tag")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var last = 0
                    for _ in 0..<200 {
                        let count = try store.count(plan)
                        #expect(count >= last && count % 20 == 0)
                        last = count
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for _ in 0..<50 {
                    let first = try store.reserveKeys(20, for: tag)
                    var plan = SavePlan()
                    plan.inserts = [
                        SavePlan.Insert(
                            entity: tag, keys: ContiguousArray(first..<(first + 20)),
                            values: ContiguousArray(repeating: .null, count: 20 * tag.values.count))
                    ]
                    _ = try store.save(plan)
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.count(plan) == 1_000)
    }

    @Test func `another stack on the same file causes a version conflict`() throws {
        let path = folder.path("store")
        let first = try StoreFixture(.file(path))
        let key = try first.insert("Tag", [["name": .string("a")]])[0]
        let second = try StoreFixture(.file(path))
        var plan = SavePlan()
        plan.updates = [try second.update(key, version: 1, ["name": .string("b")])]
        try second.commit(plan)
        guard case .conflicts(let conflicts) = try first.store.save(plan) else {
            Issue.record("no conflict")
            return
        }
        #expect(try first.value(try #require(conflicts[0].persisted), "name") == .string("b"))
    }
}

// MARK: Images

@Suite struct StoreImageTests {
    @Test func `a reset restores a world without any SQL`() throws {
        let fixture = try StoreFixture()
        let key = try fixture.insert("Tag", [["name": .string("a")]])[0]
        let image = try fixture.store.makeImage()
        for _ in 0..<3 {
            var plan = SavePlan()
            plan.updates = [try fixture.update(key, version: 1, ["name": .string("b")])]
            try fixture.commit(plan)
            try fixture.insert("Tag", (0..<300).map { _ in ["name": .string("c")] })
            #expect(try fixture.value(key, "name") == .string("b"))
            fixture.log.forget()
            try fixture.store.rewind(to: StoreMark(image))
            #expect(fixture.log.take().isEmpty)
            #expect(try fixture.value(key, "name") == .string("a"))
            #expect(try fixture.store.count(try fixture.plan("Tag")) == 1)
        }
        #expect(try fixture.insert("Tag", [[:]])[0].key == 2, "keys go back too")
    }

    @Test func `a file store cannot be reset to an image`() throws {
        let folder = try TemporaryFolder()
        let fixture = try StoreFixture(.file(folder.path("store")))
        let image = try fixture.store.makeImage()
        let error = #expect(throws: CoreDataError.self) {
            try fixture.store.rewind(to: StoreMark(image))
        }
        #expect(error?.code == .unsupported)
    }

    @Test func `damaged images return errors and never crash`() throws {
        let good = try StoreFixture()
        _ = try PredicateWorld(good)
        try good.insert("Shelf", (0..<200).map { ["label": .string("label \($0)")] })
        let image = try good.store.makeImage()
        var generator = SeededGenerator(seed: 20)
        var opened = 0
        for round in 0..<200 {
            let damaged = damage(image, round, &generator)
            guard let fixture = try? StoreFixture(.image(damaged)) else { continue }
            opened += 1
            exercise(fixture)
        }
        #expect(opened > 20, "many kinds of damage are found only later")
    }

    private func damage(
        _ image: [UInt8], _ round: Int, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = image
        switch round % 4 {
        case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
        case 1:
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            for index in start..<min(start + 64, bytes.count) {
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
        default:
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                    UInt8.random(in: 0...255, using: &generator)
            }
        }
        return bytes
    }

    /// Runs various operations, which may throw.
    private func exercise(_ fixture: StoreFixture) {
        let store = fixture.store
        for entity in fixture.layout.entities {
            let plan = FetchPlan(entity: entity)
            let keys = (try? store.fetchKeys(plan)) ?? []
            for row in (try? store.fetchRows(plan, generation: 0)).map(fixture.rows) ?? [] {
                let layout = fixture.layout[RowFormat.entity(row.cells)]
                for (slot, value) in layout.values.enumerated() {
                    _ = RowFormat.value(row.cells, slot: slot, kind: value.kind)
                }
            }
            let numbers = ContiguousArray(keys.map(\.key))
            _ = try? store.rows(numbers, entity: entity, generation: 0)
            for slot in entity.toMany.indices {
                _ = try? store.destinations(
                    ofAll: numbers, entity: entity, slot: slot, generation: 0)
                if let key = keys.first { _ = try? store.destinations(of: key, slot: slot) }
            }
            guard !entity.isAbstract else { continue }
            _ = try? fixture.insertQuietly(entity)
            if let key = keys.first {
                var plan = SavePlan()
                plan.deletes = [fixture.delete(key, version: 1)]
                _ = try? store.save(plan)
            }
        }
        _ = try? store.makeImage()
    }
}

extension StoreFixture {
    fileprivate func insertQuietly(_ entity: EntityLayout) throws {
        var plan = SavePlan()
        plan.inserts = [
            SavePlan.Insert(
                entity: entity, keys: [try store.reserveKeys(1, for: entity)],
                values: ContiguousArray(repeating: .null, count: entity.values.count))
        ]
        _ = try store.save(plan)
    }
}
