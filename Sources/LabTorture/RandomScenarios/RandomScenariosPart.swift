import Foundation
import TortureCampaigns

/// Runs random scenarios and checks them with each ``Oracle``. For example, stores must agree, and
/// reduced exploration must have the same results as brute force. If only one context writes to a
/// store, it must not have conflicts.
struct RandomScenariosPart: TorturePart {
    let name = "scenarios"
    var effort = ScenarioJudge.Effort()
    var workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// Runs a job. By default it runs in a worker process, because a scenario may end its process.
    var launch: ScenarioWorkers.Launch = { job, hear in
        try WorkerProcess().run(job, folder: job.folder, hear: hear)
    }

    var attemptsOfSliceMin: Int { workers * 2 * ScenarioWorkers.attemptsOfJob }

    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        let workers = ScenarioWorkers(
            seed: seed, effort: effort, count: workers, launch: launch)
        var slice = TortureSlice()
        for report in try workers.run(attempts, progress: progress) {
            for (name, number) in report.counts { slice.count(name, number) }
            for failure in report.failures {
                let size = failure.isSmall ? ", made small" : ""
                slice.fail(
                    report.attempt,
                    "\(failure.complaint.oracle.rawValue)\(size): \(failure.complaint.text)",
                    input: failure.draft.yaml)
            }
        }
        return slice
    }

    static var plan: TortureCampaign.Plan {
        TortureCampaign.Plan(RandomScenariosPart(), attempts: 1_000_000, floor: 1_000, weight: 40)
    }
}
