import ContextHistory
import CoreDataStore
import LabCheck
import LabFiles
import LabScenario
import LabSchedule

/// A small fault that the mutation gate plants, in the engine or in a detector.
private enum PlantedFault {
    case engine(Mutant)
    case detector(DetectorMutant)

    static let all = Mutant.allCases.map(Self.engine) + DetectorMutant.allCases.map(Self.detector)

    var name: String {
        switch self {
        case .engine(let mutant): mutant.rawValue
        case .detector(let mutant): mutant.rawValue
        }
    }

    var meaning: String {
        switch self {
        case .engine(let mutant): mutant.meaning
        case .detector(let mutant): mutant.meaning
        }
    }

    func planted<Result>(_ body: () -> Result) -> Result {
        switch self {
        case .engine(let mutant): Mutation.active = mutant
        case .detector(let mutant): DetectorMutation.active = mutant
        }
        defer {
            Mutation.active = nil
            DetectorMutation.active = nil
        }
        return body()
    }
}

/// The result for one planted fault.
package struct MutantResult: Sendable {
    package let name: String
    package let meaning: String
    /// The scenario and cell that detected the fault first; nil if no scenario detected the fault.
    package let killer: String?
    /// The finding or outcome by which the scenario detected the fault.
    package let how: String
}

// The mutation gate plants faults in the engine and in the detectors. It checks that at least one
// scenario detects each fault.
extension ScenarioSuite {
    /// Whether this build can plant faults; only debug builds can.
    package static var canMutate: Bool { Mutation.isPossible }

    /// Plants one small fault after another, first in the engine and then in the detectors. Returns
    /// the scenario that detects each fault.
    ///
    /// A scenario detects a fault if one of its cells passes without the fault and fails with it.
    /// Small cells run first. The run for a fault stops at the first cell that detects it. No other
    /// code in the process may use the engine meanwhile.
    ///
    /// - Parameters:
    ///   - names: the faults to try; empty for all.
    ///   - likely: for each fault, the cells to run first because they probably detect it.
    package func mutants(
        _ paths: [String], names: [String] = [], likely: [String: String] = [:],
        progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> [MutantResult] {
        let faults = PlantedFault.all
        if let unknown = names.first(where: { name in !faults.contains { $0.name == name } }) {
            let known = faults.map(\.name).joined(separator: ", ")
            throw InputErrors([
                InputError(
                    file: unknown, problem: "this fault does not exist",
                    remedy: "write some of \(known)")
            ])
        }
        // A reduced exploration is sufficient, because one schedule represents all equivalent ones.
        var gate = MutationGate(
            suite: with(.reduced), batonSuite: self,
            cells: try smallCells(paths, atMost: 5_000, includesBaton: true).sorted {
                $0.predicted ?? Int.max < $1.predicted ?? Int.max
            })
        let wanted = faults.filter { names.isEmpty || names.contains($0.name) }
        var results: [MutantResult] = []
        for (index, fault) in wanted.enumerated() {
            progress(ProgressUpdate("mutants", completed: index, total: wanted.count))
            results.append(try gate.result(of: fault, first: likely[fault.name]))
        }
        return results
    }
}

/// One run of the gate. Remembers for each cell whether it passes without a fault.
private struct MutationGate {
    let suite: ScenarioSuite
    /// The suite for cells whose steps can interrupt each other (baton mode).
    let batonSuite: ScenarioSuite
    let cells: [LoadedCell]
    private var passes: [String: Bool] = [:]

    /// The time after which no schedule of a cell starts, because a fault may make a scenario
    /// endless.
    private static let timeLimit = Duration.seconds(20)

    init(suite: ScenarioSuite, batonSuite: ScenarioSuite, cells: [LoadedCell]) {
        self.suite = suite
        self.batonSuite = batonSuite
        self.cells = cells
    }

    mutating func result(
        of fault: PlantedFault, first: String?
    ) throws(InputErrors) -> MutantResult {
        for cell in cells.filter({ $0.label == first }) + cells.filter({ $0.label != first }) {
            guard let how = complaint(of: cell, about: fault), try passesAlone(cell) else {
                continue
            }
            return MutantResult(
                name: fault.name, meaning: fault.meaning, killer: cell.label, how: how)
        }
        return MutantResult(
            name: fault.name, meaning: fault.meaning, killer: nil, how: "nobody noticed")
    }

    private func complaint(of cell: LoadedCell, about fault: PlantedFault) -> String? {
        fault.planted {
            do throws(InputErrors) {
                return try complaint(of: cell)
            } catch {
                return error.errors.first?.problem ?? "the store cannot be prepared"
            }
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
            defer { runner.world.lab.store.close() }
            let judgement = try runner.explore(deadline: .now + Self.timeLimit) { _ in }.judgement
            return judgement.verdict == .failed ? judgement.reasons.first ?? "it fails" : nil
        }
    }
}
