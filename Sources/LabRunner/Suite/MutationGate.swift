import CoreDataEngine
import LabCheck
import LabResults
import LabScenario
import LabSchedule

/// What became of one small fault in the engine.
package struct MutantResult: Sendable {
    package let name: String
    /// What the engine did wrong.
    package let meaning: String
    /// The scenario and cell that noticed first; nil if none did.
    package let killer: String?
    /// How it noticed.
    package let how: String
}

// The mutation gate: scenarios judge the engine, mutants judge the scenarios.
extension ScenarioSuite {
    /// Whether this build's engine can be given faults; debug builds can.
    package static var canMutate: Bool { Mutation.isPossible }

    /// Gives the engine one small fault after another, and tells which scenario notices each.
    ///
    /// A scenario notices a fault when it does not pass any more. Only cells that pass without a
    /// fault are asked, those with few schedules first. Nothing else may use the engine meanwhile.
    ///
    /// - Parameter names: the faults to try; all when empty.
    package func mutants(
        _ paths: [String], names: [String] = [], progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> [MutantResult] {
        // One schedule of each class shows what all of them show.
        let suite = with(.reduced)
        let cells = try suite.passingCells(paths, progress)
        let wanted = Mutant.allCases.filter { names.isEmpty || names.contains($0.rawValue) }
        var results: [MutantResult] = []
        for (index, mutant) in wanted.enumerated() {
            progress(
                ProgressUpdate("mutants", completed: index, total: wanted.count))
            results.append(try suite.result(of: mutant, cells))
        }
        return results
    }

    private func passingCells(
        _ paths: [String], _ progress: ProgressSink
    ) throws(InputErrors) -> [LoadedCell] {
        var passing: [LoadedCell] = []
        let small = try smallCells(paths, atMost: 5_000)
        for (index, cell) in small.enumerated() {
            progress(ProgressUpdate("without faults", completed: index, total: small.count))
            if try verdict(of: cell).isGood { passing.append(cell) }
        }
        return passing.sorted { $0.predicted ?? 0 < $1.predicted ?? 0 }
    }

    private func result(
        of mutant: Mutant, _ cells: [LoadedCell]
    ) throws(InputErrors) -> MutantResult {
        Mutation.active = mutant
        defer { Mutation.active = nil }
        for cell in cells {
            let how: String
            do throws(InputErrors) {
                let (isGood, reason) = try verdict(of: cell)
                if isGood { continue }
                how = reason
            } catch {
                how = error.errors.first?.problem ?? "the store cannot be prepared"
            }
            return MutantResult(
                name: mutant.rawValue, meaning: mutant.meaning, killer: cell.label, how: how)
        }
        return MutantResult(
            name: mutant.rawValue, meaning: mutant.meaning, killer: nil, how: "nobody noticed")
    }

    private func verdict(of cell: LoadedCell) throws(InputErrors) -> (isGood: Bool, reason: String)
    {
        try withFolder { (folder) throws(InputErrors) in
            let runner = try makeRunner(cell.loaded, cell.cell, folder)
            defer { runner.world.store.close() }
            let judgement = try runner.explore { _ in }.judgement
            return (
                [.passed, .interesting].contains(judgement.verdict), judgement.reasons.first ?? ""
            )
        }
    }
}
