import CoreDataEngine
import LabCheck
import LabResults
import LabScenario
import LabSchedule

/// What the lab found out about itself.
package struct SelfCheckResult: Sendable {
    /// Cells in which the reduced walk was compared with brute force.
    package var compared = 0
    package var exhaustive = 0
    package var reduced = 0
    /// Schedules that ran twice.
    package var repeated = 0
    /// Cells whose changed runs were compared, by the name of the change.
    package var metamorphic: [(name: String, cells: Int)] = []
    /// What was wrong, a line each.
    package var differences: [String] = []

    package init() {}
}

// The lab tests itself: reduction, determinism, and changes that must not matter.
extension ScenarioSuite {
    /// Compares the reduced walk with brute force on every cell with at most so many schedules:
    /// outcomes with their counts, and findings, must be the same.
    package func checkReduction(
        _ paths: [String], atMost most: Int = 5_000, progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> SelfCheckResult {
        var result = SelfCheckResult()
        let cells = try smallCells(paths, atMost: most)
        for (index, cell) in cells.enumerated() {
            progress(ProgressUpdate("reduction", completed: index, total: cells.count))
            let whole = try with(.exhaustive).explore(cell)
            let fewer = try with(.reduced).explore(cell)
            result.compared += 1
            result.exhaustive += whole.explored
            result.reduced += fewer.explored
            if fewer.outcomes != whole.outcomes {
                result.differences.append("\(cell.label): reduction changed the outcomes")
            }
            if fewer.findings != whole.findings {
                result.differences.append("\(cell.label): reduction changed the findings")
            }
            if fewer.represented != whole.explored {
                result.differences.append("\(cell.label): reduction counts other schedules")
            }
        }
        return result
    }

    /// Runs schedules twice until so many have been repeated, and compares their histories.
    package func checkDeterminism(
        _ paths: [String], repeats: Int, progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> SelfCheckResult {
        var result = SelfCheckResult()
        let cells = try smallCells(paths, atMost: .max)
        var round: UInt64 = 0
        while result.repeated < repeats, !cells.isEmpty {
            round += 1
            for cell in cells where result.repeated < repeats {
                progress(
                    ProgressUpdate("determinism", completed: result.repeated, total: repeats))
                let part = min(100, repeats - result.repeated)
                let (count, difference) = try repeated(cell, part, seed: round)
                result.repeated += count
                if let difference { result.differences.append(difference) }
            }
        }
        return result
    }

    private func repeated(
        _ cell: LoadedCell, _ count: Int, seed: UInt64
    ) throws(InputErrors) -> (count: Int, difference: String?) {
        try withFolder { (folder) throws(InputErrors) in
            let runner = try makeRunner(cell.loaded, cell.cell, folder)
            defer { runner.world.store.close() }
            var repetition = Repetition()
            repetition.interval = 1
            var explorer = Explorer(plan: runner.plan.schedulePlan, limit: count, seed: seed)
            explorer.strategy = .random
            do throws(CoreDataError) {
                _ = try explorer.explore(runner.world) { (schedule) throws(CoreDataError) in
                    try repetition.check(schedule.path, in: runner.world)
                    return repetition.difference == nil
                }
                let names = try repetition.difference.map { path throws(CoreDataError) in
                    try TranscriptText.run(path, in: runner.world).names
                }
                return (repetition.repeated, names.map { "\(runner.token($0)) differs" })
            } catch {
                return (repetition.repeated, "\(cell.label): \(error.message)")
            }
        }
    }
}
