import ContextHistory
import CoreDataStore
import LabCheck
import LabFiles
import LabScenario
import LabSchedule
import Synchronization

/// The result of the lab's self-check.
package struct SelfCheckResult: Sendable {
    /// The cells in which the reduced walk was compared with a walk of all schedules.
    package var compared = 0
    package var exhaustive = 0
    package var reduced = 0
    package var repeated = 0
    package var metamorphic: [(name: String, cells: Int)] = []
    package var differences: [String] = []

    package init() {}
}

private final class Completed: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

// The lab's self-check: it compares reduced with complete walks, repeats schedules, and checks
// changes that must not affect outcomes.
extension ScenarioSuite {
    /// The number of shards in the comparison of sharded and unsharded runs.
    private static var shardCount: Int { 3 }

    /// Compares the other strategies with a run of all schedules, in every cell with at most `most`
    /// schedules. They must have equal findings, and equal outcomes with equal counts.
    package func checkReduction(
        _ paths: [String], atMost most: Int = 5_000,
        progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> SelfCheckResult {
        let cells = try smallCells(paths, atMost: most, includesBaton: true)
        let loader = ScenarioLoader(options, named: paths)
        let done = Completed()
        let results = try sideBySide(cells.map(\.loaded.scenario)) {
            (number, _) throws(InputErrors) in
            var cell = cells[number]
            cell.loaded = try loader.again(cell.loaded)
            let result = try checkReduction(of: cell, atMost: most)
            progress(
                ProgressUpdate("reduction", completed: done.next(), total: cells.count))
            return result
        }
        return results.reduce(into: SelfCheckResult()) { all, result in
            all.compared += result.compared
            all.exhaustive += result.exhaustive
            all.reduced += result.reduced
            all.differences += result.differences
        }
    }

    private func checkReduction(
        of cell: LoadedCell, atMost most: Int
    ) throws(InputErrors) -> SelfCheckResult {
        var result = SelfCheckResult()
        let whole = try with(.exhaustive, limit: 2 * most).explore(cell)
        // In baton mode, the number of a cell's schedules is known only after this exploration.
        guard whole.isComplete else { return result }
        result.compared += 1
        result.exhaustive += whole.explored
        let fewer = try with(.reduced).explore(cell)
        result.reduced += fewer.explored
        compare(whole, fewer, "reduction", cell, &result)
        compare(whole, try with(.portfolio).explore(cell), "the portfolio", cell, &result)
        for strategy in [Strategy.exhaustive, .reduced] {
            let parts = try with(strategy).explore(cell, shards: Self.shardCount)
            compare(whole, parts, "\(strategy) in shards", cell, &result)
        }
        return result
    }

    private func compare(
        _ whole: CellSummary, _ other: CellSummary, _ name: String, _ cell: LoadedCell,
        _ result: inout SelfCheckResult
    ) {
        if other.outcomes != whole.outcomes {
            result.differences.append("\(cell.label): \(name) changed the outcomes")
        }
        if other.findings != whole.findings {
            result.differences.append("\(cell.label): \(name) changed the findings")
        }
        if other.represented ?? whole.explored != whole.explored {
            result.differences.append("\(cell.label): \(name) counts schedules differently")
        }
    }

    /// Runs `repeats` schedules twice each, and compares the histories of the two runs.
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
            defer { runner.world.lab.store.close() }
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
