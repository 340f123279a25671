import CRuntimeShims
import CoreDataStore
import Synchronization

/// Takes the jobs of some tasks from the global pool. It is a stage (the threads of a schedule), or
/// a run on real threads.
protocol JobOwner: AnyObject, Sendable {
    /// - Parameters:
    ///   - id: the number of the job's task; 0 for a job without a task.
    ///   - call: the runtime's call that enqueues the job.
    /// - Returns: false to leave the job to the pool.
    func take(_ job: UnownedJob, _ id: UInt64, _ call: JobCall) -> Bool
}

/// A call of the runtime that enqueues a job; valid only until the call returns.
struct JobCall {
    fileprivate let frame: UnsafeRawPointer?

    /// Whether XCTest creates the task for a part of a test. XCTest waits for the end of such a
    /// task. This property walks the thread's stack, so it is read only for new tasks of tests.
    var isOfXCTest: Bool { frame.map(faultline_is_xctest_call) ?? false }
}

/// Passes the jobs of unstructured and detached tasks to the schedule whose thread has created
/// them.
///
/// The runtime has one hook for the process. If the calling thread belongs to a stage, the hook
/// passes the job to this stage. Otherwise it passes the job to the stage that knows the task,
/// because any thread may resume a continuation. All other jobs go to the pool.
enum TaskHooks {
    private static let owners = Mutex<[UInt64: Owner]>([:])

    private struct Owner: Sendable {
        weak var owner: (any JobOwner)?
    }

    /// Whether the runtime has the hook. The first access sets the hook.
    static let areInstalled = faultline_take_jobs { job, id, frame in
        guard let job else { return false }
        return TaskHooks.take(unsafeBitCast(job, to: UnownedJob.self), id, JobCall(frame: frame))
    }

    static func id(of job: UnownedJob) -> UInt64 {
        faultline_job_id(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
    }

    static func know(_ id: UInt64, _ owner: any JobOwner) {
        let isNew = owners.withLock { $0.updateValue(Owner(owner: owner), forKey: id) == nil }
        if isNew { faultline_know_jobs(1) }
    }

    static func forget(_ ids: some Sequence<UInt64>) {
        let count = owners.withLock { owners in
            ids.reduce(0) { $0 + (owners.removeValue(forKey: $1) == nil ? 0 : 1) }
        }
        faultline_know_jobs(-Int32(count))
    }

    private static func take(_ job: UnownedJob, _ id: UInt64, _ call: JobCall) -> Bool {
        let owner =
            ConfinementScope.current?.owner() as? any JobOwner
            ?? owners.withLock { $0[id]?.owner }
        return owner?.take(job, id, call) ?? false
    }
}
