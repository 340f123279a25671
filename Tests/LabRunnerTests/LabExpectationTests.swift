import Foundation
import LabResults
import LabRunner
import LabScenario
import Testing
import XCTest

/// Two tills that add to one amount, under a policy.
private func tills(policy: String) throws -> Scenario {
    Scenario(
        name: "two-tills", about: "Both amounts count.",
        model: .inline(
            ModelShape(entities: [
                try EntityShape("Till", attributes: ["amount": "integer64 required default 0"])
            ])),
        contexts: [ContextSpec("A", policy: policy), ContextSpec("B", policy: policy)],
        setup: [try Step("setup", "insert Till as t with amount = 10")],
        sessions: [
            try SessionSpec("one", on: "A", ["a1": "set t.amount = t.amount + 1", "a2": "save"]),
            try SessionSpec("two", on: "B", ["b1": "set t.amount = t.amount + 2", "b2": "save"]),
        ],
        observations: [
            try ObservationSpec("amount", "read Till.amount"),
            try ObservationSpec("second", "status b2"),
        ],
        outcomes: [
            OutcomeSpec(.acceptable, ["amount": 13], because: "In turn."),
            OutcomeSpec(.acceptable, ["amount": 11, "second": 133_020], because: "B is told."),
            OutcomeSpec(.acceptable, ["amount": 12, "second": "ok"], because: "A is told."),
        ])
}

@Suite struct LabExpectationTests {
    @Test func `a scenario written in Swift by its lines holds in a test`() throws {
        try Lab.expect(try tills(policy: "error"))
    }

    @Test func `a scenario that does not hold fails a test with the finding and a token`() throws {
        let failure = #expect(throws: LabFailure.self) {
            try Lab.expect(try tills(policy: "objectTrump"))
        }
        let text = try #require(failure?.description)
        #expect(text.hasPrefix("two-tills: failed\n  (amount = 11, second = ok) fits no outcome"))
        #expect(text.contains("  lost update: "))
        #expect(text.contains("  ./faultline replay 'lab1:two-tills@00000000:-:"))
    }

    @Test func `a line that is wrong is told with its column`() {
        let error = #expect(throws: ScenarioProblems.self) { try Step("s", "insert Till az t") }
        #expect(error?.description.hasPrefix("'s':1:13: ") == true)
    }

    @Test func `a file of the catalogue holds in a test`() throws {
        try Lab.expect(file: scenarios + "/locking/mb-16-write-skew.yaml")
    }
}

final class LabExpectationXCTests: XCTestCase {
    override class func setUp() {
        // Switches are read once for a process, and other cases of this one look at the SQL log.
        UserDefaults.standard.register(defaults: ["com.apple.CoreData.SQLDebug": "1"])
    }

    func testAScenarioHoldsInXCTest() throws {
        try Lab.expect(try tills(policy: "error"))
    }

    func testAFailureCarriesFindingAndTokenInXCTest() throws {
        XCTAssertThrowsError(try Lab.expect(try tills(policy: "rollback"))) { error in
            XCTAssertTrue("\(error)".contains("lost update"))
            XCTAssertTrue("\(error)".contains("./faultline replay"))
        }
    }
}
