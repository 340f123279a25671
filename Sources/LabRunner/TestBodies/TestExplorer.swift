import Foundation
import LabSchedule

/// What ways of running a test have in common: what is asked for, and what the first run decides.
struct TestExplorer {
    let name: String
    let options: TestOptions
    /// The schedule that is asked for; nil where all are wanted.
    let token: ScheduleToken?
    /// Another test's schedule is asked for.
    let isPassedOver: Bool

    init(_ name: String, _ options: TestOptions) {
        self.name = name
        self.options = options
        let asked = ProcessInfo.processInfo.environment["FAULTLINE_REPLAY"]
        let token = asked.flatMap { try? ScheduleToken($0) }
        self.token = token?.scenario == name.replacing(":", with: "-") ? token : nil
        isPassedOver = asked != nil && self.token == nil
    }

    /// What the run without a schedule says; nil where schedules are of use.
    func verdict(_ failures: TestFailures, _ sight: LiveRun.Sight) -> TestVerdict? {
        func end(_ control: TestVerdict.Control) -> TestVerdict {
            TestVerdict(name: name, control: control)
        }
        if !failures.all.isEmpty || failures.isSkipped || isPassedOver { return end(.asItIs) }
        if !sight.hasStack { return end(.noStack) }
        if token != nil || !sight.outside.isEmpty { return nil }
        return sight.branches == 0 ? end(.singleThreaded) : nil
    }

    /// Why the lab cannot steer the test's threads; nil where it can.
    func whyPerturbed(_ sight: LiveRun.Sight) -> String? {
        if let token { return token.cell == PerturbedRuns.cell ? "a token of real threads" : nil }
        if options.mode == .perturbed { return "asked for" }
        return sight.outside.first.map { Self.advice($0) }
    }

    /// The line that runs one schedule of a test alone.
    static func command(_ token: String, _ name: String) -> String {
        ReplayCommand.line(token, function: name.split(separator: ".").last.map(String.init) ?? "")
    }

    static func advice(_ what: String) -> String {
        "\(what): real threads with seeded delays. To bring such code under the lab, make what the"
            + " thread does a block of a context or a task, or run it on lab.queue(\"…\") or"
            + " lab.operationQueue() in Lab.explore"
    }
}
