import ContextHistory
import CoreDataStore
import LabFiles
import LabScenario
import LabSchedule

// Runs a cell on real threads, where the operating system chooses the interleavings. The runs are
// graded by their observations.
extension CellRunner {
    /// Runs the sessions on real threads repeatedly.
    ///
    /// - Parameter deadline: the time after which no run starts.
    func race(
        _ threads: ThreadsWorld, _ grading: OutcomeGrading, _ deadline: ContinuousClock.Instant?,
        _ progress: ProgressSink
    ) throws(CoreDataError) -> Exploration {
        var tally = Tally()
        var summary = Explorer.Summary(predicted: Prediction(count: nil, isExact: false))
        let (limit, seed) = (runLimit, options.seed ?? plan.scenario.explore.seed)
        summary.strategy = "real threads, seed \(seed)"
        summary.stoppedAt = "the limit of \(limit) runs on real threads"
        let label = "\(plan.scenario.fullName) \(plan.cell)"
        var hanging: [String] = []
        for run in 0..<limit where options.shard.map({ run % $0.count == $0.index - 1 }) ?? true {
            if let deadline, ContinuousClock.now >= deadline {
                summary.stoppedAt = "the time budget, after \(summary.explored) runs"
                break
            }
            hanging = try threads.run(
                seed: seed &+ UInt64(run) &* 0x9E37_79B9, patience: options.patience)
            if !hanging.isEmpty {
                summary.stoppedAt = "a run that hangs"
                break
            }
            tally.add(threads.outcome, [], VisitedSchedule(path: []))
            summary.explored += 1
            progress(ProgressUpdate(label, completed: summary.explored, total: limit))
        }
        var exploration = Exploration(summary: summary, tally: tally, grading: grading)
        exploration.judgement = judge(exploration, grading, isAsked: asksForLess(options))
        exploration.judgement.reasons.append(Self.noTokens(summary.explored))
        if let strategy = options.strategy {
            exploration.judgement.reasons.append(
                "the system schedules real threads, so '\(strategy)' has no effect")
        }
        noteHanging(of: hanging, &exploration)
        return exploration
    }

    /// A run on threads takes longer than a schedule, so the default number is lower.
    private var runLimit: Int {
        let explore = plan.scenario.explore
        return options.limit ?? (explore.statesLimit ? explore.limit : ExploreSpec.defaultRuns)
    }

    private static func noTokens(_ runs: Int) -> String {
        "a sample of \(runs) runs on real threads, which cannot be replayed: counts say how often"
            + " an outcome was seen; write 'mode: inline' to get a token"
    }

    private func noteHanging(of hanging: [String], _ exploration: inout Exploration) {
        guard !hanging.isEmpty else { return }
        let run = exploration.summary.explored + 1
        let reason =
            "run \(run) on real threads did not end within \(options.patience):"
            + " \(hanging.joined(separator: " and ")) did not end; 'mode: baton' shows"
            + " what each thread waits for"
        let judgement = exploration.judgement
        exploration.judgement = Judgement(
            verdict: judgement.verdict == .failed ? .failed : .inconclusive,
            reasons: [reason] + judgement.reasons)
    }
}
