import ContextHistory
import CoreDataStore
import Foundation
import LabFiles
import LabResults
import LabScenario
import LabSchedule

/// The entry point of the lab. It runs scenario files and returns results. Each command of the
/// command line calls one of its functions, and so do the tests.
package struct ScenarioSuite: Sendable {
    package var options: SuiteOptions

    package init(_ options: SuiteOptions = SuiteOptions()) {
        self.options = options
    }

    package static func schema() -> String { ScenarioSchema.json }

    package static func reference() -> String { ReferencePage.markdown }

    /// Runs scenarios and their cures in all cells of their matrices.
    ///
    /// - Parameter paths: files, and folders of files.
    /// - Throws: every problem of every file, before anything runs.
    package func run(
        _ paths: [String], progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> RunReport {
        try runAll(paths, mode: .run, progress: progress)
    }

    /// Explores one scenario and its cures in all cells.
    package func explore(
        _ path: String, progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> RunReport {
        try runAll([path], mode: .explore, progress: progress)
    }

    /// Runs a scenario written in Swift, without its cures.
    package func run(
        _ scenario: Scenario, progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> [ScenarioResult] {
        let loaded = try prepare(scenario)
        let jobs = scenario.cells.map { CellJob(loaded: loaded, cell: $0, options: options) }
        return try withFolder { (folder) throws(InputErrors) in
            try runCells(jobs, folder, ScenarioLoader(options)) {
                (runner, job) throws(InputErrors) in
                try job.run(runner, .explore, progress).result
            }
        }
    }

    /// Checks a scenario written in Swift, and prepares it to run.
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

    /// The entry of a cell in the results of a run.
    private enum Place {
        case result(ScenarioResult)
        case job(Int)
    }

    private func runAll(
        _ paths: [String], mode: ScenarioResult.Mode, progress: @escaping ProgressSink
    ) throws(InputErrors) -> RunReport {
        try runAll(try load(paths), paths, mode, progress) { _, _, _ in }.report
    }

    /// Runs all cells of the files that were read from some paths.
    ///
    /// - Parameter keep: extracts the part of each cell's results to keep; the exploration is nil
    ///   for a cell that had no time left.
    func runAll<Extract: Sendable>(
        _ files: [ScenarioLoader.Result], _ paths: [String], _ mode: ScenarioResult.Mode,
        _ progress: @escaping ProgressSink,
        keep: @escaping @Sendable (CellJob, ScenarioResult, CellRunner.Exploration?) -> Extract
    ) throws(InputErrors) -> (report: RunReport, kept: [Extract]) {
        let time = options.timeBudget.map {
            TimeBudget($0, cells: Self.cellCount(files), jobs: options.jobs)
        }
        let (places, jobs) = places(of: files, mode)
        let ends = try withFolder { (folder) throws(InputErrors) in
            try runCells(
                jobs, folder, ScenarioLoader(options, named: paths)
            ) { (runner, job) throws(InputErrors) -> (result: ScenarioResult, kept: Extract) in
                let deadline = time?.deadlineOfNextCell()
                if time?.isOver == true {
                    let result = Self.untried(job.loaded.scenario, job.cell, mode)
                    return (result, keep(job, result, nil))
                }
                let (result, exploration) = try job.run(runner, mode, progress, deadline)
                return (result, keep(job, result, exploration))
            }
        }
        let report = RunReport(
            scenarios: places.map { place in
                switch place {
                case .result(let result): result
                case .job(let number): ends[number].result
                }
            })
        return (report, ends.map(\.kept))
    }

    private func places(
        of files: [ScenarioLoader.Result], _ mode: ScenarioResult.Mode
    ) -> (places: [Place], jobs: [CellJob]) {
        var places: [Place] = []
        var jobs: [CellJob] = []
        for file in files {
            switch file {
            case .skipped(let scenario, let why):
                let verdict: Verdict = options.requiresFixtures ? .failed : .skipped
                places.append(.result(idle(scenario, verdict, why, mode)))
            case .pending(let scenario, let why):
                places.append(.result(idle(scenario, .pending, why, mode)))
            case .loaded(let variants):
                for loaded in variants {
                    for cell in loaded.scenario.cells {
                        places.append(.job(jobs.count))
                        jobs.append(CellJob(loaded: loaded, cell: cell, options: options))
                    }
                }
            }
        }
        return (places, jobs)
    }

    /// The headline table of all scenarios that have a policy axis and a bug number.
    package func matrix(
        _ paths: [String], progress: @escaping ProgressSink = { _ in }
    ) throws(InputErrors) -> MatrixResult {
        let files = try load(paths)
        return try withFolder { (folder) throws(InputErrors) in
            let loader = ScenarioLoader(options, named: paths)
            var matrix = headlineTable(
                files, try headlineInputs(files, folder, loader, progress))
            if options.wantsVariants {
                let scenarios = files.compactMap { file -> LoadedScenario? in
                    guard case .loaded(let variants) = file else { return nil }
                    return variants.first.flatMap { Self.belongs($0.scenario) ? $0 : nil }
                }
                matrix.variants = try variants(of: scenarios, folder, loader, progress)
            }
            return matrix
        }
    }

    private func headlineInputs(
        _ files: [ScenarioLoader.Result], _ folder: WorkingFolder, _ loader: ScenarioLoader,
        _ progress: @escaping ProgressSink
    ) throws(InputErrors) -> [CellKey: MatrixBuilder.CellInput] {
        let jobs = files.flatMap { file -> [CellJob] in
            guard case .loaded(let variants) = file, let loaded = variants.first,
                Self.belongs(loaded.scenario)
            else { return [] }
            return Self.row(of: loaded.scenario).compactMap(\.self).map {
                CellJob(loaded: loaded, cell: $0, options: options)
            }
        }
        let inputs = try runCells(jobs, folder, loader) { (runner, job) throws(InputErrors) in
            let (result, exploration) = try job.run(runner, .explore, progress)
            return MatrixBuilder.CellInput(
                scenario: job.loaded.scenario, tallies: exploration.tallies, result: result)
        }
        return CellKey.table(jobs, inputs)
    }

    func headlineTable(
        _ files: [ScenarioLoader.Result], _ inputs: [CellKey: MatrixBuilder.CellInput]
    ) -> MatrixResult {
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
                guard let scenario = variants.first?.scenario, Self.belongs(scenario) else {
                    continue
                }
                let row = Self.row(of: scenario).map { cell in
                    cell.flatMap { inputs[CellKey(scenario, $0)] }
                }
                builder.add(scenario, inputs: row, skipped: nil)
            }
        }
        return builder.matrix
    }

    /// One cell for each built-in policy; other parameters have their first value.
    private static func row(of scenario: Scenario) -> [MatrixCell?] {
        PolicyName.builtIn.map { policy in
            scenario.cells.first { $0[MatrixBuilder.axis]?.text == policy }
        }
    }

    static func cellCount(_ files: [ScenarioLoader.Result]) -> Int {
        files.reduce(0) { count, file in
            guard case .loaded(let variants) = file else { return count }
            // A scenario or a cure has at most 10,000 cells, so the sum cannot overflow.
            return count + variants.reduce(0) { $0 + $1.scenario.cells.count }
        }
    }

    private static func belongs(_ scenario: Scenario) -> Bool {
        scenario.bug != nil && scenario.matrix.contains { $0.name.value == MatrixBuilder.axis }
    }

    // MARK: Parts

    func load(_ paths: [String]) throws(InputErrors) -> [ScenarioLoader.Result] {
        let loader = ScenarioLoader(options, named: paths)
        var loaded: [ScenarioLoader.Result] = []
        var errors: [InputError] = []
        for file in try ScenarioFiles.expand(paths) {
            do throws(InputErrors) {
                loaded.append(onChosenStore(try loader.load(file)))
            } catch {
                errors += error.errors
            }
        }
        errors += Self.duplicateNames(loaded)
        if !errors.isEmpty { throw InputErrors(errors) }
        return loaded
    }

    /// Checks that scenario names are unique, because tokens contain them.
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
                    remedy: "free space on its disk")
            ])
        }
        return try CellRunner(loaded, cell: cell, options: options, folder: path)
    }

    private static func untried(
        _ scenario: Scenario, _ cell: MatrixCell, _ mode: ScenarioResult.Mode
    ) -> ScenarioResult {
        ScenarioResult(
            name: scenario.fullName, file: scenario.file, sentence: scenario.about,
            references: scenario.refs.map(\.value), cell: cell.axisValues, mode: mode,
            schedules: ScheduleCount(explored: 0, strategy: "none", stoppedAt: "the time budget"),
            verdict: .inconclusive, reasons: ["the time budget was used up before this cell"])
    }

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
