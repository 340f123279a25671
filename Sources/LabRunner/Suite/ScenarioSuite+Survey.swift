import LabFiles
import LabResults
import LabScenario

/// The results of running all scenarios of a catalogue once.
package struct ScenarioSurvey: Sendable {
    /// The result of ``ScenarioSuite/run(_:progress:)``.
    package let run: RunReport
    /// The result of ``ScenarioSuite/matrix(_:progress:)``, without variants.
    package let matrix: MatrixResult
    /// The result of ``ScenarioSuite/lint(_:runs:progress:)`` for a lint that runs the scenarios.
    package let lint: LintReport
}

/// Identifies a cell within a run.
struct CellKey: Hashable, Sendable {
    private let scenario: String
    private let cell: MatrixCell

    init(_ scenario: Scenario, _ cell: MatrixCell) {
        self.scenario = scenario.fullName
        self.cell = cell
    }

    init(_ job: CellJob) { self.init(job.loaded.scenario, job.cell) }

    /// The results of cells by their keys; for a cell that ran twice, its first result.
    ///
    /// - Parameter results: one result for each job, in the order of the jobs.
    static func table<Result>(_ jobs: [CellJob], _ results: [Result]) -> [CellKey: Result] {
        Dictionary(zip(jobs.map(CellKey.init), results), uniquingKeysWith: { first, _ in first })
    }
}

extension ScenarioSuite {
    private struct SurveyedCell: Sendable {
        let key: CellKey
        let look: CellLook
        /// Nil if the cell did not run.
        let input: MatrixBuilder.CellInput?
    }

    /// Runs scenarios and their cures in all cells of their matrices. Each cell runs only once, for
    /// the results, the headline table and the lint.
    ///
    /// - Parameter paths: files, and folders of files.
    /// - Throws: every problem of every file, before anything runs.
    package func survey(
        _ paths: [String], progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> ScenarioSurvey {
        let files = try load(paths)
        let (report, kept) = try runAll(files, paths, .run, progress) { job, result, exploration in
            let scenario = job.loaded.scenario
            return SurveyedCell(
                key: CellKey(job),
                look: exploration.map(CellLook.init) ?? CellLook(),
                input: exploration.map {
                    MatrixBuilder.CellInput(
                        scenario: scenario, tallies: $0.tallies, result: result)
                })
        }
        let cells = Dictionary(kept.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        return ScenarioSurvey(
            run: report, matrix: headlineTable(files, cells.compactMapValues(\.input)),
            lint: lint(files, cells.mapValues(\.look)))
    }
}
