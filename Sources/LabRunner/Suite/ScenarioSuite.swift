import CoreDataStore
import Foundation
import LabCheck
import LabFiles
import LabResults
import LabScenario
import LabSchedule

/// The lab: runs scenario files and gives results back. The command line calls one function of it
/// for each command; tests call the same.
package struct ScenarioSuite: Sendable {
    package var options: SuiteOptions

    package init(_ options: SuiteOptions = SuiteOptions()) {
        self.options = options
    }

    /// The JSON Schema of scenario files.
    package static func schema() -> String { ScenarioSchema.json }

    /// The reference page of the scenario language, in Markdown.
    package static func reference() -> String { ReferencePage.markdown }

    /// Runs scenarios and their cures in all cells of their matrices.
    ///
    /// - Parameter paths: files, and folders that hold some.
    /// - Throws: every problem of every file, before anything runs.
    package func run(
        _ paths: [String], progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> RunReport {
        try runAll(paths, mode: .run, progress: progress)
    }

    /// Explores one scenario and its cures in all cells.
    package func explore(
        _ path: String, progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> RunReport {
        try runAll([path], mode: .explore, progress: progress)
    }

    /// Runs a scenario that was written in Swift, without its cures.
    package func run(
        _ scenario: Scenario, progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> [ScenarioResult] {
        let loaded = try prepare(scenario)
        return try withFolder { (folder) throws(InputErrors) in
            var results: [ScenarioResult] = []
            for cell in scenario.cells {
                results.append(try run(loaded, cell, .explore, folder, progress).result)
            }
            return results
        }
    }

    /// Checks a scenario that was written in Swift, and makes it ready to run.
    func prepare(_ scenario: Scenario) throws(InputErrors) -> LoadedScenario {
        let loader = ScenarioLoader(options)
        if case .inline(let shape) = scenario.model {
            do throws(ScenarioProblems) {
                try loader.reader.check(scenario, against: shape)
            } catch {
                throw InputErrors(error)
            }
        }
        return try loader.prepare(scenario.hashed)
    }

    private func runAll(
        _ paths: [String], mode: ScenarioResult.Mode, progress: ProgressSink
    ) throws(InputErrors) -> RunReport {
        let files = try load(paths)
        let time = options.timeBudget.map { TimeBudget($0, cells: Self.cellCount(files)) }
        return try withFolder { (folder) throws(InputErrors) in
            var results: [ScenarioResult] = []
            for file in files {
                switch file {
                case .skipped(let scenario, let why):
                    let verdict: Verdict = options.requiresFixtures ? .failed : .skipped
                    results.append(idle(scenario, verdict, why, mode))
                case .pending(let scenario, let why):
                    results.append(idle(scenario, .pending, why, mode))
                case .loaded(let variants):
                    for loaded in variants {
                        for cell in loaded.scenario.cells {
                            let deadline = time?.deadlineOfNextCell()
                            if time?.isOver == true {
                                results.append(untried(loaded.scenario, cell, mode))
                                continue
                            }
                            results.append(
                                try run(loaded, cell, mode, folder, progress, deadline).result)
                        }
                    }
                }
            }
            return RunReport(scenarios: results)
        }
    }

    /// The headline table of all scenarios that have a policy axis and a bug's number.
    package func matrix(
        _ paths: [String], progress: ProgressSink = { _ in }
    ) throws(InputErrors) -> MatrixResult {
        let files = try load(paths)
        return try withFolder { (folder) throws(InputErrors) in
            var matrix = try headlineTable(files, folder, progress)
            if options.wantsVariants {
                let scenarios = files.compactMap { file -> LoadedScenario? in
                    guard case .loaded(let variants) = file else { return nil }
                    return variants.first.flatMap { Self.belongs($0.scenario) ? $0 : nil }
                }
                matrix.variants = try variants(of: scenarios, folder, progress)
            }
            return matrix
        }
    }

    private func headlineTable(
        _ files: [ScenarioLoader.Result], _ folder: WorkingFolder, _ progress: ProgressSink
    ) throws(InputErrors) -> MatrixResult {
        var builder = MatrixBuilder()
        for file in files {
            switch file {
            case .skipped(let scenario, let why):
                if Self.belongs(scenario) {
                    builder.add(
                        scenario, inputs: PolicyName.builtIn.map { _ in nil }, skipped: why)
                }
            case .pending: continue
            case .loaded(let variants):
                guard let loaded = variants.first, Self.belongs(loaded.scenario) else {
                    continue
                }
                builder.add(
                    loaded.scenario, inputs: try row(of: loaded, folder, progress),
                    skipped: nil)
            }
        }
        return builder.matrix
    }

    static func cellCount(_ files: [ScenarioLoader.Result]) -> Int {
        files.reduce(0) { count, file in
            guard case .loaded(let variants) = file else { return count }
            // At most 10,000 for each scenario and cure.
            return count + variants.reduce(0) { $0 + $1.scenario.cells.count }
        }
    }

    private static func belongs(_ scenario: Scenario) -> Bool {
        scenario.bug != nil && scenario.matrix.contains { $0.name.value == MatrixBuilder.axis }
    }

    /// One cell for each built-in policy; other parameters have their first value.
    private func row(
        of loaded: LoadedScenario, _ folder: WorkingFolder, _ progress: ProgressSink
    ) throws(InputErrors) -> [MatrixBuilder.CellInput?] {
        var inputs: [MatrixBuilder.CellInput?] = []
        for policy in PolicyName.builtIn {
            let cell = loaded.scenario.cells.first { $0[MatrixBuilder.axis]?.text == policy }
            guard let cell else {
                inputs.append(nil)
                continue
            }
            let (result, exploration) = try run(loaded, cell, .explore, folder, progress)
            inputs.append(
                .init(scenario: loaded.scenario, tallies: exploration.tallies, result: result))
        }
        return inputs
    }

    // MARK: Parts

    func load(_ paths: [String]) throws(InputErrors) -> [ScenarioLoader.Result] {
        let loader = ScenarioLoader(options, named: paths)
        var loaded: [ScenarioLoader.Result] = []
        var errors: [InputError] = []
        for file in try ScenarioFiles.expand(paths) {
            do throws(InputErrors) {
                loaded.append(try loader.load(file))
            } catch {
                errors += error.errors
            }
        }
        errors += Self.duplicateNames(loaded)
        if !errors.isEmpty { throw InputErrors(errors) }
        return loaded
    }

    /// Tokens name scenarios, so two files of one run cannot have the same name.
    private static func duplicateNames(_ loaded: [ScenarioLoader.Result]) -> [InputError] {
        var files: [String: String] = [:]
        return loaded.compactMap { file in
            let scenario = file.scenario
            guard let other = files.updateValue(scenario.file, forKey: scenario.name) else {
                return nil
            }
            return InputError(
                file: scenario.file, line: 1, column: 1,
                problem: "the scenario '\(scenario.name)' is also in \(other)",
                remedy: "give each scenario its own name")
        }
    }

    func withFolder<Result>(
        _ body: (WorkingFolder) throws(InputErrors) -> Result
    ) throws(InputErrors) -> Result {
        let folder: WorkingFolder
        do { folder = try WorkingFolder() } catch {
            throw InputErrors([
                InputError(
                    file: TemporaryFolder.base, problem: error.what, remedy: error.instead)
            ])
        }
        defer { folder.remove() }
        return try body(folder)
    }

    func makeRunner(
        _ loaded: LoadedScenario, _ cell: MatrixCell, _ folder: WorkingFolder
    ) throws(InputErrors) -> CellRunner {
        let path: String
        do { path = try folder.makeCell() } catch {
            throw InputErrors([
                InputError(
                    file: folder.path, problem: "the working folder cannot be used: \(error)",
                    remedy: "make room on its disk")
            ])
        }
        return try CellRunner(loaded, cell: cell, options: options, folder: path)
    }

    private func run(
        _ loaded: LoadedScenario, _ cell: MatrixCell, _ mode: ScenarioResult.Mode,
        _ folder: WorkingFolder, _ progress: ProgressSink,
        _ deadline: ContinuousClock.Instant? = nil
    ) throws(InputErrors) -> (result: ScenarioResult, exploration: CellRunner.Exploration) {
        let runner = try makeRunner(loaded, cell, folder)
        defer { runner.world.lab.store.close() }
        var exploration = try runner.explore(deadline: deadline, progress: progress)
        let changed = try PinnedRuns(runner: runner).compare()
        if !changed.isEmpty {
            exploration.judgement = Judgement(
                verdict: .failed, reasons: exploration.judgement.reasons + changed)
        }
        do throws(CoreDataError) {
            let report = CellReport(runner: runner, exploration: exploration, mode: mode)
            return (try report.result(), exploration)
        } catch {
            throw InputErrors([
                InputError(
                    file: loaded.scenario.file,
                    problem: "a schedule cannot be run again: \(error.message)",
                    remedy: "report this with the file")
            ])
        }
    }

    /// The result of a cell for which no time was left.
    private func untried(
        _ scenario: Scenario, _ cell: MatrixCell, _ mode: ScenarioResult.Mode
    ) -> ScenarioResult {
        ScenarioResult(
            name: scenario.fullName, file: scenario.file, sentence: scenario.about,
            references: scenario.refs.map(\.value), cell: cell.axisValues, mode: mode,
            schedules: ScheduleCount(explored: 0, strategy: "none", stoppedAt: "the time budget"),
            verdict: .inconclusive, reasons: ["the time budget was used up before this cell"])
    }

    /// The result of a scenario of which no schedule ran.
    private func idle(
        _ scenario: Scenario, _ verdict: Verdict, _ why: String, _ mode: ScenarioResult.Mode
    ) -> ScenarioResult {
        ScenarioResult(
            name: scenario.name, file: scenario.file, sentence: scenario.about,
            references: scenario.refs.map(\.value), mode: mode,
            schedules: ScheduleCount(explored: 0, strategy: "none"), verdict: verdict,
            reasons: [why])
    }
}

extension ScenarioLoader.Result {
    /// The scenario of the file, without its cures.
    var scenario: Scenario {
        switch self {
        case .loaded(let variants): variants[0].scenario
        case .skipped(let scenario, _), .pending(let scenario, _): scenario
        }
    }
}
