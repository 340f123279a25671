import ContextHistory
import CoreDataStore
import LabFiles
import LabResults
import LabScenario
import LabSchedule

// The headline table in other topologies and on other stores.
extension ScenarioSuite {
    /// One column of the table of variants.
    struct VariantPlan {
        var arrangement: Arrangement
        var store: StoreSpec.Kind
        /// The maximum number of schedules of a cell; nil for all. Cells of file stores have a
        /// maximum, because restoring files is slow.
        var sample: Int?
    }

    static let variantPlans = [
        VariantPlan(arrangement: .asWritten, store: .file, sample: fileSample),
        VariantPlan(arrangement: .ownStacks, store: .file, sample: fileSample),
        VariantPlan(arrangement: .children, store: .image),
    ]

    private static let fileSample = 25

    func variants(
        of scenarios: [LoadedScenario], _ folder: WorkingFolder, _ loader: ScenarioLoader,
        _ progress: @escaping ProgressSink
    ) throws(InputErrors) -> [MatrixVariant] {
        let rows = Self.variantPlans.map { plan in scenarios.map { row(of: $0, plan) } }
        let jobs = rows.joined().joined().compactMap(\.self)
        var cells = try runCells(jobs, folder, loader) { (runner, job) throws(InputErrors) in
            MatrixBuilder.variantCell(
                job.loaded.scenario, try runner.explore(progress: progress).tallies)
        }[...]
        return zip(Self.variantPlans, rows).map { plan, rows in
            let made = zip(scenarios, rows).map { loaded, row in
                MatrixVariant.Row(
                    id: loaded.scenario.bug ?? loaded.scenario.name,
                    cells: row.map {
                        $0.flatMap { _ in cells.popFirst() } ?? MatrixVariant.Cell(.none)
                    })
            }
            return MatrixVariant(
                topology: plan.arrangement.rawValue, store: plan.store.rawValue,
                sample: plan.sample, rows: made.sorted { $0.id < $1.id })
        }
    }

    /// One job for each built-in policy; nil if the scenario has no cell for the policy.
    private func row(of loaded: LoadedScenario, _ plan: VariantPlan) -> [CellJob?] {
        guard var scenario = plan.arrangement.applied(to: loaded.scenario), !loaded.isOnFile else {
            return PolicyName.builtIn.map { _ in nil }
        }
        scenario.store.kind = .value(plan.store)
        let changed = LoadedScenario(
            scenario: scenario, model: loaded.model, copiedStore: loaded.copiedStore)
        return PolicyName.builtIn.map { policy in
            let cell = scenario.cells.first { $0[MatrixBuilder.axis]?.text == policy }
            return cell.map {
                CellJob(loaded: changed, cell: $0, options: sampled(changed, $0, plan))
            }
        }
    }

    /// The options of a cell. If the cell has more schedules than the plan's sample size, the
    /// options request a random sample.
    private func sampled(
        _ loaded: LoadedScenario, _ cell: MatrixCell, _ plan: VariantPlan
    ) -> SuiteOptions {
        var options = options
        if let sample = plan.sample, loaded.scenario.schedules.isEmpty {
            let count = CellPlan(scenario: loaded.scenario, cell: cell, policies: options.policies)
                .schedulePlan.prediction().count
            if count.map({ $0 > UInt64(sample) }) ?? true { options.setSample(sample) }
        }
        return options
    }
}

extension SuiteOptions {
    fileprivate mutating func setSample(_ count: Int) {
        strategy = .random
        limit = count
    }
}

extension LoadedScenario {
    /// Whether the scenario starts from a file or needs one, so that its store cannot be replaced.
    fileprivate var isOnFile: Bool {
        if case .value(.image) = scenario.store.kind { return copiedStore != nil }
        return true
    }
}
