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
    ///   - body: declares the sessions.
    /// - Returns: what was explored, where nothing failed.
    /// - Throws: ``CodeFailure`` with the schedule that fails; an error that says why where there
    ///   is no verdict.
    @discardableResult
    public static func explore(
        _ name: String, _ options: Options = Options(),
        _ body: @escaping (CodeLab) throws -> Void
    ) throws -> CodeReport {
        let exploration = try CodeExploration(name, options, body)
        let stage = exploration.world.stage
        defer { stage.close() }
        // Putting stores back and looking at the end are the lab's own doing.
        do {
            return try stage.scope.run { try verdict(name, options, exploration) }
        } catch let error as CodeError {
            // A thread that did not come back may use the world for as long as it likes.
            if case .outside = error { _ = Unmanaged.passRetained(exploration.world) }
            throw error
        }
    }

    private static func verdict(
        _ name: String, _ options: Options, _ exploration: CodeExploration
    ) throws -> CodeReport {
        try exploration.warmUp()
        if let token = try requestedToken(name, options) {
            return try replay(token, exploration)
        }
        let walked = try exploration.explore()
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
            strategy: summary.strategy, stoppedAt: summary.stoppedAt, outcomes: walked.ends,
            story: [])
    }

    private static func requestedToken(
        _ name: String, _ options: Options
    ) throws -> ScheduleToken? {
        if let text = options.replay { return try ScheduleToken(text) }
        guard let text = ProcessInfo.processInfo.environment["FAULTLINE_REPLAY"],
            let token = try? ScheduleToken(text), token.scenario == name.replacing(":", with: "-")
        else { return nil }
        return token
    }

    private static func replay(
        _ token: ScheduleToken, _ exploration: CodeExploration
    ) throws -> CodeReport {
        let path = try exploration.path(token)
        let run = try exploration.run(path, story: true)
        if run.end.isFailure || run.end.isWarning {
            throw CodeFailure(
                name: exploration.name, end: run.end, schedules: 1,
                switches: CodeExploration.switches(run.path),
                token: exploration.token(run.path), story: run.lines)
        }
        return CodeReport(
            name: exploration.name, schedules: 1, isComplete: false, strategy: "replay",
            stoppedAt: nil, outcomes: [run.end.observed.joined(separator: ", "): 1],
            story: run.lines)
    }

    /// Runs the witness twice more: once to compare, once with the places in the code.
    private static func failure(
        of witness: CodeExploration.Witness, _ exploration: CodeExploration, _ schedules: Int
    ) throws -> CodeFailure {
        try exploration.repeatRun(witness)
        let story = try exploration.repeatRun(witness, story: true)
        return CodeFailure(
            name: exploration.name, end: witness.end, schedules: schedules,
            switches: CodeExploration.switches(witness.path),
            token: exploration.token(witness.path), story: story)
    }
}
