import ContextHistory
import LabCheck
import Testing

/// Tests of detectors that compare rows. Sessions have read, merged or linked these rows, and saves
/// have written them.
@Suite struct SnapshotDetectorTests {
    private func found(
        _ schema: History.Schema = schema, _ entries: History.Entry...
    ) -> [Detection] {
        var history = History(schema: schema)
        history.entries = entries
        return Detectors.findings(in: history)
    }

    private let family: History.Schema = {
        var family = schema
        family.parents = ["C": "M"]
        return family
    }()

    private func read(_ step: String, _ context: String, _ balance: Int64) -> History.Entry {
        entry(step, context, .read(a1, key: "balance", value: .integer(balance), version: 1))
    }

    private func write(_ step: String, _ context: String, _ balance: Int64) -> History.Entry {
        entry(
            step, context, .write(a1, key: "balance", value: .integer(balance), basis: .given))
    }

    // MARK: Unsaved values

    @Test func `a child's read of a value that its parent drops is dirty`() {
        let dirty = found(
            family, write("m1", "M", 99), read("c1", "C", 99), entry("m2", "M", .dropped))
        #expect(dirty.map(\.name) == ["dirty read"])
        #expect(dirty[0].adya == "G1a")
        #expect(
            dirty[0].prose
                == "C read a1.balance 99, which M had not saved; M dropped it in m2, so no store"
                + " ever had the value that was read.")
    }

    @Test func `a child's read of a value that its parent replaces before saving is intermediate`()
    {
        let between = found(
            family, write("m1", "M", 99), read("c1", "C", 99), write("m2", "M", 20))
        #expect(between.map(\.name) == ["intermediate read"])
        #expect(between[0].adya == "G1b")
    }

    @Test func `reads in other contexts, of own values and of saved values are neither`() {
        let end = entry("m2", "M", .dropped)
        #expect(found(family, write("m1", "M", 99), read("b1", "B", 99), end).isEmpty)
        #expect(
            found(family, write("m1", "M", 99), write("c0", "C", 99), read("c1", "C", 99), end)
                .isEmpty)
        let saving = entry(
            "m2", "M",
            save(
                base: row(1, "x", 10), before: row(1, "x", 10), wanted: [(1, .integer(99))],
                after: row(2, "x", 99)))
        #expect(
            found(
                family, write("m1", "M", 99), read("c1", "C", 99), saving,
                entry("m3", "M", .dropped)
            ).isEmpty)
    }

    // MARK: Read skew

    private func transfer() -> History.Entry {
        func change(_ object: ObjectName, _ old: Int64, _ new: Int64) -> Save.Change {
            .init(
                object: object, base: row(1, "x", old), before: row(1, "x", old),
                wanted: [(1, .integer(new))], named: [1], after: row(2, "x", new))
        }
        return entry(
            "t1", "A",
            .saved(
                Save(
                    target: .store, policy: "error",
                    changes: [change(a1, 10, 5), change(a2, 20, 25)])))
    }

    private func look(_ step: String, _ object: ObjectName, version: Int) -> History.Entry {
        entry(step, "B", .read(object, key: "balance", value: .integer(0), version: version))
    }

    @Test func `one row from before a save and one from after it are read skew`() {
        let skew = found(
            schema, look("r1", a1, version: 1), transfer(), look("r2", a2, version: 2))
        #expect(skew.map(\.name) == ["read skew"])
        #expect(skew[0].adya == "G-single")
        #expect(skew[0].step == "r2")
    }

    @Test func `two rows from the same time are not, nor are those on two sides of a rollback`() {
        #expect(
            found(schema, look("r1", a1, version: 1), transfer(), look("r2", a2, version: 1))
                .isEmpty)
        #expect(
            found(
                schema, look("r1", a1, version: 1), transfer(), entry("r2", "B", .dropped),
                look("r3", a2, version: 2)
            ).isEmpty)
    }

    // MARK: Phantoms

    private func fetch(_ step: String, _ objects: [ObjectName]) -> History.Entry {
        entry(
            step, "B",
            .looked(entity: 0, query: "Account", found: objects, count: objects.count))
    }

    private var insertion: History.Entry {
        entry("a1", "A", save(a2, base: nil, before: nil, wanted: [], after: row(1, "y", 0)))
    }

    @Test func `a fetch that another context's insertion changes meets a phantom`() {
        let phantom = found(schema, fetch("b1", [a1]), insertion, fetch("b2", [a1, a2]))
        #expect(phantom.map(\.name) == ["phantom"])
        #expect(phantom[0].prose.contains("A inserted a2 in between"))
    }

    @Test func `an equal result, and another one after a rollback, are not phantoms`() {
        #expect(found(schema, insertion, fetch("b1", [a1, a2]), fetch("b2", [a1, a2])).isEmpty)
        #expect(
            found(
                schema, fetch("b1", [a1]), insertion, entry("b2", "B", .dropped),
                fetch("b3", [a1, a2])
            ).isEmpty)
    }

    // MARK: Rows that are gone, ends that disagree

    @Test func `a successful save of a deleted row is a ghost update`() {
        let ghost = found(
            schema,
            entry(
                "b2", "B",
                save(base: row(1, "x", 10), before: nil, wanted: [(1, .integer(5))], after: nil)))
        #expect(ghost.map(\.name) == ["ghost update"])
    }

    @Test
    func `neither a deletion of a deleted row nor a row that is inserted again is a ghost update`()
    {
        #expect(
            found(
                schema,
                entry(
                    "b2", "B",
                    save(
                        base: row(1, "x", 10), before: nil, wanted: [], after: nil, isDelete: true))
            ).isEmpty)
        #expect(
            !found(
                schema,
                entry(
                    "b2", "B",
                    save(
                        base: row(1, "x", 10), before: nil, wanted: [(1, .integer(5))],
                        after: row(1, "x", 5)))
            ).contains { $0.name == "ghost update" })
    }

    private func marry(_ step: String, _ pairs: [(ObjectName, String?)]) -> History.Entry {
        let changes = pairs.map { object, partner in
            let after = Row(version: 2, values: [partner.map { .object($0) } ?? .null])
            return Save.Change(
                object: object, base: after, before: after, wanted: [], named: [], after: after)
        }
        return entry(step, "A", .saved(Save(target: .store, policy: "error", changes: changes)))
    }

    private let couples = History.Schema(
        entities: [(name: "Person", keys: ["partner"])], partners: [[0: 0]])

    @Test func `two ends that disagree are a broken inverse, two that agree are not`() {
        let broken = found(
            couples, marry("a1", [(a1, "a2"), (a2, "a1")]), marry("a2", [(a2, nil)]))
        #expect(broken.map(\.name) == ["broken inverse"])
        #expect(broken[0].prose.contains("a1.partner = a2, and a2.partner is nil"))
        #expect(found(couples, marry("a1", [(a1, "a2"), (a2, "a1")])).isEmpty)
    }

    // MARK: Merges and ids

    @Test func `the same save merged twice is a duplicate, two saves are not`() {
        func merge(_ step: String, of saved: String) -> History.Entry {
            entry(
                step, "V",
                .merged(
                    Merge(source: "B", savedIn: saved, inserted: [], updated: [a1], deleted: [])))
        }
        #expect(
            found(schema, merge("v1", of: "b1"), merge("v2", of: "b1")).map(\.name)
                == ["duplicated merge"])
        #expect(found(schema, merge("v1", of: "b1"), merge("v2", of: "b2")).isEmpty)
    }

    @Test func `a listener that did not receive a save does not converge`() {
        let saved = entry(
            "d1", "D",
            save(
                base: row(1, "x", 10), before: row(1, "x", 10), wanted: [(1, .integer(20))],
                after: row(2, "x", 20)))
        let held = entry("end", "V", .held(a1, row(1, "x", 10)))
        #expect(
            found(schema, saved, entry("end", "V", .listens(to: ["B"])), held).map(\.name)
                == ["no convergence"])
        #expect(
            found(
                schema, saved, entry("end", "V", .listens(to: ["B"])),
                entry("end", "V", .held(a1, row(2, "x", 20)))
            ).isEmpty)
    }

    @Test func `a temporary id in another context is an escaped id`() {
        let escaped = found(schema, entry("b1", "B", .tookTemporary(a1, from: "M")))
        #expect(escaped.map(\.name) == ["temporary id escaped"])
    }
}
