import LabFiles
import LabResults
import TortureCampaigns

/// Compares every strategy of exploring schedules with brute force. It uses random scenarios in
/// each mode in which the lab chooses the schedules. The command `selfcheck` runs it.
package struct WalkCheck {
    /// The result in one mode.
    package struct Result: Sendable {
        package let mode: String
        /// The number of scenarios that were small enough to compare.
        package var compared = 0
        package var tooLarge = 0
        package var exhaustive = 0
        package var reduced = 0
        /// The differences, each with its scenario.
        package var differences: [TortureFailure] = []
    }

    /// The modes in which the lab chooses the schedules. With real threads, the operating system
    /// chooses them.
    private static let modes = ["inline", "baton"]

    package var seed: UInt64
    /// The number of scenarios to compare, over all modes.
    package var wanted: Int
    /// Scenarios with more schedules are skipped.
    package var most = 150
    private var part = RandomScenariosPart()

    package init(seed: UInt64, wanted: Int) {
        self.seed = seed
        self.wanted = wanted
    }

    package func run(progress: ProgressSink) throws -> [Result] {
        try Self.modes.enumerated().map { index, mode in
            // If the number of scenarios is odd, the first mode compares one more.
            let share = wanted / Self.modes.count
            let rest = index == 0 ? wanted % Self.modes.count : 0
            return try compare(mode, share + rest, progress)
        }
    }

    private func compare(
        _ mode: String, _ wanted: Int, _ progress: ProgressSink
    ) throws -> Result {
        var part = part
        part.effort.walks = most
        part.effort.mode = mode
        var result = Result(mode: mode)
        var next = 0
        while result.compared + result.differences.count < wanted {
            // Some scenarios are too large to compare, so each round runs more attempts than are
            // still needed.
            let left = wanted - result.compared
            let most = part.workers * ScenarioWorkers.attemptsOfJob
            let attempts = next..<(next + min(2 * left, most))
            next = attempts.upperBound
            let slice = try part.run(attempts, seed: seed) { _ in
                progress(
                    ProgressUpdate(
                        "walks in \(mode) mode", completed: result.compared, total: wanted))
            }
            result.compared += slice.counts["walks compared"] ?? 0
            result.tooLarge += slice.counts["walks with too many schedules"] ?? 0
            result.exhaustive += slice.counts["schedules by brute force"] ?? 0
            result.reduced += slice.counts["schedules of reduced walks"] ?? 0
            result.differences += slice.failures
        }
        return result
    }
}
