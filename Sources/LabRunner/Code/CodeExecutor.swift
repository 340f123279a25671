import CoreDataStore
@_spi(ExperimentalScheduling) import _Concurrency

/// Runs the jobs of tasks. The jobs of a session's own task run in the session's lane, one after
/// another. Each task that a session creates has its own lane, because a thread pool would run it
/// concurrently.
///
/// This class is also a scheduling executor, so sleeps use the lab's clock.
final class CodeExecutor: TaskExecutor, SchedulingExecutor {
    // Unchecked because the reference is set only once. Weak because a task that never ends retains
    // its executor.
    private nonisolated(unsafe) weak var stage: CodeStage?

    init(_ stage: CodeStage) { self.stage = stage }

    func enqueue(_ job: consuming ExecutorJob) {
        guard let stage else { return OutsideExecutor.shared.enqueue(job) }
        let job = UnownedJob(job)
        stage.enqueue(job, TaskHooks.id(of: job))
    }

    private func sleep(_ job: UnownedJob, _ delay: Duration?) {
        guard let stage else { return OutsideExecutor.shared.enqueue(job) }
        stage.sleep(job, TaskHooks.id(of: job), delay ?? .zero)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        sleep(UnownedJob(job), delay as? Duration)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
        sleep(UnownedJob(job), clock.now.duration(to: instant) as? Duration)
    }
}
