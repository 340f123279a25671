import Dispatch

/// Runs the jobs of tasks whose schedule was given up, on Dispatch's threads.
final class OutsideExecutor: TaskExecutor {
    static let shared = OutsideExecutor()

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    func enqueue(_ job: UnownedJob) {
        DispatchQueue.global().async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    static func run(_ work: @escaping () -> Void) {
        // Unchecked because no other thread holds the work.
        nonisolated(unsafe) let work = work
        DispatchQueue.global().async { work() }
    }
}
