import LabRunner
import Testing

@Suite struct TillTests {
    private func tills(policy: String) throws -> Scenario {
        try Scenario(
            name: "two-tills", about: "Both amounts count.",
            entities: [EntityShape("Till", attributes: ["amount": "integer64 required default 0"])],
            contexts: [ContextSpec("A", policy: policy), ContextSpec("B", policy: policy)],
            setup: ["insert Till as t with amount = 10"],
            sessions: [
                SessionSpec("one", on: "A", ["a1": "set t.amount = t.amount + 1", "a2": "save"]),
                SessionSpec("two", on: "B", ["b1": "set t.amount = t.amount + 2", "b2": "save"]),
            ],
            observe: ["amount": "read Till.amount", "first": "status a2", "second": "status b2"],
            outcomes: [
                OutcomeSpec(.acceptable, ["amount": 13], because: "One came after the other."),
                OutcomeSpec(.acceptable, ["first": 133_020], because: "A is told."),
                OutcomeSpec(.acceptable, ["second": 133_020], because: "B is told."),
            ])
    }

    @Test func `the error policy loses no amount`() throws {
        try Lab.expect(tills(policy: "error"))
    }

    @Test func `a policy that trumps loses one, and the failure says how to replay it`() throws {
        let failure = #expect(throws: LabFailure.self) {
            try Lab.expect(tills(policy: "objectTrump"))
        }
        #expect(failure?.description.contains("try Lab.replay(") == true)
    }
}
