import LabFiles

/// The results of a run over scenario files.
package struct RunReport: SavedResult, Sendable, Hashable {
    package static let kind = ResultKind.run

    package var header: ResultHeader
    package var scenarios: [ScenarioResult]

    package init(scenarios: [ScenarioResult]) {
        self.header = ResultHeader(.run)
        self.scenarios = scenarios
    }

    package var summary: Summary { Summary(scenarios) }

    /// Counts over a run.
    package struct Summary: Sendable, Hashable {
        package private(set) var cells: [Verdict: Int] = [:]
        package private(set) var files = 0
        package private(set) var schedules = 0
        package private(set) var findings = 0

        init(_ results: [ScenarioResult]) {
            for result in results {
                cells[result.verdict, default: 0] += 1
                findings += result.findings.count
            }
            files = Set(results.map(\.file)).count
            schedules = results.map(\.schedules.explored).total
        }

        package subscript(_ verdict: Verdict) -> Int { cells[verdict] ?? 0 }
    }
}
