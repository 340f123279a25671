import ContextHistory
import LabCheck
import Testing

@Suite struct LostChangesTests {
    private let first = entry(
        "b2", "B2",
        save(
            base: row(1, "x", 10), before: row(1, "x", 10), wanted: [(1, .integer(20))],
            after: row(2, "x", 20)))

    @Test func `a value computed from an older version is a lost update, with its sentence`() {
        let found = findings(
            entry("b1", "B1", .read(a1, key: "balance", value: .integer(10), version: 1)), first,
            entry(
                "b3", "B1",
                .write(
                    a1, key: "balance", value: .integer(15),
                    basis: computed(10, version: 1))),
            entry(
                "b4", "B1",
                save(
                    base: row(1, "x", 10), before: row(2, "x", 20), wanted: [(1, .integer(15))],
                    after: row(3, "x", 15))))
        #expect(found.map(\.name) == ["lost update"])
        #expect(
            found[0].prose
                == "B1 started from a1.balance 10 at version 1; B2 saved 20 as version 2; B1 saved"
                + " 15 computed from version 1, so 20 is lost.")
        #expect(found[0].evidence.first == "b2: B2 saved a1.balance = 20")
        #expect(found[0].step == "b4")
        #expect(found[0].adya == "G-single")
    }

    @Test func `two computed values that are equal still lose one of the changes`() {
        let found = findings(
            first,
            entry(
                "b3", "B1",
                .write(
                    a1, key: "balance", value: .integer(20),
                    basis: computed(10, version: 1))),
            entry(
                "b4", "B1",
                save(
                    base: row(1, "x", 10), before: row(2, "x", 20), wanted: [(1, .integer(20))],
                    after: row(3, "x", 20))))
        #expect(found.map(\.name) == ["lost update"])
        #expect(found[0].prose.hasSuffix("one of the two changes is lost."))
    }

    @Test func `a third value that a policy computed is not a loss`() {
        let found = findings(
            first,
            entry(
                "b3", "B1",
                .write(
                    a1, key: "balance", value: .integer(20),
                    basis: computed(10, version: 1))),
            entry(
                "b4", "B1",
                save(
                    base: row(1, "x", 10), before: row(2, "x", 20), wanted: [(1, .integer(20))],
                    after: row(3, "x", 30))))
        #expect(found.isEmpty)
    }

    @Test func `two literal values that are equal are not a loss`() {
        let found = findings(
            first,
            entry(
                "b4", "B1",
                save(
                    base: row(1, "x", 10), before: row(2, "x", 20), wanted: [(1, .integer(20))],
                    after: row(3, "x", 20))))
        #expect(found.isEmpty)
    }

    @Test func `a change that a successful save dropped is a lost update`() {
        let found = findings(
            first,
            entry(
                "b4", "B1",
                save(
                    base: row(1, "x", 10), before: row(2, "x", 20), wanted: [(1, .integer(15))],
                    after: row(2, "x", 20), policy: "storeTrump")))
        #expect(found.map(\.name) == ["lost update"])
        #expect(found[0].prose.hasSuffix("so 15 is lost."))
    }

    @Test func `a property that only the other session changed and that is written back is lost`() {
        let found = findings(
            first,
            entry(
                "b4", "B1",
                save(
                    base: row(1, "x", 10), before: row(2, "x", 20), wanted: [(0, .text("y"))],
                    after: row(3, "y", 10), policy: "overwrite")))
        #expect(found.map(\.name) == ["lost property"])
        #expect(found[0].prose.contains("did not change a1.balance but wrote 10 back"))
    }

    @Test func `a property that only this session changed and that is dropped is lost`() {
        let found = findings(
            first,
            entry(
                "b4", "B1",
                save(
                    base: row(1, "x", 10), before: row(2, "x", 20), wanted: [(0, .text("y"))],
                    after: row(2, "x", 20), policy: "rollback")))
        #expect(found.map(\.name) == ["lost property"])
        #expect(found[0].prose.contains("\"y\" is lost"))
    }

    @Test func `disjoint changes that are both kept are not a finding`() {
        let found = findings(
            first,
            entry(
                "b4", "B1",
                save(
                    base: row(1, "x", 10), before: row(2, "x", 20), wanted: [(0, .text("y"))],
                    after: row(3, "y", 20))))
        #expect(found.isEmpty)
    }

    @Test func `saves one after the other are not a finding`() {
        let found = findings(
            first,
            entry(
                "b3", "B1",
                .write(
                    a1, key: "balance", value: .integer(25),
                    basis: computed(20, version: 2))),
            entry(
                "b4", "B1",
                save(
                    base: row(2, "x", 20), before: row(2, "x", 20), wanted: [(1, .integer(25))],
                    after: row(3, "x", 25))))
        #expect(found.isEmpty)
    }

    @Test func `an insert that writes nil over a filled row blanks it`() {
        let found = findings(
            entry(
                "r2", "B2",
                save(
                    base: nil, before: row(1, "x", 10), wanted: [(0, .null), (1, .integer(10))],
                    named: [1], after: row(2, nil, 10))))
        #expect(found.map(\.name) == ["blanked by trump"])
        #expect(found[0].prose.contains("never set name"))
    }

    @Test func `neither an insert that keeps the old values nor an ordinary insert is a finding`() {
        #expect(
            findings(
                entry(
                    "r2", "B2",
                    save(
                        base: nil, before: row(1, "x", 10), wanted: [(0, .null)], named: [],
                        after: row(2, "x", 10)))
            ).isEmpty)
        #expect(
            findings(
                entry(
                    "r2", "B2",
                    save(base: nil, before: nil, wanted: [(0, .text("x"))], after: row(1, "x", nil))
                )
            ).isEmpty)
    }

    @Test func `an insert whose own value is dropped is a lost update`() {
        let found = findings(
            entry(
                "r2", "B2",
                save(
                    base: nil, before: row(1, nil, 10), wanted: [(0, .text("y"))],
                    after: row(1, nil, 10), policy: "storeTrump")))
        #expect(found.map(\.name) == ["lost property"])
    }
}

@Suite struct UniqueRaceTests {
    private func looked(_ step: String, _ context: String, found: [ObjectName] = [])
        -> History.Entry
    {
        entry(
            step, context,
            .looked(entity: 0, query: "Account where id == 7", found: found, count: found.count))
    }

    private func inserted(_ step: String, _ context: String, _ object: ObjectName) -> History.Entry
    {
        entry(
            step, context, save(object, base: nil, before: nil, wanted: [], after: row(1, "x", 1)))
    }

    @Test func `two sessions that both found nothing and inserted raced`() {
        let found = findings(
            looked("f1", "B1"), looked("s1", "B2"), inserted("f3", "B1", a1),
            inserted("s3", "B2", a2))
        #expect(found.map(\.name) == ["unique race"])
        #expect(found[0].prose.contains("a1 and a2"))
        #expect(found[0].evidence.count == 4)
    }

    @Test func `a session that fetched after the other had saved did not race`() {
        #expect(
            findings(
                looked("f1", "B1"), inserted("f3", "B1", a1), looked("s1", "B2", found: [a1])
            ).isEmpty)
        // The second fetch found nothing although it ran after the first save, so this is not a
        // race.
        #expect(
            findings(
                looked("f1", "B1"), inserted("f3", "B1", a1), looked("s1", "B2"),
                inserted("s3", "B2", a2)
            ).isEmpty)
    }
}

@Suite struct PoisonedContextTests {
    private func failure(_ step: String, culprits: [ObjectName], pending: [ObjectName])
        -> History.Entry
    {
        entry(step, "V", .saveFailed(.init(code: 133_021, culprits: culprits, pending: pending)))
    }

    @Test func `a second save that fails because of the first one's object is poisoned`() {
        let found = findings(
            failure("v2", culprits: [a1], pending: [a1]),
            failure("v4", culprits: [a1], pending: [a1, a2]))
        #expect(found.map(\.name) == ["poisoned context"])
        #expect(found[0].prose.contains("it tried to save a2"))
    }

    @Test func `after a rollback, or without new changes to save, it is not poisoned`() {
        #expect(
            findings(
                failure("v2", culprits: [a1], pending: [a1]), entry("v3", "V", .dropped),
                failure("v4", culprits: [a1], pending: [a1, a2])
            ).isEmpty)
        #expect(
            findings(
                failure("v2", culprits: [a1], pending: [a1]),
                failure("v4", culprits: [a1], pending: [a1])
            ).isEmpty)
    }
}

@Suite struct StaleReadTests {
    private let commit = entry(
        "b2", "B1",
        save(
            base: row(1, "x", 10), before: row(1, "x", 10), wanted: [(1, .integer(20))],
            after: row(2, "x", 20)))
    private func read(_ step: String, _ value: Int64, version: Int) -> History.Entry {
        entry(step, "V", .read(a1, key: "balance", value: .integer(value), version: version))
    }

    @Test
    func `an enqueued block of the saver that reads the old value does not read its writes`() {
        let found = findings(
            commit, entry("b2", "B1", .enqueued(block: "done", on: "V")),
            entry("~done", "V", .blockBegan(block: "done")), read("~done", 10, version: 1))
        #expect(found.map(\.name) == ["read your writes"])
        #expect(found[0].prose.contains("read 10"))
    }

    @Test func `a block that reads the new value is not a finding`() {
        #expect(
            findings(
                commit, entry("b2", "B1", .enqueued(block: "done", on: "V")),
                entry("~done", "V", .blockBegan(block: "done")), read("~done", 20, version: 2)
            ).isEmpty)
    }

    @Test func `a fetch after the save that returns the old value is stale`() {
        let found = findings(
            commit, entry("v1", "V", .looked(entity: 0, query: "Account", found: [a1], count: 1)),
            read("v2", 10, version: 1))
        #expect(found.map(\.name) == ["stale read"])
    }

    @Test func `a fetch before the save may return the old value`() {
        #expect(
            findings(
                entry("v1", "V", .looked(entity: 0, query: "Account", found: [a1], count: 1)),
                commit,
                read("v2", 10, version: 1)
            ).isEmpty)
    }
}

@Suite struct MergeTests {
    private let insert = entry(
        "w2", "W", save(base: nil, before: nil, wanted: [], after: row(1, "x", 1)))
    private let delete = entry(
        "w4", "W",
        save(base: row(1, "x", 1), before: row(1, "x", 1), wanted: [], after: nil, isDelete: true))
    private let merge = entry(
        "~m(W→M)", "M",
        .merged(Merge(source: "W", savedIn: "w2", inserted: [a1], updated: [], deleted: [])))

    @Test func `a merge of a row that was deleted meanwhile is late`() {
        let found = findings(insert, delete, merge)
        #expect(found.map(\.name) == ["late merge"])
        #expect(
            found[0].evidence == ["w2: W saved a1", "w4: W deleted a1", "~m(W→M): M merged w2"])
    }

    @Test func `a merge before the deletion is not late`() {
        #expect(findings(insert, merge, delete).isEmpty)
    }

    @Test func `a listener that holds an old row in the end missed a merge`() {
        let update = entry(
            "w6", "W",
            save(
                base: row(1, "x", 1), before: row(1, "x", 1), wanted: [(1, .integer(2))],
                after: row(2, "x", 2)))
        let listens = entry("end", "M", .listens(to: ["W"]))
        let found = findings(update, listens, entry("end", "M", .held(a1, row(1, "x", 1))))
        #expect(found.map(\.name) == ["missed merge"])
        #expect(findings(update, listens, entry("end", "M", .held(a1, row(2, "x", 2)))).isEmpty)
        #expect(findings(update, entry("end", "M", .held(a1, row(1, "x", 1)))).isEmpty)
    }
}

@Suite struct MisuseTests {
    @Test(arguments: Misuse.allCases)
    func `misuse is a finding with its own name`(misuse: Misuse) {
        let found = findings(entry("s1", "B1", .misuse(misuse, message: "what happened")))
        #expect(found.map(\.name) == [misuse.rawValue])
        #expect(found[0].prose == "what happened")
    }

    @Test func `an error that no policy explains is an engine error`() {
        #expect(
            findings(entry("s1", "B1", .failed(code: 134_030, message: "disk"))).map(\.name) == [
                "engine error"
            ])
    }

    @Test func `a read and a plain save are not findings`() {
        #expect(
            findings(
                entry("s1", "B1", .read(a1, key: "name", value: .text("x"), version: 1)),
                entry(
                    "s2", "B1",
                    save(
                        base: row(1, "x", 1), before: row(1, "x", 1), wanted: [(0, .text("y"))],
                        after: row(2, "y", 1)))
            ).isEmpty)
    }
}
