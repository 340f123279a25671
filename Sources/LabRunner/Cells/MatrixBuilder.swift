import ContextHistory
import LabCheck
import LabResults
import LabScenario

/// Builds the headline table of bugs and merge policies. Suites add the cells of their scenarios.
struct MatrixBuilder {
    static let axis = "policy"

    struct CellInput {
        let scenario: Scenario
        let tallies: [OutcomeTally]
        let result: ScenarioResult
    }

    private static let titles = [
        "error": "error", "storeTrump": "store trump", "objectTrump": "object trump",
        "overwrite": "overwrite", "rollback": "rollback",
    ]

    private var rows: [MatrixResult.Row] = []
    private var transcripts: [Transcript] = []

    /// Adds a scenario. An input is nil if the scenario lacks the cell.
    mutating func add(
        _ scenario: Scenario, inputs: [CellInput?], skipped: String?
    ) {
        let hasDefect = scenario.outcomes.contains { $0.grade == .defect }
        let cells = inputs.map { input -> MatrixResult.Cell in
            guard let input else {
                return .init(
                    classification: .skipped(why: skipped ?? "not in its matrix"), text: "",
                    verdict: .skipped)
            }
            let cell = Self.cell(input, hasDefect: hasDefect)
            if let wanted = cell.transcript {
                transcripts += input.result.transcripts.filter { $0.id == wanted }
            }
            return cell
        }
        rows.append(
            .init(
                id: scenario.bug ?? scenario.name, scenario: scenario.name, file: scenario.file,
                sentence: scenario.about, references: scenario.refs.map(\.value), cells: cells))
    }

    var matrix: MatrixResult {
        MatrixResult(
            title: "Reported bugs under each merge policy", axis: Self.axis,
            columns: PolicyName.builtIn.map { .init(id: $0, title: Self.titles[$0] ?? $0) },
            rows: rows.sorted { $0.id < $1.id }, transcripts: transcripts)
    }

    /// The outcome that a cell shows: a defect if one occurred, otherwise an error, otherwise the
    /// first outcome in the file.
    private static func cell(_ input: CellInput, hasDefect: Bool) -> MatrixResult.Cell {
        let scenario = input.scenario
        let ranked = input.tallies.indices.sorted {
            rank(input.tallies[$0], scenario) < rank(input.tallies[$1], scenario)
        }
        guard let index = ranked.first else {
            return .init(
                classification: .skipped(why: "no schedule ran"), text: "", verdict: .inconclusive)
        }
        let tally = input.tallies[index]
        let outcome = input.result.outcomes[index]
        var cell = MatrixResult.Cell(
            classification: classification(tally, input, hasDefect: hasDefect),
            text: headline(outcome, scenario),
            reason: outcome.reason, token: outcome.token, transcript: outcome.transcript,
            verdict: input.result.verdict)
        cell.cycle =
            input.result.findings.first { finding in
                outcome.findings.contains(finding.id) && finding.cycle != nil
            }?.cycle?.title
        // If some schedules end with an error and others lose a change, the cell contains both.
        if case .error = cell.classification,
            let lost = ranked.first(where: { isGradedLoss(input.tallies[$0], scenario) })
        {
            let outcome = input.result.outcomes[lost]
            cell.loss = .init(text: headline(outcome, scenario), token: outcome.token)
        }
        return cell
    }

    private static func isGradedLoss(_ tally: OutcomeTally, _ scenario: Scenario) -> Bool {
        guard isLoss(tally) else { return false }
        guard case .spec(let index) = tally.mark else { return true }
        return scenario.outcomes[index].grade != .acceptable
    }

    /// The mark of a cell in a variant of the matrix: the worst result of any schedule.
    static func variantCell(
        _ scenario: Scenario, _ tallies: [OutcomeTally]
    ) -> MatrixVariant.Cell {
        let hasDefect = scenario.outcomes.contains { $0.grade == .defect }
        let order: [MatrixVariant.Mark] = [.lost, .wrong, .error, .other, .prevented, .correct]
        let cells = tallies.map { tally in
            MatrixVariant.Cell(
                mark(tally, scenario, hasDefect: hasDefect), text: headline(tally, scenario))
        }
        return order.lazy.compactMap { mark in cells.first { $0.mark == mark } }.first
            ?? MatrixVariant.Cell(.none)
    }

    private static func mark(
        _ tally: OutcomeTally, _ scenario: Scenario, hasDefect: Bool
    ) -> MatrixVariant.Mark {
        let code = errorCode(tally, scenario)
        guard case .spec(let index) = tally.mark else {
            if isLoss(tally) { return .lost }
            if code != nil { return .error }
            return tally.findings.isEmpty ? .other : .wrong
        }
        switch scenario.outcomes[index].grade {
        case .defect, .forbidden: return isLoss(tally) ? .lost : code == nil ? .wrong : .error
        case .acceptable, .interesting:
            return code != nil ? .error : hasDefect ? .prevented : .correct
        }
    }

    private static func headline(_ tally: OutcomeTally, _ scenario: Scenario) -> String {
        let names = Set(scenario.headline.map(\.value))
        return zip(scenario.observations, tally.outcome.values)
            .filter { names.contains($0.0.name.value) }
            .map { "\($0.0.name.value) = \($0.1)" }.joined(separator: ", ")
    }

    private static func headline(_ outcome: OutcomeResult, _ scenario: Scenario) -> String {
        let shown = scenario.headline.compactMap { name in
            outcome.observed.first { $0.name == name.value }
        }
        return shown.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
    }

    private static func rank(_ tally: OutcomeTally, _ scenario: Scenario) -> (Int, Int) {
        guard case .spec(let index) = tally.mark else { return (0, 0) }
        let group: Int =
            switch scenario.outcomes[index].grade {
            case .forbidden: 1
            case .defect: 2
            case .acceptable, .interesting: errorCode(tally, scenario) == nil ? 4 : 3
            }
        return (group, index)
    }

    private static func classification(
        _ tally: OutcomeTally, _ input: CellInput, hasDefect: Bool
    ) -> Classification {
        if let code = errorCode(tally, input.scenario) { return .error(code: code) }
        guard case .spec(let index) = tally.mark else { return .silentlyWrong }
        switch input.scenario.outcomes[index].grade {
        case .defect, .forbidden: return isLoss(tally) ? .silentlyLost : .silentlyWrong
        case .acceptable, .interesting:
            let policy = input.result.cell.first { $0.axis == axis }?.value ?? ""
            return hasDefect ? .prevented(how: means(of: policy)) : .correct
        }
    }

    private static func isLoss(_ tally: OutcomeTally) -> Bool {
        !tally.findings.isDisjoint(with: ["lost update", "lost property", "blanked by trump"])
    }

    private static func means(of policy: String) -> String {
        switch policy {
        case "error": "by the version check"
        case "storeTrump": "store wins"
        case "objectTrump": "merged, object wins"
        case "overwrite": "object overwrites"
        case "rollback": "store wins, object dropped"
        default: policy
        }
    }

    private static func errorCode(_ tally: OutcomeTally, _ scenario: Scenario) -> Int? {
        for (observation, value) in zip(scenario.observations, tally.outcome.values) {
            guard case .status = observation.source, case .integer(let code) = value else {
                continue
            }
            return Int(code)
        }
        return nil
    }
}
