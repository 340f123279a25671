import ContextHistory
import CoreDataStore
import LabFiles
import LabResults
import LabScenario
import Synchronization

/// A cell to run.
struct CellJob: Sendable {
    let loaded: LoadedScenario
    let cell: MatrixCell
    let options: SuiteOptions

    func run(
        _ runner: CellRunner, _ mode: ScenarioResult.Mode, _ progress: @escaping ProgressSink,
        _ deadline: ContinuousClock.Instant? = nil
    ) throws(InputErrors) -> (result: ScenarioResult, exploration: CellRunner.Exploration) {
        try report(
            runner, try runner.explore(deadline: deadline, progress: progress), mode)
    }

    func report(
        _ runner: CellRunner, _ explored: CellRunner.Exploration, _ mode: ScenarioResult.Mode
    ) throws(InputErrors) -> (result: ScenarioResult, exploration: CellRunner.Exploration) {
        var exploration = explored
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
}

extension ScenarioSuite {
    /// The results of finished jobs, by the number of the job.
    private final class Ends<Value: Sendable>: Sendable {
        private let values = Mutex<[Int: Result<Value, InputErrors>]>([:])
        private let firstFailure = Atomic<Int>(.max)

        func isNeedless(_ number: Int) -> Bool {
            number > firstFailure.load(ordering: .relaxed)
        }

        func take(_ number: Int, _ end: Result<Value, InputErrors>) {
            if case .failure = end { firstFailure.min(number, ordering: .relaxed) }
            values.withLock { $0[number] = end }
        }

        /// - Throws: the error of the first failed job.
        func inOrder(_ count: Int) throws(InputErrors) -> [Value] {
            let ends = values.withLock { $0 }
            var found: [Value] = []
            for number in 0..<count {
                if let end = ends[number] { found.append(try end.get()) }
            }
            return found
        }
    }

    /// Runs cells on as many threads as the options specify.
    ///
    /// - Parameters:
    ///   - loader: reads the model again for each thread.
    ///   - body: the work on a cell's runner.
    /// - Returns: the results of the bodies, in the order of the jobs.
    func runCells<Value: Sendable>(
        _ jobs: [CellJob], _ folder: WorkingFolder, _ loader: ScenarioLoader,
        _ body: @escaping @Sendable (CellRunner, CellJob) throws(InputErrors) -> Value
    ) throws(InputErrors) -> [Value] {
        try sideBySide(jobs.map(\.loaded.scenario)) { (number, crew) throws(InputErrors) in
            let runner = try makeRunner(jobs[number], folder, loader, crew)
            defer { runner.world.lab.store.close() }
            return try body(runner, jobs[number])
        }
    }

    /// Runs work for each scenario on as many threads as the options specify.
    ///
    /// Each thread has its own models, stores and worlds. Scenarios in threads mode run one after
    /// another with all processors.
    ///
    /// - Parameter body: receives the index of the scenario, and the crew whose threads may help;
    ///   nil without a crew.
    /// - Returns: the results of the bodies, in the order of the scenarios.
    func sideBySide<Value: Sendable>(
        _ scenarios: [Scenario],
        _ body: @escaping @Sendable (Int, Crew?) throws(InputErrors) -> Value
    ) throws(InputErrors) -> [Value] {
        let ends = Ends<Value>()
        let crew = options.jobs > 1 ? Crew(size: options.jobs) : nil
        let run: @Sendable (Int) -> Void = { number in
            if ends.isNeedless(number) { return }
            do throws(InputErrors) {
                ends.take(number, .success(try body(number, crew)))
            } catch {
                ends.take(number, .failure(error))
            }
        }
        let isAlone = scenarios.map { $0.mode == .threads }
        let together = scenarios.indices.filter { !isAlone[$0] }
        if let crew {
            crew.run(together.count) { run(together[$0]) }
        } else {
            together.forEach(run)
        }
        for number in scenarios.indices where isAlone[number] { run(number) }
        return try ends.inOrder(scenarios.count)
    }

    private func makeRunner(
        _ job: CellJob, _ folder: WorkingFolder, _ loader: ScenarioLoader, _ crew: Crew?
    ) throws(InputErrors) -> CellRunner {
        let suite = ScenarioSuite(job.options)
        guard let crew else { return try suite.makeRunner(job.loaded, job.cell, folder) }
        let make: @Sendable () throws(InputErrors) -> CellRunner = { () throws(InputErrors) in
            try suite.makeRunner(try loader.again(job.loaded), job.cell, folder)
        }
        var runner = try make()
        runner.company = CellRunner.Company(crew, makeRunner: make)
        return runner
    }
}
