import ContextHistory
import LabCheck
import Testing

/// Tests of all orders of a read, a change, a new fetch and a deletion.
@Suite struct StaleReadFamilyTests {
    enum Event: CaseIterable { case change, look, delete, read }

    /// A variant of the program. It defines the step by which V fetches or refreshes the row, and
    /// the session that changes it.
    struct Form: Sendable, CustomTestStringConvertible {
        let look: String
        let writer: String
        let isUnsaved: Bool

        var testDescription: String { "\(look), \(writer), \(isUnsaved ? "unsaved" : "saved")" }
    }

    static let forms = ["fetch", "refresh", "refresh all", "nothing"].flatMap { look in
        ["save", "batch", "outside", "outside without a version"].flatMap { writer in
            [false, true].map { Form(look: look, writer: writer, isUnsaved: $0) }
        }
    }

    private static func orders(_ events: [Event]) -> [[Event]] {
        if events.isEmpty { return [[]] }
        return events.indices.flatMap { index -> [[Event]] in
            var rest = events
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    /// Whether V has read a stale value. The old value is stale if V fetched or refreshed the row
    /// after the change. It is not stale if V has an unsaved value or if the row was deleted.
    private static func isStale(_ order: [Event], _ form: Form) -> Bool {
        var value = 10
        var asked = 10
        for event in order {
            switch event {
            case .change: value = 15
            case .look: asked = value
            case .delete: return false
            case .read: return form.look != "nothing" && asked == 15 && !form.isUnsaved
            }
        }
        return false
    }

    @Test(arguments: forms) func `a read is stale after a fetch or refresh that follows a change`(
        form: Form
    ) {
        var stale = 0
        for order in Self.orders(Event.allCases) {
            var entries: [History.Entry] = []
            if form.isUnsaved {
                entries.append(
                    entry("v0", "V", .write(a1, key: "balance", value: .integer(7), basis: .given)))
            }
            for event in order { entries += Self.entries(event, order, form) }
            var history = History(schema: schema)
            history.entries = entries
            let found = Detectors.findings(in: history).filter { $0.name == "stale read" }
            let expected = Self.isStale(order, form)
            #expect(found.isEmpty != expected, "\(order)")
            if expected { stale += 1 }
        }
        #expect((stale > 0) == (form.look != "nothing" && !form.isUnsaved))
    }

    private static func entries(
        _ event: Event, _ order: [Event], _ form: Form
    ) -> [History.Entry] {
        switch event {
        case .read:
            let value: ObservedValue = .integer(form.isUnsaved ? 7 : 10)
            return [entry("v2", "V", .read(a1, key: "balance", value: value, version: 1))]
        case .look:
            switch form.look {
            case "fetch":
                return [entry("v1", "V", .looked(entity: 0, query: "", found: [a1], count: 1))]
            case "refresh": return [entry("v1", "V", .refreshed(a1, keepsChanges: true))]
            case "refresh all": return [entry("v1", "V", .refreshed(nil, keepsChanges: true))]
            default: return []
            }
        case .change:
            // A deleted row cannot be changed.
            let isGone = order.prefix { $0 != .change }.contains(.delete)
            return isGone ? [] : [write(form, before: row(1, "x", 10), after: changed(form))]
        case .delete:
            let hasChanged = order.prefix { $0 != .delete }.contains(.change)
            let before = hasChanged ? changed(form) : row(1, "x", 10)
            return [
                entry(
                    "b2", "B",
                    save(base: before, before: before, wanted: [], after: nil, isDelete: true))
            ]
        }
    }

    private static func changed(_ form: Form) -> Row {
        row(form.writer.hasSuffix("version") ? 1 : 2, "x", 15)
    }

    private static func write(_ form: Form, before: Row, after: Row) -> History.Entry {
        let change = Save.Change(
            object: a1, base: before, before: before, wanted: [(1, .integer(15))], named: [1],
            after: after)
        switch form.writer {
        case "save":
            return entry(
                "b1", "B", .saved(Save(target: .store, policy: "error", changes: [change])))
        case "batch":
            return entry(
                "b1", "B",
                .saved(
                    Save(
                        target: .store, policy: "error", changes: [change],
                        batch: ["balance": .given])))
        default: return entry("b1", "P", .wroteOutside([change]))
        }
    }
}

/// A message about a lost update names the sessions that saved.
@Suite struct LostUpdateWordTests {
    private let first = entry(
        "b2", "B",
        save(
            base: row(1, "x", 10), before: row(1, "x", 10), wanted: [(1, .integer(15))],
            after: row(2, "x", 15)))

    @Test(arguments: ["storeTrump", "rollback"])
    func `a context whose save wrote nothing has saved nothing`(policy: String) {
        let dropped = entry(
            "v3", "V",
            save(
                base: row(1, "x", 10), before: row(2, "x", 15), wanted: [(1, .integer(17))],
                after: row(2, "x", 15), policy: policy))
        let write = entry(
            "v1", "V",
            .write(a1, key: "balance", value: .integer(17), basis: computed(10, version: 1)))
        let found = findings(write, first, dropped)
        #expect(found.map(\.name) == ["lost update"])
        #expect(!found[0].prose.contains("V saved"))
        #expect(found[0].prose.contains("V's 17, computed from version 1, was dropped"))
        // The message about the third context's save must not name V either.
        let third = entry(
            "c1", "C",
            save(
                base: row(1, "x", 10), before: row(2, "x", 15), wanted: [(1, .integer(30))],
                after: row(3, "x", 30)))
        let last = findings(write, first, dropped, third).last
        #expect(last?.prose.contains("B saved 15 as version 2") == true)
    }
}
