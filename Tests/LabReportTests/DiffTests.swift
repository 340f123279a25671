import LabResults
import Testing

@testable import LabReport

@Suite struct DiffTests {
    private func report(_ change: (inout ScenarioResult) -> Void) -> RunReport {
        var scenario = Samples.scenario
        change(&scenario)
        return RunReport(scenarios: [scenario, Samples.failed])
    }

    private func diff(_ change: (inout ScenarioResult) -> Void) -> RunDiff {
        RunDiff(
            before: report { _ in }, named: "old.json", after: report(change), named: "new.json")
    }

    @Test func `two equal runs have no difference`() {
        let same = diff { _ in }
        #expect(same.isEmpty)
        #expect(DiffText(same).text().hasSuffix("\nno difference in 2 scenarios\n"))
    }

    @Test func `outcomes that were added, removed or graded differently have both counts`() {
        let changed = diff { scenario in
            scenario.verdict = .failed
            scenario.outcomes[0].count = 60
            scenario.outcomes[1].count = 0
            scenario.outcomes.append(
                OutcomeResult(
                    observed: [.init("moods", "4")], grade: .unmatched, reason: "no line",
                    count: 10, token: Samples.token))
            scenario.findings = []
        }
        let pair = changed.pairs[0]
        #expect(pair.outcomes.map(\.word) == ["counted", "gone", "new"])
        #expect(pair.verdict == .init(before: .passed, after: .failed))
        #expect(pair.goneFindings.map(\.name) == ["lost update"])
        let text = DiffText(changed).text()
        #expect(text.contains("verdict: passed → failed"))
        #expect(text.contains("no longer found: lost update: C1 wrote moods"))
        #expect(text.hasSuffix("\n1 of 2 scenarios differs\n"))
        let page = DiffMarkdown.page(changed)
        #expect(page.contains("| new | 0 | 10 | unmatched | (moods = 4) |"))
        #expect(page.contains("| gone | 50 | 0 | defect | (moods = 2, f2 = ok) |"))
    }

    @Test func `for a schedule of both runs, the first step that differs is shown`() {
        let changed = diff { scenario in
            scenario.transcripts[0].timeline?.steps[0].lines[0].text =
                "save  → error 133020: Could not merge changes."
        }
        #expect(
            changed.pairs[0].divergences == [
                .init(
                    schedule: ["f2", "~m(C1→V)"], step: "f2",
                    before: ["save  → ok", "  k is version 2: a < b"],
                    after: [
                        "save  → error 133020: Could not merge changes.", "  k is version 2: a < b",
                    ])
            ])
        #expect(
            DiffText(changed).text().contains(
                "f2 ~m(C1→V): first difference at f2\n    − save  → ok\n"))
        #expect(DiffMarkdown.page(changed).contains("```diff\n- save  → ok\n"))
    }

    @Test func `a scenario that only one side has is named`() {
        let alone = RunDiff(
            before: report { _ in }, named: "old.json",
            after: RunReport(scenarios: [Samples.scenario]), named: "new.json")
        #expect(alone.onlyBefore == ["tour-account"])
        #expect(!alone.isEmpty)
        #expect(DiffText(alone).text().contains("only in old.json: tour-account\n"))
    }
}
