import CoreDataStore
import LabCheck
import LabScenario
import LabSchedule

/// The observations that tell a schedule's outcome from those that do not show the same. The
/// shrinker keeps them, so that a small file shows what is lost.
struct TellingObservations {
    let runner: CellRunner
    let outcome: Outcome
    /// The finding that is looked for; nil for the outcome alone.
    let finding: String?
    /// Schedules that the outcome is compared with.
    private static let limit = 300

    init(of outcome: Outcome, finding: String?, runner: CellRunner) {
        self.outcome = outcome
        self.finding = finding
        self.runner = runner
    }

    /// Their positions, as few as tell all others from it.
    func fewestTelling() throws(CoreDataError) -> [Int] {
        let others = try otherOutcomes()
        let scenario = runner.plan.scenario
        let headline = Set(scenario.headline.map(\.value))
        var kept = Array(outcome.values.indices)
        // What stands for the scenario goes last.
        let order = kept.reversed().sorted { one, other in
            !headline.contains(scenario.observations[one].name.value)
                && headline.contains(scenario.observations[other].name.value)
        }
        for index in order where kept.count > 1 {
            let left = kept.filter { $0 != index }
            let isTelling = others.allSatisfy { other in
                left.contains { other.values[$0] != outcome.values[$0] }
            }
            if isTelling { kept = left }
        }
        return kept
    }

    /// What schedules without the finding end with; for an outcome, what is graded otherwise.
    private func otherOutcomes() throws(CoreDataError) -> Set<Outcome> {
        let grading = OutcomeGrading(scenario: runner.plan.scenario, cell: runner.plan.cell)
        let mark = grading.mark(outcome)
        let world = runner.world
        var others: Set<Outcome> = []
        let explorer = Explorer(plan: runner.plan.schedulePlan, limit: Self.limit)
        _ = try explorer.explore(world) { (_) throws(CoreDataError) in
            let isOther =
                if let finding {
                    !world.findings.contains { $0.name == finding }
                } else {
                    grading.needsSerial || grading.mark(world.outcome) != mark
                }
            if isOther { others.insert(world.outcome) }
            return true
        }
        others.remove(outcome)
        return others
    }
}
