import ContextHistory
import CoreDataStore
import LabFiles
import LabScenario
import LabSchedule

// Checks that certain changes of a run do not affect outcomes, such as an emptied row cache. The
// check uses some schedules of every suitable cell.
extension ScenarioSuite {
    private static var sampleSize: Int { 30 }

    /// Runs some schedules of each cell with and without the change, and compares the outcomes.
    package func checkMetamorphic(
        _ paths: [String], progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> SelfCheckResult {
        var result = SelfCheckResult()
        let cells = try smallCells(paths, atMost: .max)
        for change in Metamorphosis.allCases {
            var count = 0
            for (index, cell) in cells.enumerated() where fits(change, cell) {
                progress(ProgressUpdate(change.rawValue, completed: index, total: cells.count))
                count += 1
                if let difference = try compare(cell, change) {
                    result.differences.append("\(change.rawValue): \(difference)")
                }
            }
            result.metamorphic.append((change.rawValue, count))
        }
        return result
    }

    private func fits(_ change: Metamorphosis, _ cell: LoadedCell) -> Bool {
        let scenario = cell.loaded.scenario
        let plan = CellPlan(scenario: scenario, cell: cell.cell, policies: options.policies)
        if plan.isOpaque || scenario.mode != .inline { return false }
        let isMemory: Bool
        if case .value(.image) = scenario.store.kind { isMemory = true } else { isMemory = false }
        switch change {
        case .withoutRowCache:
            return !Self.hasBatch(scenario) && Set(plan.contexts.map(\.coordinator)).count == 1
        case .deliveredTwice: return !plan.mailboxes.isEmpty
        case .inFile: return isMemory && cell.loaded.copiedStore == nil
        case .otherPolicy:
            return cell.cell[MatrixBuilder.axis]?.text == "error" && scenario.cure == nil
                && !Self.hasBatch(scenario)
        }
    }

    /// Whether a step runs a batch request, which bypasses the row cache.
    private static func hasBatch(_ scenario: Scenario) -> Bool {
        let steps = scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
        return steps.flatMap(\.statements).contains {
            if case .batch = $0.action { true } else { false }
        }
    }

    private func compare(
        _ cell: LoadedCell, _ change: Metamorphosis
    ) throws(InputErrors) -> String? {
        try withFolder { (folder) throws(InputErrors) in
            let runner = try makeRunner(cell.loaded, cell.cell, folder)
            defer { runner.world.lab.store.close() }
            var others: [CellRunner] = []
            defer { for other in others { other.world.lab.store.close() } }
            switch change {
            case .withoutRowCache, .deliveredTwice: break
            case .inFile:
                var scenario = cell.loaded.scenario
                scenario.store.kind = .value(.file)
                let loaded = LoadedScenario(
                    scenario: scenario, model: cell.loaded.model, copiedStore: nil)
                others = [try makeRunner(loaded, cell.cell, folder)]
            case .otherPolicy:
                for other in cell.loaded.scenario.cells where differsInPolicy(other, cell.cell) {
                    others.append(try makeRunner(cell.loaded, other, folder))
                }
            }
            do throws(CoreDataError) {
                return try difference(runner, others, change)
            } catch {
                return "\(cell.label): \(error.message)"
            }
        }
    }

    private func differsInPolicy(_ one: MatrixCell, _ other: MatrixCell) -> Bool {
        one != other
            && zip(one.values, other.values).allSatisfy {
                $0.name == MatrixBuilder.axis || $0 == $1
            }
    }

    private func difference(
        _ runner: CellRunner, _ others: [CellRunner], _ change: Metamorphosis
    ) throws(CoreDataError) -> String? {
        var explorer = Explorer(plan: runner.plan.schedulePlan, limit: Self.sampleSize, seed: 5)
        explorer.strategy = .random
        var paths: [[UInt8]] = []
        _ = try explorer.explore(runner.world) { (schedule) throws(CoreDataError) in
            paths.append(schedule.path)
            return true
        }
        for path in paths {
            let (names, _) = try TranscriptText.run(path, in: runner.world)
            let outcome = runner.world.outcome
            if change == .otherPolicy, Self.hasFailure(runner.world.lab.recorder.history) {
                continue
            }
            runner.world.lanes.metamorphosis = change
            defer { runner.world.lanes.metamorphosis = nil }
            for other in others.isEmpty ? [runner] : others {
                let replayed = try Replay(plan: other.plan.schedulePlan).run(
                    names, in: other.world)
                // Deliveries depend on the writes. A schedule with other deliveries cannot be
                // compared.
                guard replayed.steps == names else { continue }
                if other.world.outcome != outcome { return "\(other.token(names)) differs" }
            }
        }
        return nil
    }

    /// Whether a save, or a batch with conflicts, has failed.
    private static func hasFailure(_ history: History) -> Bool {
        history.entries.contains {
            switch $0.event {
            case .saveFailed, .failed: true
            default: false
            }
        }
    }
}
