import CRuntimeShims
import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import Dispatch
import Foundation
import Synchronization

/// A run of a test on real queues and threads. The first run of a test shows which threads a
/// schedule could control. If a schedule cannot control all of them, later runs use seeded delays.
///
/// The run's threads are the test's thread, and the threads that run blocks of its contexts and
/// jobs of its tasks. If another thread uses the stack, no schedule can control this thread.
final class LiveRun: JobOwner {
    /// The run of a test body that takes place now; nil if no test is explored. A process explores
    /// only one test at a time.
    static var active: LiveRun? { running.withLock { $0 } }
    private static let running = Mutex<LiveRun?>(nil)

    /// The observations of the run.
    struct Sight {
        var hasStack = false
        /// The number of blocks and tasks that were started in addition to the thread of the test.
        var branches = 0
        var outside: [String] = []
    }

    // Safe: `init` sets it as soon as `self` is available.
    private(set) nonisolated(unsafe) var scope: ConfinementScope!
    // Safe: as for `scope`.
    private(set) nonisolated(unsafe) var executor: LiveExecutor!
    private let delays: Delays?
    private let state = Mutex(Sight())
    private let tasks = Mutex<Set<UInt64>>([])
    /// The number of blocks and jobs that have not ended.
    private let inFlight = Atomic(0)

    /// - Parameter seed: the seed of the delays; nil for a run without delays.
    init(_ stacks: TestStacks, seed: UInt64? = nil) {
        delays = seed.map { Delays(seed: $0) }
        scope = ConfinementScope(
            makeQueue: { [weak self] kind in
                self?.noteStack()
                return stacks.liveQueue(kind)
            },
            adopt: { object in
                if let coordinator = object as? NSPersistentStoreCoordinator {
                    stacks.adopt(coordinator, by: nil)
                } else if let context = object as? NSManagedObjectContext {
                    stacks.note(context)
                }
            },
            owner: { [weak self] in self })
        executor = LiveExecutor(self)
    }

    var sight: Sight { state.withLock { $0 } }

    func begin() {
        _ = TaskHooks.areInstalled
        _ = DispatchHooks.areInstalled
        Self.running.withLock { $0 = self }
    }

    func end() {
        Self.running.withLock { if $0 === self { $0 = nil } }
        TaskHooks.forget(tasks.withLock { $0 })
    }

    func enter() { inFlight.add(1, ordering: .relaxed) }

    func leave() { inFlight.subtract(1, ordering: .relaxed) }

    /// Waits up to a second for work that the test has not awaited, such as merges. In a schedule,
    /// such work would run on a foreign thread.
    ///
    /// - Parameter turn: lets the work run.
    func settle(_ turn: () -> Void) {
        let end = ContinuousClock.now + .seconds(1)
        while inFlight.load(ordering: .relaxed) > 0, ContinuousClock.now < end { turn() }
    }

    private var isInside: Bool { ConfinementScope.current === scope }

    // MARK: Observations

    private func noteStack() { noteUse("made a context") }

    func noteBranch() { state.withLock { $0.branches += 1 } }

    func noteBlock(from queue: String) {
        noteUse("put a block on the queue of the context '\(queue)'")
        state.withLock { $0.branches += 1 }
    }

    func noteUse(_ what: String) {
        let isInside = isInside
        state.withLock { sight in
            sight.hasStack = true
            if !isInside { sight.outside.append("\(Self.threadName) \(what)") }
        }
    }

    private static var threadName: String {
        if Thread.isMainThread { return "the main thread" }
        let queue = faultline_queue_label().map { String(cString: $0) } ?? ""
        if !queue.isEmpty, !queue.hasPrefix("com.apple.root") {
            return "the Dispatch queue '\(queue)'"
        }
        if !queue.isEmpty { return "a global Dispatch queue" }
        let name = Thread.current.name ?? ""
        return name.isEmpty ? "a thread that the lab did not create" : "the thread '\(name)'"
    }

    func hear(_ event: Event) {
        noteUse("read or wrote a store")
        switch event {
        case .wait, .fetch, .count, .saveStep, .acquire(resource: "store reader"), .fault, .merge:
            break
        default: return
        }
        delay(at: .event)
    }

    // MARK: Delays

    func delay(at place: Delays.Place) { delays?.wait(at: place) }

    // MARK: Jobs of tasks

    func take(_ job: UnownedJob, _ id: UInt64, _ call: JobCall) -> Bool {
        if know(id), !call.isOfXCTest { noteBranch() }
        run(job)
        return true
    }

    /// Records that a task belongs to the test.
    ///
    /// - Returns: false if the task was known before.
    @discardableResult
    fileprivate func know(_ id: UInt64) -> Bool {
        if id == 0 { return true }
        guard tasks.withLock({ $0.insert(id).inserted }) else { return false }
        TaskHooks.know(id, self)
        return true
    }

    fileprivate func run(_ job: UnownedJob) {
        runInPool { [self] in
            delay(at: .event)
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
    }
}

/// Runs the jobs of a test on Dispatch's threads, and counts these threads as threads of the run.
final class LiveExecutor: TaskExecutor {
    // Unchecked because the run is set only once.
    private nonisolated(unsafe) weak var run: LiveRun?

    init(_ run: LiveRun) { self.run = run }

    func enqueue(_ job: consuming ExecutorJob) {
        guard let run else { return OutsideExecutor.shared.enqueue(job) }
        let job = UnownedJob(job)
        run.know(TaskHooks.id(of: job))
        run.run(job)
    }
}
