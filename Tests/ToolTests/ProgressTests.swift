import LabResults
import Testing

@testable import faultline

@Suite struct ProgressTests {
    @Test func `progress says how much is done and how long the rest takes`() {
        let text = ProgressLine.text(
            ProgressUpdate("explore mb-09", completed: 25, total: 100), elapsed: .seconds(10))
        #expect(text == "explore mb-09  25/100  25 %  about 30 s left")
    }

    @Test func `progress without a total counts`() {
        let text = ProgressLine.text(
            ProgressUpdate("explore", completed: 7, total: nil), elapsed: .seconds(1))
        #expect(text == "explore  7")
    }

    @Test func `the worst status wins`() {
        #expect(ExitStatus.worst([]) == .expected)
        #expect(ExitStatus.worst([.expected, .inconclusive, .failed]) == .failed)
        #expect(ExitStatus.worst([.failed, .unusableInput]) == .unusableInput)
    }

    @Test(arguments: [
        (Verdict.passed, Int32(0)), (.interesting, 0), (.failed, 1), (.inconclusive, 3),
        (.nondeterministic, 4), (.skipped, 3),
    ])
    func `a run's verdict decides its exit code`(verdict: Verdict, code: Int32) {
        let result = ScenarioResult(
            name: "a", file: "a.yaml", sentence: "", mode: .run,
            schedules: ScheduleCount(explored: 1, strategy: "as written"), verdict: verdict)
        let report = RunReport(scenarios: [result])
        #expect(ExitStatus(report, requiresFixtures: false).rawValue == code)
    }

    @Test func `a skipped scenario fails where fixtures are required`() {
        let result = ScenarioResult(
            name: "a", file: "a.yaml", sentence: "", mode: .run,
            schedules: ScheduleCount(explored: 0, strategy: "as written"), verdict: .skipped)
        #expect(ExitStatus(RunReport(scenarios: [result]), requiresFixtures: true) == .failed)
        #expect(ExitStatus(RunReport(scenarios: []), requiresFixtures: false) == .inconclusive)
    }
}
