import Foundation
import LabFiles
import LabRunner
import LabScenario
import Testing
import XCTest

/// Two tills add to one amount under the given merge policy.
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
        observe: ["amount": "read Till.amount", "second": "status b2"],
        outcomes: [
            OutcomeSpec(.acceptable, ["amount": 13], because: "In turn."),
            OutcomeSpec(.acceptable, ["amount": 11, "second": 133_020], because: "B is told."),
            OutcomeSpec(.acceptable, ["amount": 12, "second": "ok"], because: "A is told."),
        ])
}

@Suite struct LabExpectationTests {
    @Test func `a scenario written in Swift by its lines passes in a test`() throws {
        try Lab.expect(try tills(policy: "error"))
    }

    @Test func `a scenario that fails ends a test with the finding and a token`() throws {
        let failure = #expect(throws: LabFailure.self) {
            try Lab.expect(try tills(policy: "objectTrump"))
        }
        let text = try #require(failure?.description)
        #expect(
            text.hasPrefix("two-tills: failed\n  (amount = 11, second = ok) matches no outcome"))
        #expect(text.contains("  lost update: "))
        #expect(text.contains("  try Lab.replay(\"lab1:two-tills@"))
        #expect(!text.contains("@00000000"))
    }

    @Test func `the token of a scenario in Swift replays, and reports another version`() throws {
        let failure = #expect(throws: LabFailure.self) {
            try Lab.expect(try tills(policy: "objectTrump"))
        }
        let text = try #require(failure?.description)
        let line = try #require(text.split(separator: "\n").last { $0.contains("Lab.replay") })
        let token = String(line.split(separator: "\"")[1])
        let again = try Lab.replay(token, try tills(policy: "objectTrump"))
        #expect(again.adaptations.isEmpty)
        #expect(again.transcript.contains("token    \(token)\n"))
        #expect(again.transcript.contains("finding  lost update"))
        let other = try Lab.replay(token, try tills(policy: "error"))
        #expect(other.adaptations == ["the scenario has changed since the token was printed"])
        #expect(!other.transcript.contains("finding  lost update"))
        #expect(other.description.hasSuffix("since the token was printed\n"))
        let error = #expect(throws: InputErrors.self) {
            try Lab.replay("lab1:three-tills@0123abcd:-:a1", try tills(policy: "error"))
        }
        #expect(
            error?.description.contains("the token belongs to the scenario 'three-tills'") == true)
    }

    @Test func `a line that is wrong is refused with its column`() {
        let error = #expect(throws: ScenarioProblems.self) { try Step("s", "insert Till az t") }
        #expect(error?.description.hasPrefix("'s':1:13: ") == true)
    }

    @Test func `a scenario whose lines do not fit the model is refused before it runs`() throws {
        let scenario = try Scenario(
            name: "typo", about: "A name is wrong.",
            entities: [EntityShape("Till", attributes: ["amount": "integer64"])],
            contexts: [ContextSpec("A")],
            sessions: [SessionSpec("one", on: "A", ["a1": "insert Tilt as t"])],
            observe: ["count": "count Till"], outcomes: [])
        let error = #expect(throws: InputErrors.self) { try Lab.expect(scenario) }
        #expect(error?.description.contains("'Tilt'") == true)
    }

    @Test func `a parameter of contexts has each of its values in turn`() throws {
        let scenario = try Scenario(
            name: "tills-by-policy", about: "Who trumps wins.",
            entities: [EntityShape("Till", attributes: ["amount": "integer64 required default 0"])],
            contexts: [ContextSpec("A", policy: "$policy"), ContextSpec("B", policy: "$policy")],
            matrix: ["policy": ["objectTrump", "overwrite"]],
            setup: ["insert Till as t with amount = 10"],
            sessions: [
                SessionSpec("one", on: "A", ["a1": "set t.amount = 11", "a2": "save"]),
                SessionSpec("two", on: "B", ["b1": "set t.amount = 12", "b2": "save"]),
            ],
            observe: ["amount": "read Till.amount"],
            outcomes: [
                OutcomeSpec(.acceptable, ["amount": 11], because: "A is last."),
                OutcomeSpec(.acceptable, ["amount": 12], because: "B is last."),
            ])
        try Lab.expect(scenario)
        #expect(scenario.cells.count == 2)
    }

    @Test func `a file of the catalogue passes in a test`() throws {
        try Lab.expect(file: scenarios + "/locking/mb-16-write-skew.yaml")
    }
}

final class LabExpectationXCTests: XCTestCase {
    override class func setUp() {
        // A process reads the switches only once, and other tests in this process read the SQL log.
        UserDefaults.standard.register(defaults: ["com.apple.CoreData.SQLDebug": "1"])
    }

    func testAScenarioHoldsInXCTest() throws {
        try Lab.expect(try tills(policy: "error"))
    }

    func testAFailureCarriesFindingAndTokenInXCTest() throws {
        XCTAssertThrowsError(try Lab.expect(try tills(policy: "rollback"))) { error in
            XCTAssertTrue("\(error)".contains("lost update"))
            XCTAssertTrue("\(error)".contains("try Lab.replay("))
        }
    }
}
