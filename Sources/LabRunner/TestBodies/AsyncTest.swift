import CoreDataStore
import Foundation
import Glibc
import Synchronization

/// Explores an asynchronous test, such as a test of Swift Testing.
package struct AsyncTest: Sendable {
    private let name: String
    private let options: TestOptions
    private let stacks = TestStacks.shared
    private var explorer: TestExplorer { TestExplorer(name, options) }

    package init(_ name: String, _ options: TestOptions) {
        self.name = name
        self.options = options
    }

    /// - Parameters:
    ///   - first: runs the test without schedules, and reports failures at their source positions;
    ///     returns whether the test failed.
    ///   - attempt: runs the test with a new instance.
    ///   - caught: runs code and returns the expectations that fail in it.
    package func explore(
        first: @escaping @Sendable () async throws -> Bool,
        attempt: @escaping @Sendable () async throws -> Void,
        caught: @escaping @Sendable (_ body: @Sendable () async throws -> Void) async -> [String]
    ) async throws -> TestVerdict {
        await ExplorationTurn.shared.take()
        defer { ExplorationTurn.shared.giveBack() }
        let watchdog = Watchdog(name)
        defer { watchdog.stop() }
        let run = LiveRun(stacks)
        watchdog.begin("the run without a schedule", limit: options.runLimit)
        let hasFailed = try await live(run, watchdog, first)
        let failures = TestFailures(hasFailed ? ["it fails"] : [])
        if let verdict = explorer.verdict(failures, run.sight) { return verdict }
        if let why = explorer.whyPerturbed(run.sight) {
            return await perturbed(why, attempt, caught, watchdog)
        }
        do {
            watchdog.begin("a schedule", limit: options.schedulesLimit)
            return try await on(ThreadExecutor(), watchdog) { try controlled(attempt) }
        } catch let stuck as TestSchedules.Stuck {
            return stuck.verdict
        } catch CodeError.stuck(let what) {
            throw CodeError.stuck(what)
        } catch {
            return await perturbed(TestExplorer.advice("\(error)"), attempt, caught, watchdog)
        }
    }

    private func live<T: Sendable>(
        _ run: LiveRun, _ watchdog: Watchdog, _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        run.begin()
        defer {
            run.settle { usleep(500) }
            run.end()
        }
        return try await on(run.executor, watchdog, body)
    }

    /// Runs code as a task of an executor, with the task-local values of the caller.
    ///
    /// After the task has ended, the caller waits until a thread of the pool is free. Tests that
    /// already wait for a thread continue first.
    private func on<T: Sendable>(
        _ executor: any TaskExecutor, _ watchdog: Watchdog,
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let ending = FirstEnding<T>()
        watchdog.tell { ending.end(.failure(CodeError.stuck($0))) }
        Task(executorPreference: executor) {
            do {
                let value = try await body()
                watchdog.rest()
                ending.end(.success(value))
            } catch {
                watchdog.rest()
                ending.end(.failure(error))
            }
        }
        return try await ending.value
    }

    private func perturbed(
        _ why: String, _ attempt: @escaping @Sendable () async throws -> Void,
        _ caught: @escaping @Sendable (_ body: @Sendable () async throws -> Void) async -> [String],
        _ watchdog: Watchdog
    ) async -> TestVerdict {
        let runs = PerturbedRuns(name: name, options: options, notes: [why])
        let deadline = ContinuousClock.now + options.timeBudget
        var count = 0
        for seed in runs.seeds(explorer.token) {
            if count > 0, ContinuousClock.now >= deadline { break }
            watchdog.begin("the run with the delays of seed \(seed)", limit: options.runLimit)
            let run = LiveRun(stacks, seed: seed)
            let failures = (try? await live(run, watchdog) { await caught(attempt) }) ?? []
            count += 1
            if !failures.isEmpty { return runs.verdict(count, failed: (seed, failures)) }
        }
        return runs.verdict(count)
    }

    private func controlled(
        _ attempt: @escaping @Sendable () async throws -> Void
    ) throws -> TestVerdict {
        let schedules = try TestSchedules(name, options, stacks, isHosted: false) { lab in
            lab.session("test") { try await attempt() }
        }
        let stage = schedules.stage
        defer { stacks.end() }
        do {
            let verdict = try stage.scope.run {
                try explorer.token.map { try schedules.replay($0) } ?? schedules.explore()
            }
            if schedules.isMidway { stage.release() }
            stage.close()
            return verdict
        } catch {
            // A thread that did not return the baton may still use the world, so the world is never
            // released.
            _ = Unmanaged.passRetained(schedules.exploration.world)
            stage.release()
            usleep(200_000)
            stage.close()
            throw error
        }
    }
}

/// Runs each job on a separate thread, because the job may block.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = Thread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        thread.stackSize = 4 << 20
        thread.start()
    }
}

/// Lets only one test at a time be explored in the process, because the lab can observe the real
/// threads of only one test.
package final class ExplorationTurn: Sendable {
    package static let shared = ExplorationTurn()

    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package func take() async {
        await withCheckedContinuation { continuation in
            let isMine = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isMine { continuation.resume() }
        }
    }

    /// Lets the test continue that has waited longest.
    package func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
