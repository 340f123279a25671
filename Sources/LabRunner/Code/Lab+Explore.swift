import CoreDataStore
import Foundation
import LabCheck
import LabSchedule

extension Lab {
    /// Runs ordinary code under every interleaving of its sessions, and fails with the smallest
    /// schedule that breaks it.
    ///
    ///     @Test func `both tills count`() throws {
    ///         try Lab.explore("two tills") { lab in
    ///             let stack = try lab.stack(model: Shop.model)
    ///             let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
    ///             lab.session("till") { try Till(stack.newBackgroundContext()).sell(id, 5) }
    ///             lab.session("sync") { await Importer(stack).run() }
    ///             lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
    ///         }
    ///     }
    ///
    /// The body runs anew for each schedule. Contexts and containers that it or a session makes
    /// live on queues of the lab's. A schedule fails where a session or a `finally` throws, an
    /// expectation fails, threads wait for each other for ever, a session never ends, or a context
    /// is used off its queue.
    ///
    /// Steps of different sessions that touch no store, queue or lock in common are taken to be
    /// exchangeable. Code whose sessions share other state is explored with
    /// ``Strategy/exhaustive`` or ``Strategy/bounded(_:)``.
    ///
    /// - Parameters:
    ///   - name: stands in tokens; `FAULTLINE_REPLAY` runs the schedule of one alone.
    ///   - function: the test that explores, for the line that replays; leave it out.
    ///   - body: declares the sessions.
    /// - Returns: what was explored, where nothing failed.
    /// - Throws: ``CodeFailure`` with the schedule that fails; an error that says why where there
    ///   is no verdict.
    @discardableResult
    public static func explore(
        _ name: String, _ options: Options = Options(), function: String = #function,
        _ body: @escaping (CodeLab) throws -> Void
    ) throws -> CodeReport {
        let run = CodeRun(name: name, options: options, function: function, body: body)
        return try run.report()
    }

    /// Explores as ``explore(_:_:function:_:)`` does, in several worlds at the same time.
    ///
    ///     let cores = ProcessInfo.processInfo.activeProcessorCount
    ///     try Lab.explore("two tills", worlds: cores) { lab in … }
    ///
    /// Each world has a thread, stores and contexts of its own, and runs the set-ups for itself.
    /// How many there are changes nothing in what comes of it, the schedule that is told to fail
    /// included; only a time budget that ends it may cut elsewhere.
    ///
    /// The bodies run side by side, so what they share is safe to share, as the compiler checks.
    /// What belongs to the process, such as a singleton, or an observer that takes the
    /// notifications of every context, has several worlds in it: explore such code in one.
    ///
    /// - Parameters:
    ///   - name: stands in tokens; `FAULTLINE_REPLAY` runs the schedule of one alone.
    ///   - worlds: how many there are; more than the machine has cores gain nothing.
    ///   - function: the test that explores, for the line that replays; leave it out.
    ///   - body: declares the sessions.
    /// - Returns: what was explored, where nothing failed.
    /// - Throws: as where one world explores; an error too where there are less than one.
    @discardableResult
    public static func explore(
        _ name: String, worlds: Int, _ options: Options = Options(), function: String = #function,
        _ body: @escaping @Sendable (CodeLab) throws -> Void
    ) throws -> CodeReport {
        if worlds < 1 {
            throw CodeError.unusable("\(worlds) worlds cannot explore; give 1 or more")
        }
        var run = CodeRun(name: name, options: options, function: function, body: body)
        run.makeCompany = {
            try CodeCompany(size: worlds - 1) { try CodeExploration(name, options, body) }
        }
        return try run.report()
    }
}

/// One call of ``Lab/explore(_:_:function:_:)``.
struct CodeRun {
    let name: String
    let options: Lab.Options
    /// The function that explores, as the compiler names it.
    let function: String
    let body: (CodeLab) throws -> Void
    /// Makes the worlds beside the one of the calling thread.
    var makeCompany: () throws -> CodeCompany? = { nil }

    /// What came of it, also as a page where one is wanted.
    func report() throws -> CodeReport {
        let page = CodePageWriter(
            name: name, test: ReplayCommand.test(function) ?? "", folder: options.report)
        do {
            let report = try explored()
            try page.write(report)
            return report
        } catch var failure as CodeFailure {
            failure.cures = cures(of: failure)
            failure.page = page.place(of: failure)
            throw failure
        }
    }

    private func cures(of failure: CodeFailure) -> [CodeCure] {
        guard options.cures, requestedToken == nil, !failure.isWarning else { return [] }
        return CodeCures(
            name: name, options: options, body: body, isAboutThreads: failure.isAboutThreads
        ).tried()
    }

    private func explored() throws -> CodeReport {
        var exploration = try CodeExploration(name, options, body)
        let stage = exploration.world.stage
        defer { stage.close() }
        // Putting stores back and looking at the end are the lab's own doing.
        do {
            try stage.scope.run { try exploration.warmUp() }
            if let text = requestedToken {
                return try stage.scope.run { try replay(text, exploration) }
            }
            // What worlds have in common, such as a model, the first one has made by now.
            exploration.company = try makeCompany()
            defer { exploration.company?.close() }
            return try stage.scope.run { try verdict(exploration) }
        } catch {
            for world in exploration.worlds { world.keep(after: error) }
            throw error
        }
    }

    private func verdict(_ exploration: CodeExploration) throws -> CodeReport {
        let walked = try exploration.exploreInFull()
        let summary = walked.summary
        if let first = walked.failure {
            let witness = try exploration.smallest(first)
            throw try failure(of: witness, exploration, summary.explored)
        }
        if let warning = walked.warning {
            throw try failure(of: warning, exploration, summary.explored)
        }
        if let first = walked.first { try exploration.repeatRun(first) }
        return CodeReport(
            name: name, schedules: summary.explored, isComplete: summary.isComplete,
            strategy: summary.strategy, estimate: summary.estimate, stoppedAt: summary.stoppedAt,
            outcomes: walked.ends,
            findings: walked.findings, story: [])
    }

    private var requestedToken: String? {
        if let text = options.replay { return text }
        guard let text = ProcessInfo.processInfo.environment["FAULTLINE_REPLAY"],
            let token = try? ScheduleToken(text), token.scenario == name.replacing(":", with: "-")
        else { return nil }
        return text
    }

    private func replay(_ text: String, _ exploration: CodeExploration) throws -> CodeReport {
        let path = try exploration.path(try ScheduleToken(text))
        let story = exploration.world.makeStory()
        let run = try exploration.run(path, story: story)
        if run.end.isFailure || run.end.isWarning {
            throw failure(run, exploration, schedules: 1, story)
        }
        return CodeReport(
            name: name, schedules: 1, isComplete: false, strategy: "replay", estimate: nil,
            stoppedAt: nil, outcomes: [run.end.observed.joined(separator: ", "): 1],
            findings: Dictionary(grouping: run.end.told, by: \.name).mapValues { _ in 1 },
            story: story.told().lines)
    }

    /// Runs the witness twice more: once to compare, once with the places in the code.
    private func failure(
        of witness: CodeExploration.Witness, _ exploration: CodeExploration, _ schedules: Int
    ) throws -> CodeFailure {
        try exploration.repeatRun(witness)
        let story = exploration.world.makeStory()
        try exploration.repeatRun(witness, story: story)
        var failure = failure(witness, exploration, schedules: schedules, story)
        failure.scenario = CodeRecording(name: name, folder: options.report)
            .place(of: witness, exploration)
        return failure
    }

    private func failure(
        _ run: CodeExploration.Witness, _ exploration: CodeExploration, schedules: Int,
        _ story: CodeStory
    ) -> CodeFailure {
        let token = exploration.token(run.path)
        return CodeFailure(
            name: name, end: run.end, schedules: schedules,
            switches: CodeExploration.switches(run.path), token: token, story: story.told(),
            command: ReplayCommand.line(token, function: function))
    }
}
