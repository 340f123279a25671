import CommandLineSupport
import LabCommands
import LabFiles
import LabResults
import Testing

@testable import faultline

@Suite struct ProgressTests {
    @Test func `progress shows the done part and the remaining time`() {
        let start = ContinuousClock.now
        let first = ProgressUpdate("explore mb-09", completed: 0, total: 100)
        let second = ProgressUpdate("explore mb-09", completed: 25, total: 100)
        var estimate = Estimate()
        estimate.note(first, after: ProgressUpdate("", completed: 0, total: nil), at: start)
        estimate.note(second, after: first, at: start + .seconds(10))
        let text = estimate.text(second, at: start + .seconds(10))
        #expect(text == "explore mb-09  25/100  25 %  about 30 s left")
    }

    @Test func `the pace is measured again for other work`() {
        let start = ContinuousClock.now
        let before = ProgressUpdate("one", completed: 256, total: 573)
        let after = ProgressUpdate("two", completed: 256, total: 573)
        var estimate = Estimate()
        estimate.note(before, after: ProgressUpdate("", completed: 0, total: nil), at: start)
        estimate.note(after, after: before, at: start + .seconds(60))
        #expect(estimate.text(after, at: start + .seconds(60)) == "two  256/573  44 %")
    }

    @Test func `progress without a total counts`() {
        let update = ProgressUpdate("explore", completed: 7, total: nil)
        #expect(Estimate().text(update, at: .now) == "explore  7")
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

    @Test func `a skipped scenario fails if fixtures are required`() {
        let result = ScenarioResult(
            name: "a", file: "a.yaml", sentence: "", mode: .run,
            schedules: ScheduleCount(explored: 0, strategy: "as written"), verdict: .skipped)
        #expect(ExitStatus(RunReport(scenarios: [result]), requiresFixtures: true) == .failed)
        #expect(ExitStatus(RunReport(scenarios: []), requiresFixtures: false) == .inconclusive)
    }
}
