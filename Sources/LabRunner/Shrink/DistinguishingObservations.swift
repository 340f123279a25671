import ContextHistory
import CoreDataStore
import LabCheck
import LabScenario
import LabSchedule

/// The observations that distinguish a schedule's outcome from other outcomes. The shrinker keeps
/// these observations, so that the small file still shows the loss.
struct DistinguishingObservations {
    let runner: CellRunner
    let outcome: Outcome
    /// The finding to look for; nil to distinguish only the outcome.
    let finding: String?
    private static let limit = 300

    init(of outcome: Outcome, finding: String?, runner: CellRunner) {
        self.outcome = outcome
        self.finding = finding
        self.runner = runner
    }

    /// The positions of the fewest observations that distinguish the outcome from all others.
    func smallestSet() throws(CoreDataError) -> [Int] {
        let others = try otherOutcomes()
        let scenario = runner.plan.scenario
        let headline = Set(scenario.headline.map(\.value))
        var kept = Array(outcome.values.indices)
        // Headline observations are removed last.
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

    /// The outcomes that the shrunk file must not confuse with its target. If the target is a
    /// finding, they are the outcomes of schedules without it. If the target is an outcome, they
    /// are the outcomes that match another entry of the file's `outcomes`.
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
