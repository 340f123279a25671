import ContextHistory
import LabScenario
import Testing

@Suite struct GradingTests {
    private let scenario: Scenario
    private let cells: [MatrixCell]

    init() throws {
        let text = """
            name: grading
            about: Something holds.
            model: {entities: {Account: {attributes: {balance: integer64}}}}
            contexts: {A: {policy: $policy}}
            matrix: {policy: [error, objectTrump]}
            sessions: {one: {context: A, steps: {s1: save}}}
            observe: {n: count Account, saved: status s1}
            outcomes:
              - {grade: acceptable, is: {n: 1, saved: ok}, because: It is right.}
              - grade: defect
                is: {n: 2}
                when: {policy: objectTrump}
                finding: lost update
                because: Reported.
              - {grade: forbidden, is: {n: {one-of: [3, 4]}}, because: Never.}
              - {grade: interesting, is: {n: 5, saved: {not: ok}}, because: Strange.}
            """
        scenario = try ScenarioReader().read(Array(text.utf8), file: "grading.yaml")
        cells = Array(scenario.cells)
    }

    private func outcome(_ n: Int64, _ saved: String = "ok") -> Outcome {
        Outcome(values: [.integer(n), saved == "ok" ? .text("ok") : .integer(Int64(saved) ?? 0)])
    }

    private func judge(
        _ cell: Int, _ outcomes: [Outcome], findings: Set<String> = [], complete: Bool = true
    ) -> Judgement {
        let grading = OutcomeGrading(scenario: scenario, cell: cells[cell])
        let tallies = outcomes.map {
            OutcomeTally(outcome: $0, mark: grading.mark($0), count: 1, findings: findings)
        }
        return grading.judge(tallies, isComplete: complete, explored: outcomes.count)
    }

    @Test func `an outcome that the file accepts passes`() {
        let judgement = judge(0, [outcome(1)])
        #expect(judgement.verdict == .passed)
        #expect(judgement.reasons.isEmpty)
    }

    @Test func `an outcome that no line of the file matches fails`() {
        #expect(judge(0, [outcome(1), outcome(9)]).verdict == .failed)
        #expect(
            judge(0, [outcome(9)]).reasons
                == ["(n = 9, saved = ok) matches no outcome of the file"])
        // Only the file's other cell expects this outcome.
        #expect(judge(0, [outcome(2)]).verdict == .failed)
    }

    @Test func `a forbidden outcome fails with its reason`() {
        let judgement = judge(0, [outcome(4)])
        #expect(judgement.verdict == .failed)
        #expect(judgement.reasons == ["(n = 4, saved = ok) is forbidden: Never."])
    }

    @Test func `a defect must be seen, with its finding, in its cells`() {
        #expect(judge(1, [outcome(1)]).verdict == .failed)
        #expect(judge(1, [outcome(1), outcome(2)]).verdict == .failed)
        #expect(judge(1, [outcome(1), outcome(2)], findings: ["lost update"]).verdict == .passed)
    }

    @Test func `a sample that did not show a defect proves nothing`() {
        let judgement = judge(1, [outcome(1)], complete: false)
        #expect(judgement.verdict == .inconclusive)
        #expect(judge(0, []).verdict == .inconclusive)
    }

    @Test func `an interesting outcome is marked differently from a pass`() {
        #expect(judge(0, [outcome(1), outcome(5, "133020")]).verdict == .interesting)
    }

    @Test func `the pattern serial stands for the outcomes of sessions one after another`() {
        var serial = scenario
        serial.outcomes = [OutcomeSpec(grade: .acceptable, pattern: .serial, because: "In turn.")]
        var grading = OutcomeGrading(scenario: serial, cell: cells[0])
        #expect(grading.needsSerial)
        #expect(grading.mark(outcome(1)) == .unmatched)
        grading.serial = [outcome(1)]
        #expect(grading.mark(outcome(1)) == .spec(0))
    }

    @Test(arguments: [
        (ValuePattern.any, ObservedValue.none, true),
        (.value(.integer(3)), .number(3), true),
        (.value(.null), .null, true),
        (.value(.null), .none, false),
        (.value(.text("none")), .none, true),
        (.value(.integer(1)), .flag(true), false),
        (.list([.value(.integer(1)), .any]), .list([.integer(1), .null]), true),
        (.list([.any]), .list([]), false),
        (.not(.oneOf([.value(.integer(1)), .value(.integer(2))])), .integer(3), true),
    ])
    func `a pattern matches its outcomes`(pattern: ValuePattern, value: ObservedValue, fits: Bool) {
        #expect(pattern.fits(value) == fits)
    }
}
