import Foundation
import LabSchedule

/// The code that `AsyncTest` and `HostedTest` share. It finds the requested schedule, and decides
/// after the first run how the test is explored.
struct TestExplorer {
    let name: String
    let options: TestOptions
    let token: ScheduleToken?
    /// Whether the schedule of another test is requested.
    let isPassedOver: Bool

    init(_ name: String, _ options: TestOptions) {
        self.name = name
        self.options = options
        let asked = ProcessInfo.processInfo.environment["FAULTLINE_REPLAY"]
        let token = asked.flatMap { try? ScheduleToken($0) }
        self.token = token?.scenario == name.replacing(":", with: "-") ? token : nil
        isPassedOver = asked != nil && self.token == nil
    }

    /// The verdict of the run without a schedule; nil if schedules should follow.
    func verdict(_ failures: TestFailures, _ sight: LiveRun.Sight) -> TestVerdict? {
        func end(_ control: TestVerdict.Control, _ ending: String? = nil) -> TestVerdict {
            TestVerdict(name: name, control: control, ending: ending)
        }
        if !failures.all.isEmpty { return end(.asItIs, "it fails without a schedule") }
        if failures.isSkipped { return end(.asItIs, "the test is skipped") }
        if isPassedOver { return end(.asItIs, "the requested schedule belongs to another test") }
        if !sight.hasStack { return end(.noStack) }
        if token != nil || !sight.outside.isEmpty { return nil }
        return sight.branches == 0 ? end(.singleThreaded) : nil
    }

    /// The reason why the lab cannot control the test's threads; nil if the lab can control them.
    func whyPerturbed(_ sight: LiveRun.Sight) -> String? {
        if let token { return token.cell == PerturbedRuns.cell ? "a token of real threads" : nil }
        if options.mode == .perturbed { return "asked for" }
        return sight.outside.first.map { Self.advice($0) }
    }

    static func command(_ token: String, _ name: String) -> String {
        ReplayCommand.line(token, function: name.split(separator: ".").last.map(String.init) ?? "")
    }

    static func advice(_ what: String) -> String {
        "\(what): real threads with seeded delays. For schedules of such code, run the thread's"
            + " work as a block of a context or a task, or on lab.queue(\"…\") or"
            + " lab.operationQueue() in Lab.explore"
    }
}
