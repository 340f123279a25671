import ContextHistory
import CoreDataEngine
import LabCheck
import LabFiles
import LabResults
import LabScenario
import LabSchedule

/// A loaded scenario in one cell of its matrix.
package struct LoadedCell: Sendable {
    var loaded: LoadedScenario
    let cell: MatrixCell
    /// The number of the cell's schedules; nil if unknown.
    package let predicted: Int?

    package var label: String { "\(loaded.scenario.fullName) \(cell)" }
}

/// The results of exploring a cell, as plain values that can be compared.
package struct CellSummary: Sendable, Equatable {
    /// Each distinct outcome as text, with the number of schedules that lead to it.
    package let outcomes: [String: Int]
    package let findings: Set<String>
    package let explored: Int
    package let represented: Int?
    package let isComplete: Bool
}

extension ScenarioSuite {
    /// Returns this suite with another strategy, and with another limit if `limit` is not nil.
    package func with(_ strategy: Strategy, limit: Int? = nil) -> ScenarioSuite {
        var suite = self
        suite.options.strategy = strategy
        suite.options.limit = limit ?? options.limit
        return suite
    }

    /// The cells of all scenarios and cures with at most `most` schedules.
    ///
    /// - Parameter includesBaton: whether cells in baton mode count as small. The number of their
    ///   schedules is known only after they ran.
    package func smallCells(
        _ paths: [String], atMost most: Int, includesBaton: Bool = false
    ) throws(InputErrors) -> [LoadedCell] {
        var cells: [LoadedCell] = []
        for case .loaded(let variants) in try load(paths) {
            // Runs on real threads are not reproducible.
            for loaded in variants where loaded.scenario.mode != .threads {
                for cell in loaded.scenario.cells {
                    let plan = CellPlan(
                        scenario: loaded.scenario, cell: cell, policies: options.policies)
                    let count = plan.schedulePlan.prediction().count.flatMap { Int(exactly: $0) }
                    let isSmall = count.map { $0 <= most } ?? false
                    guard isSmall || includesBaton && loaded.scenario.mode == .baton else {
                        continue
                    }
                    cells.append(LoadedCell(loaded: loaded, cell: cell, predicted: count))
                }
            }
        }
        return cells
    }

    package func explore(_ cell: LoadedCell) throws(InputErrors) -> CellSummary {
        try summary(of: cell) { (runner) throws(InputErrors) in try runner.explore { _ in } }
    }

    package func explore(
        _ cell: LoadedCell, shards count: Int
    ) throws(InputErrors) -> CellSummary {
        var records: [ShardRecord] = []
        for index in 1...count {
            var suite = self
            suite.options.shard = Shard(index: index, count: count)
            _ = try suite.summary(of: cell) { (runner) throws(InputErrors) in
                let exploration = try runner.explore { _ in }
                if let record = exploration.record { records.append(record) }
                return exploration
            }
        }
        return try summary(of: cell) { (runner) throws(InputErrors) in
            try runner.explore(joining: records, missing: [], strategy: "in shards")
        }
    }

    private func summary(
        of cell: LoadedCell,
        _ explore: (CellRunner) throws(InputErrors) -> CellRunner.Exploration
    ) throws(InputErrors) -> CellSummary {
        try withFolder { (folder) throws(InputErrors) in
            let runner = try makeRunner(cell.loaded, cell.cell, folder)
            defer { runner.world.lab.store.close() }
            let exploration = try explore(runner)
            let grading = OutcomeGrading(scenario: cell.loaded.scenario, cell: cell.cell)
            return CellSummary(
                outcomes: Dictionary(
                    uniqueKeysWithValues: exploration.tallies.map {
                        (grading.text($0.outcome), $0.count)
                    }),
                findings: Set(
                    exploration.witnesses.map { "\($0.detection.name) in \($0.detection.step)" }),
                explored: exploration.summary.explored,
                represented: exploration.summary.represented.map { Int(clamping: $0) },
                isComplete: exploration.summary.isComplete)
        }
    }
}
