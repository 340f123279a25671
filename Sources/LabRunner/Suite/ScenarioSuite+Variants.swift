import CoreDataStore
import LabCheck
import LabResults
import LabScenario
import LabSchedule

// The headline table in other topologies and on other stores.
extension ScenarioSuite {
    /// One column of the second table.
    struct VariantPlan {
        var arrangement: Arrangement
        var store: StoreSpec.Kind
        /// The most schedules of a cell; files are put back slowly.
        var sample: Int?
    }

    static let variantPlans = [
        VariantPlan(arrangement: .asWritten, store: .file, sample: fileSample),
        VariantPlan(arrangement: .ownStacks, store: .file, sample: fileSample),
        VariantPlan(arrangement: .children, store: .image),
    ]

    private static let fileSample = 25

    /// Runs the loaded scenarios in every variant.
    func variants(
        of scenarios: [LoadedScenario], _ folder: WorkingFolder, _ progress: ProgressSink
    ) throws(InputErrors) -> [MatrixVariant] {
        var variants: [MatrixVariant] = []
        for plan in Self.variantPlans {
            var rows: [MatrixVariant.Row] = []
            for loaded in scenarios {
                rows.append(
                    MatrixVariant.Row(
                        id: loaded.scenario.bug ?? loaded.scenario.name,
                        cells: try cells(of: loaded, plan, folder, progress)))
            }
            variants.append(
                MatrixVariant(
                    topology: plan.arrangement.rawValue, store: plan.store.rawValue,
                    sample: plan.sample, rows: rows.sorted { $0.id < $1.id }))
        }
        return variants
    }

    private func cells(
        of loaded: LoadedScenario, _ plan: VariantPlan, _ folder: WorkingFolder,
        _ progress: ProgressSink
    ) throws(InputErrors) -> [MatrixVariant.Cell] {
        guard var scenario = plan.arrangement.applied(to: loaded.scenario), !loaded.isOnFile else {
            return PolicyName.builtIn.map { _ in MatrixVariant.Cell(.none) }
        }
        scenario.store.kind = .value(plan.store)
        let changed = LoadedScenario(
            scenario: scenario, model: loaded.model, copiedStore: loaded.copiedStore)
        var cells: [MatrixVariant.Cell] = []
        for policy in PolicyName.builtIn {
            let cell = scenario.cells.first { $0[MatrixBuilder.axis]?.text == policy }
            cells.append(
                try cell.map { (cell) throws(InputErrors) in
                    try judge(changed, cell, plan, folder, progress)
                } ?? MatrixVariant.Cell(.none))
        }
        return cells
    }

    private func judge(
        _ loaded: LoadedScenario, _ cell: MatrixCell, _ plan: VariantPlan,
        _ folder: WorkingFolder, _ progress: ProgressSink
    ) throws(InputErrors) -> MatrixVariant.Cell {
        var suite = self
        if let sample = plan.sample, loaded.scenario.schedules.isEmpty {
            let count = CellPlan(scenario: loaded.scenario, cell: cell, policies: options.policies)
                .schedulePlan.prediction().count
            if count.map({ $0 > UInt64(sample) }) ?? true { suite.options.setSample(sample) }
        }
        let runner = try suite.makeRunner(loaded, cell, folder)
        defer { runner.world.lab.store.close() }
        let exploration = try runner.explore(progress: progress)
        return MatrixBuilder.variantCell(loaded.scenario, exploration.tallies)
    }
}

extension SuiteOptions {
    /// Takes a number of schedules at random.
    fileprivate mutating func setSample(_ count: Int) {
        strategy = .random
        limit = count
    }
}

extension LoadedScenario {
    /// Whether it starts from a file or needs one, so that its store cannot be another.
    fileprivate var isOnFile: Bool {
        if case .value(.image) = scenario.store.kind { return copiedStore != nil }
        return true
    }
}
