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
    /// A scenario notices a fault if one of its cells fails that passes without it. Small cells
    /// are asked first, and nobody is asked after the first who noticed. Nothing else in the
    /// process may use the engine meanwhile.
    ///
    /// - Parameters:
    ///   - names: the faults to try; all when empty.
    ///   - likely: cells to ask before all others, by the fault that they may notice.
    package func mutants(
        _ paths: [String], names: [String] = [], likely: [String: String] = [:],
        progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> [MutantResult] {
        if let unknown = names.first(where: { Mutant(rawValue: $0) == nil }) {
            let known = Mutant.allCases.map(\.rawValue).joined(separator: ", ")
            throw InputErrors([
                InputError(
                    file: unknown, problem: "there is no fault of this name",
                    remedy: "write some of \(known)")
            ])
        }
        // One schedule of each class shows what all of them show.
        var gate = MutationGate(
            suite: with(.reduced), batonSuite: self,
            cells: try smallCells(paths, atMost: 5_000, includesBaton: true).sorted {
                $0.predicted ?? Int.max < $1.predicted ?? Int.max
            })
        let wanted = Mutant.allCases.filter { names.isEmpty || names.contains($0.rawValue) }
        var results: [MutantResult] = []
        for (index, mutant) in wanted.enumerated() {
            progress(ProgressUpdate("mutants", completed: index, total: wanted.count))
            results.append(try gate.result(of: mutant, first: likely[mutant.rawValue]))
        }
        return results
    }
}

/// One run of the gate: the cells, and which of them are known to pass without a fault.
private struct MutationGate {
    let suite: ScenarioSuite
    /// For cells in baton mode, whose schedules have no classes.
    let batonSuite: ScenarioSuite
    let cells: [LoadedCell]
    private var passes: [String: Bool] = [:]

    /// No schedule of a cell starts later than this: a fault may make a scenario endless.
    private static let timeLimit = Duration.seconds(20)

    init(suite: ScenarioSuite, batonSuite: ScenarioSuite, cells: [LoadedCell]) {
        self.suite = suite
        self.batonSuite = batonSuite
        self.cells = cells
    }

    mutating func result(
        of mutant: Mutant, first: String?
    ) throws(InputErrors) -> MutantResult {
        for cell in cells.filter({ $0.label == first }) + cells.filter({ $0.label != first }) {
            guard let how = complaint(of: cell, about: mutant), try passesAlone(cell) else {
                continue
            }
            return MutantResult(
                name: mutant.rawValue, meaning: mutant.meaning, killer: cell.label, how: how)
        }
        return MutantResult(
            name: mutant.rawValue, meaning: mutant.meaning, killer: nil, how: "nobody noticed")
    }

    /// Why the cell fails with the fault; nil if it does not.
    private func complaint(of cell: LoadedCell, about mutant: Mutant) -> String? {
        Mutation.active = mutant
        defer { Mutation.active = nil }
        do throws(InputErrors) {
            return try complaint(of: cell)
        } catch {
            return error.errors.first?.problem ?? "the store cannot be prepared"
        }
    }

    private mutating func passesAlone(_ cell: LoadedCell) throws(InputErrors) -> Bool {
        if let known = passes[cell.label] { return known }
        let result = try complaint(of: cell) == nil
        passes[cell.label] = result
        return result
    }

    private func complaint(of cell: LoadedCell) throws(InputErrors) -> String? {
        let suite = cell.loaded.scenario.mode == .baton ? batonSuite : suite
        return try suite.withFolder { (folder) throws(InputErrors) in
            let runner = try suite.makeRunner(cell.loaded, cell.cell, folder)
            defer { runner.world.store.close() }
            let judgement = try runner.explore(deadline: .now + Self.timeLimit) { _ in }.judgement
            return judgement.verdict == .failed ? judgement.reasons.first ?? "it fails" : nil
        }
    }
}
