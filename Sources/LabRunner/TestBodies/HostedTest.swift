import CoreDataStore
import Foundation
import Glibc
import Synchronization

/// Explores a test that belongs to the calling thread. Tests of XCTest belong to the main thread.
///
/// In each schedule, the calling thread runs the test, and a thread of the lab chooses which thread
/// runs next. While the test waits in its run loop, other threads and the blocks of the main queue
/// run.
package final class HostedTest {
    private let explorer: TestExplorer
    private let stacks = TestStacks.shared

    package init(_ name: String, _ options: TestOptions) {
        explorer = TestExplorer(name, options)
    }

    /// - Parameters:
    ///   - first: runs the test without schedules, and reports failures at their source positions.
    ///   - attempt: runs the test with a new instance, and returns its failures.
    package func explore(
        first: () -> TestFailures, attempt: @escaping () -> TestFailures
    ) -> TestVerdict {
        let options = explorer.options
        let watchdog = Watchdog(explorer.name)
        defer { watchdog.stop() }
        let run = LiveRun(stacks)
        watchdog.begin("the run without a schedule", limit: options.runLimit)
        let failures = live(run, first)
        if let verdict = explorer.verdict(failures, run.sight) { return verdict }
        if let why = explorer.whyPerturbed(run.sight) { return perturbed(why, attempt, watchdog) }
        do {
            watchdog.begin("a schedule", limit: options.schedulesLimit)
            return try controlled(attempt)
        } catch let stuck as TestSchedules.Stuck {
            return stuck.verdict
        } catch {
            return perturbed(TestExplorer.advice("\(error)"), attempt, watchdog)
        }
    }

    /// Called at an event for which a test may be waiting in its run loop.
    package static func noteNews() { CodeHost.hasNews.store(true, ordering: .relaxed) }

    private func live(_ run: LiveRun, _ body: () -> TestFailures) -> TestFailures {
        run.begin()
        defer { run.end() }
        let failures = run.scope.run(body)
        run.settle {
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
            usleep(500)
        }
        return failures
    }

    // MARK: Real threads

    private func perturbed(
        _ why: String, _ attempt: () -> TestFailures, _ watchdog: Watchdog
    ) -> TestVerdict {
        let runs = PerturbedRuns(name: explorer.name, options: explorer.options, notes: [why])
        let deadline = ContinuousClock.now + explorer.options.timeBudget
        var count = 0
        for seed in runs.seeds(explorer.token) {
            if count > 0, ContinuousClock.now >= deadline { break }
            watchdog.begin(
                "the run with the delays of seed \(seed)", limit: explorer.options.runLimit)
            let failures = live(LiveRun(stacks, seed: seed), attempt)
            count += 1
            if !failures.all.isEmpty { return runs.verdict(count, failed: (seed, failures.all)) }
        }
        return runs.verdict(count)
    }

    // MARK: Schedules

    private func controlled(_ attempt: @escaping () -> TestFailures) throws -> TestVerdict {
        let isBusy = Atomic(false)
        let schedules = try TestSchedules(
            explorer.name, explorer.options, stacks, isHosted: true
        ) { lab in
            lab.session("test") { failures in
                isBusy.store(true, ordering: .relaxed)
                defer { isBusy.store(false, ordering: .relaxed) }
                // Safe: a schedule's thread has its stage.
                let stage = CodeStage.current!
                stage.mainQueue.runAndWait {
                    for failure in RunLoopTurns(stage).run(attempt).all { failures.add(failure) }
                }
            }
        }
        let stage = schedules.stage
        defer { stacks.end() }
        let result = Mutex<Result<TestVerdict, any Error>?>(nil)
        let token = explorer.token
        // Unchecked because only the new thread uses the schedules while it runs them. This thread
        // reads them afterwards.
        nonisolated(unsafe) let chosen = schedules
        let thread = Thread {
            let told = Result {
                try stage.scope.run {
                    try token.map { try chosen.replay($0) } ?? chosen.explore()
                }
            }
            result.withLock { $0 = told }
            if isBusy.load(ordering: .relaxed) {
                Self.giveUp(stage) { isBusy.load(ordering: .relaxed) }
            }
            stage.close()
        }
        thread.stackSize = 4 << 20
        thread.start()
        // Safe: `isHosted` has created the host.
        stage.baton.serve(stage.host!.runner)
        // A thread that did not return the baton may still use the world, so the world is never
        // released.
        if stage.isReleased { _ = Unmanaged.passRetained(schedules.exploration.world) }
        guard let told = result.withLock({ $0 }) else {
            throw CodeError.unusable("the schedules ended without a verdict")
        }
        return try told.get()
    }

    /// Runs the remaining threads of the schedule until the test has ended. If the test does not
    /// end soon, foreign threads that wait for the end of the schedules continue, too.
    private static func giveUp(_ stage: CodeStage, isBusy: () -> Bool) {
        stage.release()
        for round in 0... {
            if !isBusy() { return }
            usleep(10_000)
            if round == 50 { stage.outside.end() }
        }
    }
}

/// Runs other threads of a schedule while the calling thread waits in a run loop.
struct RunLoopTurns {
    private let stage: CodeStage

    init(_ stage: CodeStage) { self.stage = stage }

    func run<T>(_ body: () -> T) -> T {
        let (stage, turns) = (stage, self)
        let timer = Timer(timeInterval: 0.000_1, repeats: true) { _ in
            guard let work = stage.waitInRunLoop() else { return }
            // This timer does not fire again until the block has ended. If the block itself waits
            // in a run loop, another timer therefore runs the other threads.
            turns.run(work)
        }
        RunLoop.current.add(timer, forMode: .common)
        defer { timer.invalidate() }
        return body()
    }
}
