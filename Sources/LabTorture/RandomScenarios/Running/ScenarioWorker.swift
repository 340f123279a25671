import CoreDataStore
import CoreDataTrace
import Foundation
import LabScenario

/// The work of one worker process.
struct ScenarioJob: Codable, Sendable {
    var seed: UInt64
    /// The first attempt. `last` is the number after the last attempt.
    var first: Int
    var last: Int
    var folder: String
    var effort = ScenarioJudge.Effort()
    var draft: ScenarioDraft?
    /// A fault that the engine simulates during the job, for tests of the oracles.
    var mutant: String?
}

/// A worker's report on one attempt.
struct AttemptReport: Codable, Sendable {
    struct Failure: Codable, Sendable {
        let complaint: Complaint
        var draft: ScenarioDraft
        /// Whether the draft cannot be reduced further.
        var isSmall = false
    }

    let attempt: Int
    var counts: [String: Int] = [:]
    var failures: [Failure] = []
}

/// A line of the worker's output.
enum WorkerLine: Codable, Sendable {
    /// The attempt begins. If the process ends before `ends`, this attempt is the cause.
    case begins(Int)
    case lives
    /// A check of the attempt failed, and the worker is shrinking the scenario.
    case shrinks(AttemptReport)
    case ends(AttemptReport)
}

/// Checks scenarios in a separate process, because a scenario may end the process.
package enum ScenarioWorker {
    /// The name of the tool's hidden subcommand.
    package static let subcommand = "torture-scenario-worker"

    /// The maximum number of scenarios that a job shrinks.
    private static let shrunkMax = 4

    /// Reads a job from standard input, runs it, reports on standard output, and ends the process.
    package static func main() -> Never {
        let worker = Thread { exit(answer()) }
        worker.stackSize = 8 << 20
        worker.start()
        dispatchMain()
    }

    private static func answer() -> Int32 {
        do {
            let input = try FileHandle.standardInput.readToEnd() ?? Data()
            let job = try JSONDecoder().decode(ScenarioJob.self, from: input)
            let encoder = JSONEncoder()
            try perform(job) { line in
                let text = try encoder.encode(line) + Data("\n".utf8)
                try FileHandle.standardOutput.write(contentsOf: text)
            }
            return 0
        } catch {
            StandardStream.log("\(error)\n")
            return 70
        }
    }

    static func perform(_ job: ScenarioJob, send: @escaping (WorkerLine) throws -> Void) throws {
        if let mutant = job.mutant { Mutation.active = Mutant(rawValue: mutant) }
        let bench = TrialBench(folder: job.folder)
        if let draft = job.draft {
            try send(.begins(job.first))
            let judgement = ScenarioJudge(bench: bench, effort: job.effort).judge(draft)
            try send(.ends(report(job.first, draft, judgement)))
            return
        }
        var generator: (number: Int, made: ScenarioGenerator)?
        var shrunk = 0
        for attempt in job.first..<job.last {
            try send(.begins(attempt))
            let number = ScenarioGenerator.modelNumber(of: attempt)
            if generator?.number != number {
                generator = (number, try ScenarioGenerator(modelNumber: number, seed: job.seed))
            }
            guard let made = generator?.made else { continue }
            let draft = made.draft(attempt, seed: job.seed, mode: job.effort.mode)
            let effort = job.effort.turned(attempt)
            var told = ContinuousClock.now
            let judge = ScenarioJudge(bench: bench, effort: effort) {
                guard told.duration(to: .now) > .seconds(1) else { return }
                told = .now
                try? send(.lives)
            }
            var answer = report(attempt, draft, judge.judge(draft))
            if !answer.failures.isEmpty, shrunk < shrunkMax {
                shrunk += 1
                try send(.shrinks(answer))
                answer.failures[0] = small(answer.failures[0], judge)
            }
            try send(.ends(answer))
        }
    }

    private static func report(
        _ attempt: Int, _ draft: ScenarioDraft, _ judgement: Judgement
    ) -> AttemptReport {
        var report = AttemptReport(attempt: attempt, counts: judgement.counts)
        for complaint in judgement.complaints
        where !report.failures.contains(where: { $0.complaint.oracle == complaint.oracle }) {
            report.failures.append(.init(complaint: complaint, draft: draft))
        }
        return report
    }

    private static func small(
        _ failure: AttemptReport.Failure, _ judge: ScenarioJudge
    ) -> AttemptReport.Failure {
        var last = failure.complaint
        var shrinker = DraftShrinker(failure.draft) { draft in
            let judgement = judge.judge(draft)
            guard let same = judgement.complaints.first(where: { $0.kind == last.kind }) else {
                return false
            }
            last = same
            return true
        }
        shrinker.run()
        return .init(complaint: last, draft: shrinker.best, isSmall: true)
    }
}
