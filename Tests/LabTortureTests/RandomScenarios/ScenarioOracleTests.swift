import CoreDataStore
import LabRunner
import LabScenario
import Testing

@testable import LabTorture

/// Tests that each oracle reports a wrong schedule and accepts a correct one.
@Suite struct ScenarioOracleTests {
    private static let model = { () -> ModelView in
        // Safe: `Drafts.entities` is a valid model.
        ModelView(try! ScenarioDraft(entities: Drafts.entities).shape())
    }()

    private static func object(
        _ entity: String, n: String = "1", toOne: [String: String] = [:],
        toMany: [String: [String]] = [:]
    ) -> StoredGraph.Object {
        var object = StoredGraph.Object(entity: entity)
        object.attributes = ["n": n]
        object.toOne = toOne
        object.toMany = toMany
        object.relationships = entity == "Item" ? ["parts", "partner", "partnerOf"] : ["item"]
        return object
    }

    private static func graph() -> StoredGraph {
        var graph = StoredGraph()
        graph.objects["o1"] = object(
            "Item", toOne: ["partner": "o2"], toMany: ["parts": ["p1"]])
        graph.objects["o2"] = object("Item", toOne: ["partnerOf": "o1"], toMany: ["parts": []])
        graph.objects["p1"] = object("Part", toOne: ["item": "o1"])
        return graph
    }

    @Test func `right scenarios have no complaint in any store`() throws {
        let link = "insert Part as p1 with item = o1"
        let drafts = [
            Drafts.lone(["set o1.n = 2", "save"]),
            Drafts.two(["set o1.n = 2", "save"], [link, "save"], policy: "objectTrump"),
            Drafts.two(["delete o1", "save"], ["read o1.n -> x", "rollback"]),
        ]
        for draft in drafts {
            let judgement = try Drafts.judge(draft)
            #expect(judgement.complaints == [])
            for store in ["in-memory", "sqlite", "xml", "binary"] {
                #expect(judgement.counts["scenarios in \(store)"] == 1)
            }
        }
    }

    @Test func `a store with a different end is reported with the first difference`() {
        var end = ScheduleEnd(path: [0, 1])
        end.statuses = ["a1": "ok"]
        end.graph = Self.graph()
        #expect(EndComparison.difference(end, end, "one", "two") == nil)
        var other = end
        other.graph?.objects["o1"]?.attributes["n"] = "2"
        #expect(
            EndComparison.difference(end, other, "one", "two") == "o1.n is 1 in one and 2 in two")
        other.statuses["a1"] = "133020"
        #expect(
            EndComparison.difference(end, other, "one", "two")
                == "the step 'a1' is ok in one and 133020 in two")
        var gone = end
        gone.graph?.objects["p1"] = nil
        #expect(EndComparison.difference(end, gone, "one", "two") == "p1 is only in one")
        var found = end
        found.findings = ["stale read in a1"]
        #expect(
            EndComparison.difference(end, found, "one", "two")
                == "the finding 'stale read in a1' is only in two")
    }

    @Test(arguments: [
        ("fetch Item -> all", "[o1, o2]", true), ("fetch Item -> all", "[o1]", false),
        ("fetch Item sort n -> all", "[o1, o2]", false),
        ("fetch Item sort n -> all", "[o2, o3, o1]", false),
        ("fetch Item sort n limit 1 -> all", "[o1]", true),
        ("count Item -> all", "[o1]", false), ("count Item offset 1 -> all", "[o1]", true),
    ])
    func `an order is open if none was requested or values are equal`(
        _ fetch: String, _ seen: String, _ isOpen: Bool
    ) {
        var (one, other) = (ScheduleEnd(path: []), ScheduleEnd(path: []))
        one.graph = Self.graph()
        one.graph?.objects["o2"]?.attributes["n"] = "2"
        (one.values["all"], other.values["all"]) = ("[o2, o1]", seen)
        #expect(EndAllowance(Drafts.lone([fetch])).differs(one, other) == isOpen)
    }

    @Test(arguments: [("item", true), ("n", false)])
    func `sections by another key than the order's may fail in one store`(
        _ section: String, _ isOpen: Bool
    ) {
        var (one, other) = (ScheduleEnd(path: []), ScheduleEnd(path: []))
        (one.statuses, other.statuses) = (["a1": "134060"], ["a1": "ok"])
        let allowance = EndAllowance(Drafts.lone(["watch Part by \(section) sort n -> all"]))
        #expect((allowance.reason(one, .ended(other)) != nil) == isOpen)
    }

    @Test(arguments: ["delete o2", "set o2.n = 3"])
    func `an order by a value that the end does not show is open`(_ step: String) {
        var (one, other) = (ScheduleEnd(path: []), ScheduleEnd(path: []))
        one.graph = Self.graph()
        if step.hasPrefix("delete") { one.graph?.objects["o2"] = nil }
        (one.values["all"], other.values["all"]) = ("[o2, o1]", "[o1, o2]")
        let draft = Drafts.lone(["fetch Item sort n -> all", step])
        #expect(EndAllowance(draft).differs(one, other))
        one.values["all"] = "[o2, o1, o3]"
        #expect(!EndAllowance(draft).differs(one, other), "another member is no matter of order")
    }

    @Test func `a member that was added again may have another position in its list`() {
        var end = ScheduleEnd(path: [])
        end.graph = Self.graph()
        end.graph?.objects["o1"]?.toMany["parts"] = ["p1", "p2"]
        var other = end
        other.graph?.objects["o1"]?.toMany["parts"] = ["p2", "p1"]
        let two = EndAllowance(Drafts.two(["save"], ["save"]))
        #expect(two.reason(end, .ended(other)) == nil, "nothing was brought back")
        let overwriting = EndAllowance(Drafts.two(["save"], ["save"], policy: "overwrite"))
        #expect(overwriting.reason(end, .ended(other)) != nil)
        end.findings = ["resurrected delete in a1"]
        #expect(two.reason(end, .ended(other)) != nil)
        other.graph?.objects["o1"]?.attributes["n"] = "7"
        #expect(two.reason(end, .ended(other)) == nil, "something else differs, too")
    }

    @Test(arguments: [
        ("$o3 IN parts", "delete o3", true), ("partner == nil", "delete o3", true),
        ("n == 1", "delete o3", false), ("$o3 IN parts", "save", false),
    ])
    func `a list may differ if it follows links to deleted objects`(
        _ predicate: String, _ step: String, _ isOpen: Bool
    ) {
        var (one, other) = (ScheduleEnd(path: []), ScheduleEnd(path: []))
        one.graph = Self.graph()
        (one.values["all"], other.values["all"]) = ("[o2]", "[]")
        let draft = Drafts.two(
            [step, "save"],
            ["set o2.partner = o3", "save", "fetch Item where \(predicate) sort n -> all"])
        let allowance = EndAllowance(draft)
        #expect((allowance.reason(one, .ended(other)) != nil) == isOpen)
        #expect((allowance.reason(one, .hasOtherSteps) != nil) == (step == "delete o3"))
        #expect(allowance.reason(one, .failed(CoreDataError(.storeOperation, ""))) == nil)
    }

    @Test func `a conflict of the only writer is reported, a conflict between two is not`() {
        var end = ScheduleEnd(path: [0])
        end.statuses = ["a1": "ok"]
        #expect(SoleWriterOracle.complaint(end) == nil)
        end.conflicts = 2
        #expect(SoleWriterOracle.complaint(end)?.contains("called 2 times") == true)
        end.statuses = ["a1": "133020"]
        #expect(SoleWriterOracle.complaint(end)?.contains("133020") == true)
        #expect(SoleWriterOracle.applies(to: Drafts.lone(["save"])))
        #expect(!SoleWriterOracle.applies(to: Drafts.two(["save"], ["save"])))
        #expect(!SoleWriterOracle.applies(to: Drafts.lone(["batch-delete Item"])))
    }

    @Test func `ends of a relationship that disagree are reported`() {
        let oracle = InverseOracle(Drafts.lone(["save"]), Self.model)
        #expect(oracle.complaint(Self.graph()) == nil)
        var graph = Self.graph()
        graph.objects["o2"]?.toOne["partnerOf"] = nil
        #expect(oracle.complaint(graph) == "o1.partner holds o2, and o2.partnerOf is empty")
        graph = Self.graph()
        graph.objects["p1"] = nil
        #expect(oracle.complaint(graph) == "o1.parts holds p1, which is not in the store")
        graph = Self.graph()
        graph.objects["o1"]?.toMany["parts"] = ["p1", "p1"]
        #expect(oracle.complaint(graph)?.hasSuffix("twice") == true)
        // With two writers, only the ends of a one-to-one relationship may disagree.
        let shared = InverseOracle(Drafts.two(["save"], ["save"]), Self.model)
        graph = Self.graph()
        graph.objects["o2"]?.toOne["partnerOf"] = nil
        #expect(shared.complaint(graph) == nil)
        graph.objects["o1"]?.toMany["parts"] = []
        #expect(shared.complaint(graph) == "p1.item holds o1, and o1.parts is empty")
    }

    @Test func `a deadlock is reported if no step asked to wait`() {
        var end = ScheduleEnd(path: [0])
        #expect(DeadlockOracle.complaint(Drafts.lone(["save"]), end) == nil)
        end.findings = ["deadlock in a1"]
        #expect(DeadlockOracle.complaint(Drafts.lone(["save"]), end) != nil)
        #expect(DeadlockOracle.complaint(Drafts.lone(["wait blk"]), end) == nil)
        #expect(DeadlockOracle.complaint(Drafts.lone(["look-up o1@B as x"]), end) == nil)
    }

    @Test func `the reference follows links, delete rules and validation`() throws {
        let draft = Drafts.two(
            ["insert Part as p1 with item = o1, n = 3", "save"], ["delete o1", "save"])
        let scenario = try draft.scenario(try draft.shape())
        var start = StoredGraph()
        start.objects["o1"] = Self.object("Item", toMany: ["parts": []])
        var reference = SerialReference(Self.model, start: start)
        try reference.run(scenario.sessions[0])
        #expect(reference.stored.objects["o1"]?.toMany["parts"] == ["p1"])
        #expect(reference.stored.objects["p1"]?.toOne == ["item": "o1"])
        try reference.run(scenario.sessions[1])
        #expect(reference.stored.objects.isEmpty)

        var end = ScheduleEnd(path: [])
        end.graph = StoredGraph()
        let oracle = SerialOracle(scenario: scenario, model: Self.model)
        #expect(oracle.check([0, 1], start: start, end: end).complaint == nil)
        end.graph?.objects["p1"] = Self.object("Part")
        #expect(
            oracle.check([0, 1], start: start, end: end).complaint == "p1 is only in the store")
    }

    @Test func `a complaint about several names has one kind`() {
        let one = Complaint(.stores, "o1.n is 1 in sqlite-image and 2 in xml, after a1 b2")
        let other = Complaint(.stores, "p2.x3 is 7 in sqlite-image and 9 in xml, after c1")
        #expect(one.kind == other.kind)
        #expect(one.kind != Complaint(.inverses, one.text).kind)
    }

    @Test(arguments: [
        ("W", "merge all from A", false), ("W", "merge all from C", true),
        ("B", "merge next from A", false), ("C", "merge next from A", true),
        ("A", "save", false), ("W", "if o1 merge-remote C into W", true),
    ])
    func `a save is merged ahead if the listener's parent does not have it yet`(
        _ context: String, _ step: String, _ isAhead: Bool
    ) {
        var draft = Drafts.lone([step])
        draft.contexts = [
            .init(name: "W"), .init(name: "A", parent: "W"), .init(name: "B", parent: "W"),
            .init(name: "C", parent: "A"),
        ]
        draft.sessions[0].context = context
        #expect(draft.mergesAhead == isAhead)
        draft.sessions = []
        #expect(!draft.mergesAhead)
        draft.contexts[0].mergesFrom = ["C"]
        #expect(draft.mergesAhead)
    }
}
