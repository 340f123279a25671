import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import TestSupport
import Testing

@Suite struct SaveTests {
    @Test func `sixteen rows go into one INSERT, and a save is one transaction`() throws {
        let fixture = try StoreFixture()
        fixture.log.forget()
        try fixture.insert("Tag", (0..<35).map { ["name": .string("\($0)")] })
        #expect(
            fixture.log.all.map(\.kind) == [
                .begin, .select, .update, .commit, .begin, .insert, .insert, .insert, .insert,
                .insert,
                .commit,
            ])
        #expect(
            fixture.log.texts.last { $0.hasPrefix("INSERT") }
                == "INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, ?, ?)")
        #expect(fixture.log.all.filter { $0.kind == .insert }.map(\.rows) == [16, 16, 1, 1, 1])
        #expect(try fixture.store.count(try fixture.plan("Tag")) == 35)
    }

    @Test func `keys come from Z_PRIMARYKEY and are never used twice`() throws {
        let fixture = try StoreFixture()
        let tag = try fixture.entity("Tag")
        #expect(try fixture.store.reserveKeys(3, for: tag) == 1)
        #expect(try fixture.store.reserveKeys(1, for: tag) == 4)
        #expect(
            fixture.log.take().prefix(4) == [
                "BEGIN IMMEDIATE", "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
                "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX IS ?",
                "COMMIT",
            ])
        let key = try fixture.insert("Tag", [[:]])[0]
        #expect(key.key == 5)
        var plan = SavePlan()
        plan.deletes = [fixture.delete(key, version: 1)]
        try fixture.commit(plan)
        #expect(try fixture.insert("Tag", [[:]])[0].key == 6)
        #expect(try fixture.insert("ShortFilm", [[:]])[0].key == 1)
        #expect(try fixture.insert("Series", [[:]])[0].key == 2, "the root's sequence")
    }

    // Proves S3.1-1
    @Test func `an update writes the changed columns and checks the version`() throws {
        let fixture = try StoreFixture()
        let key = try fixture.insert("Book", [["title": .string("a"), "year": .integer(1)]])[0]
        fixture.log.forget()
        var plan = SavePlan()
        plan.updates = [try fixture.update(key, version: 1, ["title": .string("b")])]
        try fixture.commit(plan)
        #expect(
            fixture.log.take() == [
                "BEGIN IMMEDIATE",
                "UPDATE ZBOOK SET ZTITLE = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?", "COMMIT",
            ])
        #expect(try fixture.value(key, "title") == .string("b"))
        #expect(try fixture.value(key, "year") == .integer(1))
        #expect(try fixture.version(key) == 2)
        plan.updates = [try fixture.update(key, version: 2, [:])]
        fixture.log.forget()
        try fixture.commit(plan)
        #expect(
            fixture.log.take()[1] == "UPDATE ZBOOK SET Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?")
        #expect(try fixture.version(key) == 3)
    }

    @Test func `all rows with another version are reported with their current values`() throws {
        let fixture = try StoreFixture()
        let keys = try fixture.insert("Book", ["a", "b", "c", "d"].map { ["title": .string($0)] })
        var other = SavePlan()
        other.updates = [
            try fixture.update(keys[0], version: 1, ["title": .string("A")]),
            try fixture.update(keys[2], version: 1, ["title": .string("C")]),
        ]
        other.deletes = [fixture.delete(keys[3], version: 1)]
        try fixture.commit(other)
        let before = try fixture.store.makeImage()
        var plan = SavePlan()
        plan.updates = try keys.map { try fixture.update($0, version: 1, ["year": .integer(7)]) }
        plan.inserts = []
        guard case .conflicts(let conflicts) = try fixture.store.save(plan) else {
            Issue.record("no conflict")
            return
        }
        #expect(conflicts.map(\.key) == [keys[0], keys[2], keys[3]])
        #expect(conflicts.map(\.expectedVersion) == [1, 1, 1])
        let persisted = conflicts.map(\.persisted)
        #expect(try fixture.value(try #require(persisted[0]), "title") == .string("A"))
        #expect(RowFormat.version(try #require(persisted[0]).cells) == 2)
        #expect(try fixture.value(try #require(persisted[1]), "title") == .string("C"))
        #expect(persisted[2] == nil, "deleted by somebody else")
        #expect(fixture.log.all.last { $0.kind == .rollback } != nil)
        #expect(try fixture.store.makeImage() == before, "nothing is left behind")
    }

    @Test func `deleting a deleted row is not a conflict, deleting a changed one is`() throws {
        let fixture = try StoreFixture()
        let keys = try fixture.insert("Tag", [[:], [:]])
        var plan = SavePlan()
        plan.deletes = [fixture.delete(keys[0], version: 1)]
        try fixture.commit(plan)
        try fixture.commit(plan)
        plan = SavePlan()
        plan.updates = [try fixture.update(keys[1], version: 1, ["name": .string("x")])]
        try fixture.commit(plan)
        plan = SavePlan()
        plan.deletes = [fixture.delete(keys[1], version: 1)]
        guard case .conflicts(let conflicts) = try fixture.store.save(plan) else {
            Issue.record("no conflict")
            return
        }
        #expect(conflicts.map(\.key) == [keys[1]])
        #expect(try fixture.store.count(try fixture.plan("Tag")) == 1)
    }

    @Test func `a lock requires a row's version without writing it`() throws {
        let fixture = try StoreFixture()
        let keys = try fixture.insert("Tag", [[:], [:]])
        let tag = try fixture.entity("Tag")
        var plan = SavePlan()
        plan.updates = [try fixture.update(keys[1], version: 1, ["name": .string("x")])]
        plan.locks = [.init(entity: tag, key: keys[0].key, version: 1)]
        try fixture.commit(plan)
        #expect(try fixture.version(keys[0]) == 1)
        plan.updates = [try fixture.update(keys[1], version: 2, ["name": .string("y")])]
        plan.locks = [.init(entity: tag, key: keys[0].key, version: 4)]
        guard case .conflicts(let conflicts) = try fixture.store.save(plan) else {
            Issue.record("no conflict")
            return
        }
        #expect(conflicts.map(\.key) == [keys[0]])
        #expect(try fixture.value(keys[1], "name") == .string("x"))
    }

    @Test func `a row without a version can be changed and deleted`() throws {
        let fixture = try StoreFixture()
        let keys = try fixture.insert("Tag", [[:], [:]])
        let store = try fixture.reopened(after: "UPDATE ZTAG SET Z_OPT = NULL")
        var plan = SavePlan()
        plan.updates = [try store.update(keys[0], version: 0, ["name": .string("x")])]
        plan.deletes = [store.delete(keys[1], version: 0)]
        try store.commit(plan)
        #expect(try store.version(keys[0]) == 1)
        #expect(try store.store.count(try store.plan("Tag")) == 1)
    }

    // Proves S3.3-4
    @Test func `a key that another tool used is a conflict with that row`() throws {
        let fixture = try StoreFixture()
        let store = try fixture.reopened(
            after: "INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(1, 10, 1, 'theirs')")
        var plan = SavePlan()
        let keys = try store.insert("Tag", [["name": .string("mine")]], into: &plan)
        guard case .conflicts(let conflicts) = try store.store.save(plan) else {
            Issue.record("no conflict")
            return
        }
        #expect(conflicts.map(\.key) == keys)
        #expect(try store.value(try #require(conflicts[0].persisted), "name") == .string("theirs"))
    }

    @Test func `deleting an owner removes it from join tables and hidden keys`() throws {
        let fixture = try StoreFixture()
        let world = try ReadingWorld(fixture)
        var plan = SavePlan()
        plan.deletes = [fixture.delete(world.books[1], version: 1)]
        try fixture.commit(plan)
        let slot = try #require(try fixture.entity("Tag").toManySlot(named: "books"))
        #expect(
            try Array(fixture.store.destinations(of: world.tags[0], slot: slot)) == [world.books[0]]
        )
        #expect(try fixture.store.destinations(of: world.tags[1], slot: slot).isEmpty)
    }

    @Test func `hidden foreign keys are written with the members and their order`() throws {
        let fixture = try StoreFixture()
        let shelf = try fixture.insert("Shelf", [[:], [:]])
        let films = try fixture.insert("Film", [[:], [:], [:]])
        let entity = try fixture.entity("Shelf")
        let slot = try #require(entity.toManySlot(named: "items"))
        func put(_ owner: ObjectKey, add: [ObjectKey], remove: [ObjectKey], order: [ObjectKey])
            throws
        {
            var plan = SavePlan()
            plan.memberships = [
                .init(
                    entity: entity, slot: slot, owner: owner.key, added: add, removed: remove,
                    order: order)
            ]
            try fixture.commit(plan)
        }
        let wanted = [films[2], films[0], films[1]]
        try put(shelf[0], add: films, remove: [], order: wanted)
        #expect(try Array(fixture.store.destinations(of: shelf[0], slot: slot)) == wanted)
        try put(shelf[0], add: [], remove: [films[0]], order: [films[1], films[2]])
        #expect(
            try Array(fixture.store.destinations(of: shelf[0], slot: slot)) == [films[1], films[2]])
        try put(shelf[1], add: [films[0]], remove: [], order: [films[0]])
        #expect(try Array(fixture.store.destinations(of: shelf[1], slot: slot)) == [films[0]])
    }

    @Test func `a failing statement leaves nothing behind and names the object`() throws {
        let fixture = try StoreFixture()
        let store = try fixture.reopened(
            after: "CREATE TRIGGER no BEFORE INSERT ON ZTAG WHEN NEW.ZNAME = 'bad' "
                + "BEGIN SELECT RAISE(ABORT, 'not this one'); END")
        var plan = SavePlan()
        let authors = try store.insert("Author", [["name": .string("A")]], into: &plan)
        let tags = try store.insert(
            "Tag", (0..<40).map { ["name": .string($0 == 21 ? "bad" : "good")] }, into: &plan)
        let error = #expect(throws: CoreDataError.self) { try store.store.save(plan) }
        #expect(error?.code == .sqlite)
        #expect(error?.objects == [tags[21]])
        #expect(error?.message.contains("not this one") == true)
        #expect(try store.store.row(authors[0], generation: 0) == nil)
        #expect(try store.store.count(try store.plan("Tag")) == 0)
        try store.insert("Tag", [["name": .string("good")]])
    }

    @Test func `metadata is written by the next save, and only the application's keys`() throws {
        let fixture = try StoreFixture {
            $0.newStoreMetadata = ["NSStoreModelVersionHashesVersion": 3]
        }
        var metadata = fixture.store.metadata
        metadata["lastSync"] = "yesterday"
        metadata["NSStoreModelVersionHashesVersion"] = 99
        try fixture.store.setMetadata(metadata)
        #expect(fixture.store.metadata["lastSync"] as? String == "yesterday")
        #expect(try fixture.reopened().store.metadata["lastSync"] == nil)
        try fixture.commit(SavePlan())
        let reopened = try fixture.reopened()
        #expect(reopened.store.metadata["lastSync"] as? String == "yesterday")
        #expect(reopened.store.metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
        #expect(reopened.store.identifier == fixture.store.identifier)
    }
}

// MARK: Unique values

@Suite struct UniquenessTests {
    @Test func `a value that another row has is reported with that row`() throws {
        let fixture = try StoreFixture()
        let old = try fixture.insert("Book", [["isbn": .string("1"), "title": .string("old")]])[0]
        var plan = SavePlan()
        let new = try fixture.insert(
            "Book", (0..<20).map { ["isbn": .string($0 == 17 ? "1" : "n\($0)")] }, into: &plan)
        let violations = try fixture.violations(plan)
        #expect(violations.map(\.planned) == [[new[17]]])
        #expect(violations.first?.constraint.indexName == "Z_Book_UNIQUE_isbn")
        let persisted = try #require(violations.first?.persisted)
        #expect(RowFormat.key(persisted.cells) == old.key)
        #expect(try fixture.value(persisted, "title") == .string("old"))
        #expect(try fixture.store.count(try fixture.plan("Book")) == 1)
    }

    @Test func `rows of one plan with the same value are reported together`() throws {
        let fixture = try StoreFixture()
        let old = try fixture.insert("Book", [["isbn": .string("2")]])[0]
        var plan = SavePlan()
        let new = try fixture.insert(
            "Book", ["1", "1", "2"].map { ["isbn": .string($0)] }, into: &plan)
        let violations = try fixture.violations(plan)
        #expect(violations.map(\.planned) == [[new[0], new[1]], [new[2]]])
        #expect(violations[0].persisted == nil)
        #expect(violations[1].persisted.map { RowFormat.key($0.cells) } == old.key)
    }

    @Test func `NULL is never a duplicate, and case matters`() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Book", [[:], [:], ["isbn": .string("a")], ["isbn": .string("A")]])
        // The strings are equal in Swift. SQLite compares their bytes, which differ.
        try fixture.insert("Book", [["isbn": .string("\u{E9}")], ["isbn": .string("e\u{301}")]])
        #expect(try fixture.store.count(try fixture.plan("Book")) == 6)
    }

    @Test func `a new row may have the value of a row that is deleted in the same save`() throws {
        let fixture = try StoreFixture()
        let old = try fixture.insert("Book", [["isbn": .string("1")]])[0]
        var plan = SavePlan()
        plan.deletes = [fixture.delete(old, version: 1)]
        _ = try fixture.insert("Book", [["isbn": .string("1")]], into: &plan)
        try fixture.commit(plan)
        #expect(try fixture.store.count(try fixture.plan("Book")) == 1)
    }

    @Test func `two rows may swap their values`() throws {
        let fixture = try StoreFixture()
        let keys = try fixture.insert("Book", [["isbn": .string("1")], ["isbn": .string("2")]])
        var plan = SavePlan()
        plan.updates = [
            try fixture.update(keys[0], version: 1, ["isbn": .string("2")]),
            try fixture.update(keys[1], version: 1, ["isbn": .string("1")]),
        ]
        try fixture.commit(plan)
        #expect(try fixture.value(keys[0], "isbn") == .string("2"))
        #expect(try fixture.value(keys[1], "isbn") == .string("1"))
        #expect(try fixture.version(keys[1]) == 2)
    }

    @Test func `an update to a taken value is reported`() throws {
        let fixture = try StoreFixture()
        let keys = try fixture.insert("Book", [["isbn": .string("1")], ["isbn": .string("2")]])
        var plan = SavePlan()
        plan.updates = [try fixture.update(keys[0], version: 1, ["isbn": .string("2")])]
        let violations = try fixture.violations(plan)
        #expect(violations.map(\.planned) == [[keys[0]]])
        #expect(violations[0].persisted.map { RowFormat.key($0.cells) } == keys[1].key)
    }

    // Proves S3.1-4
    @Test func `another program's change that keeps the version is not noticed`() throws {
        let fixture = try StoreFixture()
        let key = try fixture.insert("Book", [["title": .string("a"), "year": .integer(1)]])[0]
        let store = try fixture.reopened(after: "UPDATE ZBOOK SET ZYEAR = 2")
        var plan = SavePlan()
        plan.updates = [try store.update(key, version: 1, ["title": .string("b")])]
        try store.commit(plan)
        #expect(try store.value(key, "year") == .integer(2))
        #expect(try store.version(key) == 2)
    }

    // Proves S3.7-9
    @Test func `an unexpected version is reported before a taken value`() throws {
        let fixture = try StoreFixture()
        let keys = try fixture.insert("Book", [["isbn": .string("1")], ["isbn": .string("2")]])
        var plan = SavePlan()
        plan.updates = [
            try fixture.update(keys[0], version: 1, ["isbn": .string("2")]),
            try fixture.update(keys[1], version: 5, ["year": .integer(1)]),
        ]
        guard case .conflicts(let conflicts) = try fixture.store.save(plan) else {
            Issue.record("no conflict")
            return
        }
        #expect(conflicts.map(\.key) == [keys[1]])
    }
}

// MARK: Order

@Suite struct OrderValuesTests {
    private func apply(_ known: [Int64?]) -> [Int64] {
        var values = known.map { $0 ?? -1 }
        for change in OrderValues.changes(known) { values[change.index] = change.value }
        return values
    }

    @Test func `the first member has 2048 and each further one 1024 more`() {
        #expect(apply([nil, nil, nil]) == [2048, 3072, 4096])
        #expect(apply([2048, 3072, nil]) == [2048, 3072, 4096])
    }

    @Test func `a member between two others has the middle number and no other changes`() {
        #expect(apply([2048, nil, 3072]) == [2048, 2560, 3072])
        #expect(apply([nil, 2048]) == [1024, 2048])
        #expect(OrderValues.changes([2048, 3072, 4096]).isEmpty)
    }

    @Test func `moving one member changes one number`() {
        #expect(OrderValues.changes([4096, 2048, 3072]) == [.init(index: 0, value: 1024)])
        #expect(OrderValues.changes([3072, 4096, 2048]) == [.init(index: 2, value: 5120)])
    }

    @Test func `without a free number the members around are renumbered`() {
        #expect(apply([5, nil, 6]).isStrictlyIncreasing)
        #expect(apply([1, nil, 2, 3, 4, 1000]).isStrictlyIncreasing)
        #expect(apply([1, nil, nil, 2]).isStrictlyIncreasing)
        #expect(apply([0, -5, 7, nil]).isStrictlyIncreasing)
        #expect(apply([7, 7, 7]).isStrictlyIncreasing)
        #expect(apply([.max, nil]).isStrictlyIncreasing)
    }

    @Test func `any list of numbers becomes strictly increasing`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let known = (0..<count).map { _ -> Int64? in
                Int.random(in: 0...3, using: &generator) == 0
                    ? nil : Int64.random(in: -3...20, using: &generator)
            }
            #expect(apply(known).isStrictlyIncreasing, "\(known)")
        }
    }
}

extension [Int64] {
    fileprivate var isStrictlyIncreasing: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
