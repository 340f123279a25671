import CoreDataPredicate
import LabFiles
import LabScenario

/// Parses every predicate of a file before the scenario runs, so that errors are reported with
/// their positions. The predicates of `unchecked` statements are parsed only when the scenario
/// runs.
struct PredicateCheck {
    let scenarios: [LoadedScenario]

    func run() throws(InputErrors) {
        var errors: [InputError] = []
        for loaded in scenarios {
            for predicate in predicates(of: loaded.scenario) {
                do {
                    _ = try NSPredicate.parse(predicate.format)
                } catch {
                    let problem = InputError(
                        loaded.scenario.file, predicate.position(of: error.column - 1),
                        "the predicate does not parse: \(error.problem)", error.advice)
                    if !errors.contains(problem) { errors.append(problem) }
                }
            }
        }
        if !errors.isEmpty { throw InputErrors(errors) }
    }

    private func predicates(of scenario: Scenario) -> [PredicateText] {
        let steps = scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
        var predicates: [PredicateText] = []
        for statement in steps.flatMap(\.statements) where !statement.isUnchecked {
            if let predicate = statement.action.query?.predicate { predicates.append(predicate) }
        }
        for observation in scenario.observations {
            switch observation.source {
            case .count(let query), .read(let query, _):
                if let predicate = query.predicate { predicates.append(predicate) }
            default: break
            }
        }
        return predicates
    }
}
