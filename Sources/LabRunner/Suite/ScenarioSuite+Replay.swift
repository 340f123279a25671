import ContextHistory
import CoreDataStore
import LabCheck
import LabFiles
import LabResults
import LabScenario
import LabSchedule

/// The result of replaying a token.
package struct ReplayResult: Sendable {
    /// The replayed schedule, with its transcript and findings.
    package let result: ScenarioResult
    package let first: String
    /// The transcript of the second run. If the runs are deterministic, it equals the first.
    package let second: String
    /// The adaptations of the schedule to a changed scenario. If there are any, the first one
    /// reports that the scenario has changed.
    package let adaptations: [String]
}

extension ScenarioSuite {
    /// Runs the schedule of a token twice.
    ///
    /// - Parameters:
    ///   - token: a token from a failure or a report.
    ///   - searchPaths: files and folders in which to find the scenario by its name.
    package func replay(
        _ token: String, in searchPaths: [String]
    ) throws(InputErrors) -> ReplayResult {
        let (parsed, loaded, cell) = try locate(token, in: searchPaths)
        return try replay(parsed, loaded, cell)
    }

    /// Runs the schedule of a token twice on a scenario written in Swift.
    package func replay(
        _ token: String, _ scenario: Scenario
    ) throws(InputErrors) -> ReplayResult {
        let parsed = try parse(token)
        guard parsed.scenario == scenario.fullName else {
            throw InputErrors([
                InputError(
                    file: "token",
                    problem:
                        "the token belongs to the scenario '\(parsed.scenario)', but this one is"
                        + " '\(scenario.fullName)'",
                    remedy: "give the scenario of the token")
            ])
        }
        return try replay(parsed, try prepare(scenario), try cell(of: parsed, in: scenario))
    }

    private func replay(
        _ parsed: ScheduleToken, _ loaded: LoadedScenario, _ cell: MatrixCell
    ) throws(InputErrors) -> ReplayResult {
        try withFolder { (folder) throws(InputErrors) in
            let runner = try makeRunner(loaded, cell, folder)
            defer { runner.world.lab.store.close() }
            do throws(CoreDataError) {
                return try replay(parsed, runner)
            } catch {
                throw InputErrors([
                    InputError(
                        file: loaded.scenario.file,
                        problem: "the schedule cannot be run: \(error.message)",
                        remedy: "report this with the token")
                ])
            }
        }
    }

    func locate(
        _ token: String, in searchPaths: [String]
    ) throws(InputErrors) -> (ScheduleToken, LoadedScenario, MatrixCell) {
        let parsed = try parse(token)
        let loaded = try find(parsed, in: searchPaths)
        let cell = try cell(of: parsed, in: loaded.scenario)
        return (parsed, loaded, cell)
    }

    private func parse(_ token: String) throws(InputErrors) -> ScheduleToken {
        do throws(ScheduleToken.Malformed) { return try ScheduleToken(token) } catch {
            throw InputErrors([
                InputError(file: "token", problem: error.what, remedy: error.instead)
            ])
        }
    }

    private func find(
        _ token: ScheduleToken, in paths: [String]
    ) throws(InputErrors) -> LoadedScenario {
        let name = token.scenario.split(separator: "+", maxSplits: 1)
        var known: [String] = []
        let loader = ScenarioLoader(options, named: paths)
        for file in try ScenarioFiles.expand(paths) {
            // An error in another file must not prevent replaying this one.
            guard let loaded = try? loader.load(file) else { continue }
            let result = onChosenStore(loaded)
            switch result {
            case .skipped(let scenario, let why) where scenario.name == name[0]:
                throw InputErrors([
                    InputError(
                        file: file, problem: "the scenario cannot run here: \(why)",
                        remedy: options.store == nil
                            ? "set FAULTLINE_FIXTURES to the folder of the fixtures"
                            : "leave --store out, or set FAULTLINE_FIXTURES to the folder of the"
                                + " fixtures")
                ])
            case .skipped, .pending: break
            case .loaded(let variants):
                known += variants.map(\.scenario.fullName)
                if let found = variants.first(where: { $0.scenario.fullName == token.scenario }) {
                    return found
                }
            }
        }
        throw InputErrors([
            InputError(
                file: paths.joined(separator: " "),
                problem: "no scenario is named '\(token.scenario)'",
                remedy: Suggestion.text(for: token.scenario, among: known, kind: "scenario"))
        ])
    }

    private func cell(
        of token: ScheduleToken, in scenario: Scenario
    ) throws(InputErrors) -> MatrixCell {
        let cells = scenario.cells
        if let cell = cells.first(where: { $0.description == token.cell }) { return cell }
        throw InputErrors([
            InputError(
                file: scenario.file, problem: "the matrix has no cell '\(token.cell)'",
                remedy: Suggestion.text(
                    for: token.cell, among: cells.map(\.description), kind: "cell"))
        ])
    }

    private func replay(
        _ token: ScheduleToken, _ runner: CellRunner
    ) throws(CoreDataError) -> ReplayResult {
        let world = runner.world
        let replayed = try Replay(plan: runner.plan.schedulePlan).run(token.steps, in: world)
        let first = try page(replayed.path, runner)
        let second = try page(replayed.path, runner)
        var adaptations = replayed.adaptations
        let isAdapted = !adaptations.isEmpty
        // A token of a pinned schedule has no version. Edits of other parts of the file do not
        // affect the schedule.
        let isOfVersion = token.hash != ContentHash.unknown
        if isOfVersion ? token.hash != runner.plan.scenario.hash : isAdapted {
            let what = runner.plan.scenario.file.isEmpty ? "scenario" : "file"
            adaptations.insert("the \(what) has changed since the token was printed", at: 0)
        }
        var grading = OutcomeGrading(scenario: runner.plan.scenario, cell: runner.plan.cell)
        if grading.needsSerial { grading.serial = [world.outcome] }
        var exploration = CellRunner.Exploration(
            summary: Explorer.Summary(
                predicted: Prediction(count: 1, isExact: true), explored: 1, isComplete: true))
        exploration.summary.strategy = "replay"
        exploration.tallies = [
            OutcomeTally(
                outcome: world.outcome, mark: grading.mark(world.outcome), count: 1,
                findings: Set(world.findings.map(\.name)))
        ]
        exploration.paths = [replayed.path]
        exploration.witnesses = world.findings.map { ($0, replayed.path) }
        exploration.judgement = Self.judge(exploration.tallies[0], grading)
        let report = CellReport(runner: runner, exploration: exploration, mode: .replay)
        var result = try report.result()
        if first != second { result.verdict = .nondeterministic }
        result.reasons += adaptations
        return ReplayResult(
            result: result, first: first, second: second, adaptations: adaptations)
    }

    private func page(_ path: [UInt8], _ runner: CellRunner) throws(CoreDataError) -> String {
        let (names, text) = try TranscriptText.run(path, in: runner.world)
        return TranscriptText.page(
            text, runner: runner, token: runner.token(names), outcome: runner.world.outcome,
            findings: runner.world.findings, cycles: runner.world.cycles)
    }

    /// Judges the outcome of a single schedule. A single schedule need not show the defects that
    /// the file expects.
    private static func judge(_ tally: OutcomeTally, _ grading: OutcomeGrading) -> Judgement {
        switch tally.mark {
        case .unmatched:
            return Judgement(
                verdict: .failed, reasons: ["\(grading.text(tally.outcome)) matches no outcome"])
        case .spec(let index):
            let spec = grading.scenario.outcomes[index]
            switch spec.grade {
            case .forbidden: return Judgement(verdict: .failed, reasons: [spec.because])
            case .interesting: return Judgement(verdict: .interesting, reasons: [spec.because])
            case .acceptable, .defect: return Judgement(verdict: .passed, reasons: [])
            }
        }
    }
}
