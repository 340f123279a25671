import ContextHistory
import CoreDataStore
import Foundation
import LabCheck
import LabResults
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
    /// The body runs again for each schedule. Contexts and containers that the body or a session
    /// creates use queues of the lab. A schedule fails in one of these cases:
    ///
    /// - A session or a `finally` throws, or an expectation fails.
    /// - Threads wait for each other for ever, or a session never ends.
    /// - A context is used off its queue.
    ///
    /// If steps of different sessions touch no common store, queue or lock, the lab assumes that
    /// their order has no effect. If the sessions share other state, explore them with
    /// ``Strategy/exhaustive`` or ``Strategy/bounded(_:)``.
    ///
    /// - Parameters:
    ///   - name: a part of tokens; with `FAULTLINE_REPLAY` only the schedule of a token runs.
    ///   - function: the test that explores, for the line that replays; omit it.
    ///   - body: declares the sessions.
    /// - Returns: the result of the exploration, if nothing failed.
    /// - Throws: ``CodeFailure`` with the schedule that fails; an error with the reason if there is
    ///   no verdict.
    @discardableResult
    public static func explore(
        _ name: String, _ options: Options = Options(), function: String = #function,
        _ body: @escaping (CodeLab) throws -> Void
    ) throws -> CodeReport {
        var options = options
        options.origin = TrapReport.Origin(name: name, function: function)
        let run = CodeRun(name: name, options: options, function: function, body: body)
        return try run.report()
    }

    /// Explores like ``explore(_:_:function:_:)``, but runs several schedules at the same time.
    /// Each of them runs in a separate world.
    ///
    ///     let cores = ProcessInfo.processInfo.activeProcessorCount
    ///     try Lab.explore("two tills", worlds: cores) { lab in … }
    ///
    /// Each world has its own thread, stores and contexts, and runs the set-ups for itself. The
    /// number of worlds does not change the result or the reported schedule, unless the time budget
    /// ends the exploration.
    ///
    /// The bodies run concurrently, so the compiler checks that they share only values that are
    /// safe to share. All worlds share the state of the process. Examples are a singleton, or an
    /// observer that receives the notifications of every context. Explore code with such state in
    /// one world.
    ///
    /// - Parameters:
    ///   - name: a part of tokens; with `FAULTLINE_REPLAY` only the schedule of a token runs.
    ///   - worlds: the number of worlds; more than the machine's cores gain nothing.
    ///   - function: the test that explores, for the line that replays; omit it.
    ///   - body: declares the sessions.
    /// - Returns: the result of the exploration, if nothing failed.
    /// - Throws: the errors of an exploration in one world; also an error if `worlds` is below 1.
    @discardableResult
    public static func explore(
        _ name: String, worlds: Int, _ options: Options = Options(), function: String = #function,
        _ body: @escaping @Sendable (CodeLab) throws -> Void
    ) throws -> CodeReport {
        if worlds < 1 {
            throw CodeError.unusable("\(worlds) worlds cannot explore; give 1 or more")
        }
        var options = options
        options.origin = TrapReport.Origin(name: name, function: function)
        var run = CodeRun(name: name, options: options, function: function, body: body)
        run.makeCompany = { [options] in
            try CodeCompany(size: worlds - 1) { try CodeExploration(name, options, body) }
        }
        return try run.report()
    }
}

/// One call of ``Lab/explore(_:_:function:_:)``.
struct CodeRun {
    let name: String
    let options: Lab.Options
    let function: String
    let body: (CodeLab) throws -> Void
    /// Creates the worlds in addition to the world of the calling thread.
    var makeCompany: () throws -> CodeCompany? = { nil }

    /// Also writes the page of the exploration if the options request one.
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
        } catch CodeError.notDeterministic(let what) {
            guard let wait = options.outsidePatience.endedWait else {
                throw CodeError.notDeterministic(what)
            }
            throw CodeError.foreignTurn(what, wait: wait)
        }
    }

    private func cures(of failure: CodeFailure) -> [CodeCure] {
        guard options.cures, requestedToken == nil, !failure.isWarning else { return [] }
        return CodeCures(
            name: name, options: options, body: body, isAboutThreads: failure.isAboutThreads
        ).tried()
    }

    private func explored() throws -> CodeReport {
        try PlantedRace.check()
        var exploration = try CodeExploration(name, options, body)
        let stage = exploration.world.stage
        defer { stage.close() }
        // The lab restores the stores and inspects the final state.
        do {
            try stage.scope.run { try exploration.warmUp() }
            if let text = requestedToken {
                return try stage.scope.run { try replay(text, exploration) }
            }
            // The first world has already created the objects that all worlds share, such as a
            // model.
            exploration.company = try makeCompany()
            defer { exploration.company?.close() }
            return try stage.scope.run { try settledVerdict(exploration) }
        } catch {
            for world in exploration.worlds { world.keep(after: error) }
            throw error
        }
    }

    /// The maximum number of explorations. The lab starts over if two runs of a schedule differ.
    private static let repetitionsMax = 8

    /// Explores until the lab knows all events that no schedule controls. For example, a foreign
    /// thread ends a wait. Until the lab knows such an event, two runs of one schedule may differ.
    /// Returns the verdict.
    private func settledVerdict(_ exploration: CodeExploration) throws -> CodeReport {
        for _ in 1..<Self.repetitionsMax {
            let before = exploration.revisions
            do {
                return try verdict(exploration)
            } catch CodeError.notDeterministic(let what) {
                if exploration.revisions == before { throw CodeError.notDeterministic(what) }
            }
        }
        return try verdict(exploration)
    }

    private func verdict(_ exploration: CodeExploration) throws -> CodeReport {
        let walked = try exploration.exploreInFull()
        let summary = walked.summary
        if let first = walked.failure {
            let witness = try exploration.smallest(first)
            var failure = try failure(of: witness, exploration, summary.explored)
            if walked.missed != nil { failure.doubt = doubt(walked, exploration) }
            throw failure
        }
        if let warning = walked.warning {
            throw try failure(of: warning, exploration, summary.explored)
        }
        if let first = walked.first { try exploration.repeatRun(first) }
        if let missed = walked.missed {
            try exploration.repeatRun(missed.witness)
            throw CodeError.notAll(
                "\(doubt(walked, exploration)). \(exploration.token(missed.witness)) ends with"
                    + " \(missed.sight.text)")
        }
        let isCrowded = exploration.worlds.contains { $0.stage.isCrowded }
        return CodeReport(
            name: name, schedules: summary.explored,
            isComplete: summary.isComplete && !isCrowded, strategy: summary.strategy,
            estimate: summary.estimate,
            stoppedAt: summary.stoppedAt ?? (isCrowded ? Self.crowd : nil),
            outcomes: walked.ends,
            findings: walked.findings, checked: walked.checked, story: [])
    }

    private func doubt(_ walked: CodeExploration.Walked, _ exploration: CodeExploration) -> String {
        "The lab assumed that \(walked.summary.explored) schedules represent all schedules, but one"
            + " of \(walked.checked) checking schedules, drawn with seed \(options.seed), has a"
            + " different result"
    }

    private static let crowd =
        "\(SchedulePlan.laneMax) lanes; further sessions, queues and tasks had to share them"

    private var requestedToken: String? {
        if let text = options.replay { return text }
        guard let text = ProcessInfo.processInfo.environment["FAULTLINE_REPLAY"],
            let token = try? ScheduleToken(text), token.scenario == name.replacing(":", with: "-")
        else { return nil }
        return text
    }

    private func replay(_ text: String, _ exploration: CodeExploration) throws -> CodeReport {
        let token = try ScheduleToken(text)
        let story = exploration.world.makeStory()
        let run = try exploration.run(token, story: story)
        if run.end.isFailure || run.end.isWarning {
            guard options.certainty else { throw failure(run, exploration, schedules: 1, story) }
            let losses = try exploration.losses(run)
            let again = exploration.world.makeStory()
            try exploration.repeatRun(run, story: again)
            throw failure(run, exploration, schedules: 1, again, losses)
        }
        return CodeReport(
            name: name, schedules: 1, isComplete: false, strategy: "replay", estimate: nil,
            stoppedAt: nil, outcomes: [run.end.observed.joined(separator: ", "): 1],
            findings: Dictionary(grouping: run.end.told, by: \.name).mapValues { _ in 1 },
            checked: 0,
            story: story.told().lines)
    }

    /// Runs the failing schedule twice more: once to compare the results, once to record source
    /// positions.
    private func failure(
        of witness: CodeExploration.Witness, _ exploration: CodeExploration, _ schedules: Int
    ) throws -> CodeFailure {
        try exploration.repeatRun(witness)
        let losses = options.certainty ? try exploration.losses(witness) : []
        let story = exploration.world.makeStory()
        try exploration.repeatRun(witness, story: story)
        var failure = failure(witness, exploration, schedules: schedules, story, losses)
        failure.scenario = CodeRecording(name: name, folder: options.report)
            .place(of: witness, exploration)
        return failure
    }

    private func failure(
        _ run: CodeExploration.Witness, _ exploration: CodeExploration, schedules: Int,
        _ story: CodeStory, _ losses: [Timeline.Loss?] = []
    ) -> CodeFailure {
        let token = exploration.token(run)
        return CodeFailure(
            name: name, end: run.end, schedules: schedules,
            switches: CodeExploration.switches(run.path), token: token, story: story.told(losses),
            command: ReplayCommand.line(token, function: function))
    }
}
