import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import TestSupport
import Testing

/// Saves that write rows with consecutive keys in one statement.
@Suite struct RunTests {
    private let fixture: StoreFixture
    private let keys: [ObjectKey]

    init() throws {
        fixture = try StoreFixture()
        keys = try fixture.insert("Tag", (0..<40).map { ["name": .string("\($0)")] })
        fixture.log.forget()
    }

    /// The plan sets the same properties in each of the rows.
    private func update(
        _ keys: [ObjectKey], in fixture: StoreFixture, version: Int32 = 1,
        _ values: (Int) -> [String: Value]
    ) throws -> SavePlan {
        var group = try fixture.update(keys[0], version: version, values(0))
        for (place, key) in keys.enumerated().dropFirst() {
            let one = try fixture.update(key, version: version, values(place))
            group.keys += one.keys
            group.versions += one.versions
            group.values += one.values
        }
        var plan = SavePlan()
        plan.updates = [group]
        return plan
    }

    private func rename(_ keys: [ObjectKey], version: Int32 = 1) throws -> SavePlan {
        try update(keys, in: fixture, version: version) { ["name": .string("new \($0)")] }
    }

    private func delete(_ keys: [ObjectKey], version: Int32 = 1) -> SavePlan {
        var group = fixture.delete(keys[0], version: version)
        group.keys = ContiguousArray(keys.map(\.key))
        group.versions = ContiguousArray(repeating: version, count: keys.count)
        var plan = SavePlan()
        plan.deletes = [group]
        return plan
    }

    private func conflicts(_ plan: SavePlan) throws -> [RowConflict] {
        guard case .conflicts(let conflicts) = try fixture.store.save(plan) else {
            Issue.record("no conflict")
            return []
        }
        return conflicts
    }

    /// The number of rows of each statement of this kind. Statements on join tables do not count.
    private func rows(_ kind: StatementEvent.Kind) -> [Int] {
        fixture.log.all.filter { $0.kind == kind && $0.sql.contains("Z_PK") }.map(\.rows)
    }

    @Test func `D-069: consecutive rows are changed by one UPDATE`() throws {
        try fixture.commit(try rename(keys))
        #expect(
            fixture.log.texts == [
                "BEGIN IMMEDIATE",
                "UPDATE ZTAG SET ZNAME = _Z_run(Z_PK, 0), Z_OPT = ?  "
                    + "WHERE Z_PK BETWEEN ? AND ? AND Z_OPT = ?", "COMMIT",
            ])
        #expect(rows(.update) == [40])
        for (place, key) in keys.enumerated() {
            #expect(try fixture.value(key, "name") == .string("new \(place)"))
            #expect(try fixture.version(key) == 2)
        }
    }

    @Test func `consecutive rows are deleted by one DELETE`() throws {
        try fixture.commit(delete(Array(keys[3..<30])))
        #expect(rows(.delete) == [27])
        #expect(try fixture.store.count(try fixture.plan("Tag")) == 13)
    }

    @Test func `versions without changed values are incremented by one UPDATE`() throws {
        try fixture.commit(try update(keys, in: fixture) { _ in [:] })
        #expect(rows(.update) == [40])
        #expect(try fixture.version(keys[39]) == 2)
        #expect(try fixture.value(keys[39], "name") == .string("39"))
    }

    @Test func `few rows, and rows with gaps, are written one by one`() throws {
        try fixture.commit(try rename(Array(keys.prefix(15))))
        #expect(rows(.update).count == 15)
        fixture.log.forget()
        let every2nd = stride(from: 0, to: 40, by: 2).map { keys[$0] }
        try fixture.commit(delete(every2nd.filter { $0.key > 16 }))
        #expect(rows(.delete).allSatisfy { $0 == 1 })
    }

    @Test func `if one row of a run has changed, only this row is in conflict`() throws {
        try fixture.commit(try rename([keys[20]]))
        let before = try fixture.store.makeImage()
        let found = try conflicts(try rename(keys))
        #expect(found.map(\.key) == [keys[20]])
        #expect(found[0].persisted.map { RowFormat.version($0.cells) } == 2)
        #expect(try fixture.store.makeImage() == before, "nothing is left behind")
        #expect(try conflicts(delete(keys)).map(\.key) == [keys[20]])
        #expect(try fixture.store.makeImage() == before, "nothing is left behind")
    }

    @Test func `if all rows of a run have changed, each is in conflict, read by one SELECT`()
        throws
    {
        try fixture.commit(try rename(keys))
        try fixture.commit(delete([keys[7]], version: 2))
        fixture.log.forget()
        let found = try conflicts(try rename(keys))
        #expect(found.map(\.key) == keys)
        #expect(rows(.select).count == 1)
        for (place, conflict) in found.enumerated() {
            if place == 7 {
                #expect(conflict.persisted == nil)
            } else {
                let row = try #require(conflict.persisted)
                #expect(try fixture.value(row, "name") == .string("new \(place)"))
            }
        }
    }

    @Test func `deleted rows of a run count as deleted`() throws {
        try fixture.commit(delete([keys[4], keys[9]]))
        try fixture.commit(delete(keys))
        #expect(try fixture.store.count(try fixture.plan("Tag")) == 0)
    }

    @Test func `rows without a version can be changed and deleted in a run`() throws {
        let other = try fixture.reopened(after: "UPDATE ZTAG SET Z_OPT = NULL WHERE Z_PK % 3 = 0")
        let none = keys.filter { $0.key % 3 == 0 }
        try other.commit(
            try update(keys, in: other, version: 1) { ["name": .string("\($0)!")] }
                .replacingVersions(of: none, by: 0))
        #expect(try keys.allSatisfy { try other.version($0) == ($0.key % 3 == 0 ? 1 : 2) })
        let all = try fixture.reopened(after: "UPDATE ZTAG SET Z_OPT = NULL")
        try all.commit(
            try update(keys, in: all, version: 0) { ["name": .string("\($0)!")] })
        #expect(try keys.allSatisfy { try all.version($0) == 1 })
        #expect(try all.value(keys[39], "name") == .string("39!"))
    }

    @Test func `a row of a run that violates a constraint is named in the error`() throws {
        let other = try fixture.reopened(
            after: "CREATE TRIGGER no BEFORE UPDATE ON ZTAG WHEN NEW.ZNAME = 'bad' "
                + "BEGIN SELECT RAISE(ABORT, 'not this one'); END")
        let plan = try update(keys, in: other) { ["name": .string($0 == 21 ? "bad" : "good")] }
        let error = #expect(throws: CoreDataError.self) { try other.store.save(plan) }
        #expect(error?.objects == [keys[21]])
        #expect(try other.value(keys[0], "name") == .string("0"))
    }

    @Test func `a taken value in a run is reported, and rows of a run may swap values`() throws {
        let books = try fixture.insert("Book", (0..<30).map { ["isbn": .string("\($0)")] })
        let taken = try update(Array(books.prefix(20)), in: fixture) {
            ["isbn": .string($0 == 5 ? "25" : "\($0)")]
        }
        let violations = try fixture.violations(taken)
        #expect(violations.map(\.planned) == [[books[5]]])
        try fixture.commit(
            try update(books, in: fixture) { ["isbn": .string("\(($0 + 1) % 30)")] })
        #expect(try fixture.value(books[29], "isbn") == .string("0"))
        #expect(try fixture.version(books[0]) == 2)
    }

    @Test func `values of every kind are written, also the entity next to a key`() throws {
        let values: [String: Value] = [
            "bool": .integer(1), "date": .double(1.5), "decimal": .decimal(Decimal(2.25)),
            "double": .double(-0.1), "float": .double(0.5), "int16": .integer(-7),
            "int32": .integer(8), "int64": .integer(.min), "text": .string("é\0x"),
            "uri": .string("x:y"),
            "uuid": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6))),
        ]
        let rows = try fixture.insert("Everything", Array(repeating: [:], count: 32))
        fixture.log.forget()
        try fixture.commit(
            try update(rows, in: fixture) { place in
                values.mapValues { place % 2 == 0 ? $0 : .null }
            })
        #expect(self.rows(.update) == [32])
        for (name, value) in values {
            #expect(try fixture.value(rows[30], name) == value)
            #expect(try fixture.value(rows[31], name) == .null)
        }
        let films = try fixture.insert("Film", [[:]]) + fixture.insert("ShortFilm", [[:]])
        let shelves = try fixture.insert("Shelf", Array(repeating: [:], count: 20))
        try fixture.commit(
            try update(shelves, in: fixture) { ["favorite": .reference(films[$0 % 2])] })
        #expect(try fixture.value(shelves[18], "favorite") == .reference(films[0]))
        #expect(try fixture.value(shelves[19], "favorite") == .reference(films[1]))
    }

    @Test func `long bytes are written row by row`() throws {
        let rows = try fixture.insert("Everything", Array(repeating: [:], count: 20))
        fixture.log.forget()
        let bytes = Data(repeating: 7, count: 5_000)
        try fixture.commit(try update(rows, in: fixture) { _ in ["data": .data(bytes)] })
        #expect(self.rows(.update).count == 20)
        #expect(try fixture.value(rows[19], "data") == .data(bytes))
    }

    /// The expected result is computed row by row.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `random groups are saved, or refused, like single rows`(seed: UInt64) throws {
        var draw = SeededGenerator(seed: seed)
        let other = Set(keys.filter { _ in Int.random(in: 0..<30, using: &draw) == 0 })
        if !other.isEmpty {
            let sorted = keys.filter(other.contains)
            try fixture.commit(try rename(sorted))
        }
        let isShuffled = Bool.random(using: &draw)
        let chosen = keys.filter { _ in Int.random(in: 0..<25, using: &draw) > 0 }
        let order = isShuffled ? chosen.shuffled(using: &draw) : chosen
        let isDeletion = Bool.random(using: &draw)
        let expected = order.filter(other.contains)
        let plan = isDeletion ? delete(order) : try rename(order)
        if expected.isEmpty {
            try fixture.commit(plan)
        } else {
            #expect(try conflicts(plan).map(\.key) == expected)
        }
        let isWritten = expected.isEmpty
        for key in keys {
            let row = try fixture.store.row(key, generation: 0)
            if isDeletion, isWritten, order.contains(key) {
                #expect(row == nil)
                continue
            }
            let isChanged = other.contains(key) || isWritten && order.contains(key)
            #expect(row.map { RowFormat.version($0.cells) } == (isChanged ? 2 : 1))
            guard isWritten, !isDeletion, let place = order.firstIndex(of: key) else { continue }
            #expect(try fixture.value(key, "name") == .string("new \(place)"))
        }
    }
}

extension SavePlan {
    /// The rows with these keys get another expected version.
    fileprivate func replacingVersions(of keys: [ObjectKey], by version: Int32) -> SavePlan {
        var plan = self
        for group in plan.updates.indices {
            for row in plan.updates[group].keys.indices
            where keys.contains(where: { $0.key == plan.updates[group].keys[row] }) {
                plan.updates[group].versions[row] = version
            }
        }
        return plan
    }
}
