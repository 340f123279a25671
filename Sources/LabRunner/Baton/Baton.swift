import CRuntimeShims
import CWaitHooks
import Foundation
import Synchronization

/// Lets several threads run one at a time: only the thread that holds the baton runs. At each
/// switch the schedule chooses the next thread. Each ``CodeStage`` and each ``BatonTurns`` creates
/// a baton.
///
/// A thread switches before it starts a step, and before it waits for a queue or a lock. So the lab
/// always knows which thread waits for which. It detects a deadlock without a time-out: as soon as
/// a wait closes a cycle of waiting threads.
final class Baton {
    /// A queue or a lock, which at most one thread holds at a time.
    final class Resource {
        let name: String
        /// The name in schedule tokens, which may not contain spaces.
        let word: String
        /// Whether this is a lock of the engine, and not a queue or a gate.
        let isLock: Bool
        weak var holder: Runner?
        var depth = 0
        /// Whether other threads still use memory of the thread that waits. The waiting thread must
        /// not continue before they have finished.
        var isLent = false
        /// The number of releases so far. A thread that waited records the number of the release
        /// that ended its wait.
        var releases = 0
        /// Returns the runner for which threads wait at a gate; nil if the runner is unknown.
        var blocker: () -> Runner? = { nil }

        init(_ name: String, isLock: Bool) {
            self.name = name
            word = name.tokenWord
            self.isLock = isLock
        }
    }

    /// How a thread uses a resource.
    enum Use {
        /// The thread requests, takes or releases the resource. The order of such uses by different
        /// threads matters.
        case contends
        /// The thread releases the resource, so that the waiting threads can continue. The value is
        /// the number of the release.
        case handsOver(Int)
        /// The thread takes the resource after a wait that ended with the release of this number.
        case takesOver(Int)
    }

    /// A thread of the schedule.
    final class Runner {
        enum State { case idle, ready, waiting(Resource), finished }

        /// The name of the thread. If the thread runs several lanes (sessions, tasks or queues),
        /// this is the name of the current lane.
        fileprivate(set) var name: String
        var state = State.idle
        var held: [Resource] = []
        /// The lock, semaphore or condition of the operating system for which the thread waits; nil
        /// if the thread waits for none of these.
        var systemWait: SystemWait?
        /// Whether the program created the thread. The lab creates all other threads.
        let isHosted: Bool
        /// Whether the thread still waits after the end of the schedule and will never continue.
        var isAbandoned = false
        /// The operations in progress on the thread, outermost first.
        var frames: [String] = []
        /// The operation that the thread performs when it next receives the baton.
        fileprivate(set) var upcoming = ""
        /// Whether the thread saves a child context and is about to take the parent's queue.
        var isPushing = false
        /// Whether the thread continues although another thread still holds the resource for which
        /// it waited. This happens after a time-out, or if no thread can run at the end of a
        /// schedule.
        var isForced = false
        /// The recorder's step and context for this thread, kept while another thread runs.
        var place: (step: String, context: String) = ("", "")
        fileprivate let mayGo = TurnSignal()
        fileprivate var work: (() -> Void)?
        /// The lab's thread ID; 0 until the thread serves the runner.
        fileprivate var thread: UInt = 0
        /// The operating system's thread ID; 0 until the thread serves the runner.
        fileprivate let number = Atomic<Int32>(0)

        init(name: String, isHosted: Bool = false) {
            self.name = name
            self.isHosted = isHosted
        }

        /// Runs the work closure and then releases it. This also releases the objects that the
        /// closure retains, before another thread runs. Otherwise timing would decide how long they
        /// live.
        ///
        /// - Returns: false if the runner has no work.
        fileprivate func doWork() -> Bool {
            guard let work else { return false }
            work()
            self.work = nil
            return true
        }
    }

    /// The signal for which the explorer waits.
    private let stopped = TurnSignal()
    /// Chooses the next thread. The thread that returns the baton calls this closure, so the
    /// explorer's thread does not have to wake up.
    private var choose: () -> Int? = { nil }
    /// Whether a thread that returns the baton may choose the next thread.
    private let choosing = Atomic(Choosing.never)
    /// The number of times that a thread has chosen the next thread.
    private let turns = Atomic(0)
    /// The operating system's ID of the thread that holds the baton; 0 if the thread has not begun.
    private let turnThread = Atomic<Int32>(0)
    private(set) var runners: [Runner] = []
    /// The thread that holds the baton; nil while the explorer holds it.
    private(set) var current: Runner?
    /// The requests of threads that already held another resource. Opposite orders show possible
    /// deadlocks.
    var takings: [LockOrder.Taking] = []
    /// The deadlocks of this schedule. Threads that are not part of a deadlock continue.
    var deadlocks: [Deadlock] = []
    /// Whether the schedule has ended or was given up. From then on the threads run to their ends,
    /// one after another, and the lab no longer records their operations.
    private(set) var isCollapsed = false
    var abandoned = 0
    /// Whether the lab has released the schedule. All threads then continue at the same time, and
    /// none waits for the baton.
    let isReleased = Atomic(false)
    /// Whether the lab itself is inspecting the Core Data stack. Meanwhile it does not wait for
    /// resources.
    var isQuiet = false
    /// `onPause` is called on a thread before it passes on the baton, and `onResume` after the
    /// thread has received the baton again.
    var onPause: (Runner) -> Void = { _ in }
    var onResume: (Runner) -> Void = { _ in }
    var onUse: (Resource, Use) -> Void = { _, _ in }
    var onWait: (Runner, Resource) -> Void = { _, _ in }
    /// Called when a thread that does not belong to the schedule has ended a wait.
    var onForeign: (SystemWait) -> Void = { _ in }
    /// Lets a thread that does not belong to the schedule end a wait. Returns whether the wait has
    /// ended.
    var expectsForeign: (SystemWait) -> Bool = { _ in false }
    /// Called after a child context's save has taken the parent's queue, and again before the save
    /// releases the queue. Other threads may have used the queue since the save began.
    var onPush: (_ isDone: Bool) -> Void = { _ in }

    /// Creates the threads, which live as long as the baton.
    init(names: [String]) {
        for name in names { add(name) }
    }

    /// - Returns: the number of the new thread.
    @discardableResult
    func add(_ name: String) -> Int {
        let number = runners.count
        let runner = Runner(name: name)
        runners.append(runner)
        let thread = Thread { [weak self] in
            faultline_allow_stacks()
            Self.serve(runner) { self?.finish(runner) ?? false }
        }
        thread.stackSize = 4 << 20
        thread.start()
        return number
    }

    /// Creates a runner for a thread of the program. The thread must call ``serve(_:)``.
    func addHosted(_ name: String) -> Int {
        runners.append(Runner(name: name, isHosted: true))
        return runners.count - 1
    }

    /// Makes the calling thread perform the work of a runner until the runner is dismissed.
    func serve(_ index: Int) {
        let runner = runners[index]
        Self.serve(runner) { [weak self] in self?.finish(runner) ?? false }
        runner.mayGo.letGo()
    }

    /// Ends the service of a thread whose runner has no work.
    func dismiss(_ index: Int) { runners[index].mayGo.signal() }

    /// - Parameter finish: passes the baton to the next thread, and returns whether that is the
    ///   calling thread.
    private static func serve(_ runner: Runner, _ finish: () -> Bool) {
        runner.number.store(faultline_thread_number(), ordering: .relaxed)
        // The semaphores order the accesses of this thread and of other threads to the runner.
        while true {
            runner.mayGo.wait()
            runner.thread = faultline_thread_id()
            repeat {
                if !runner.doWork() { return }
            } while finish()
        }
    }

    deinit {
        for runner in runners {
            runner.work = nil
            runner.mayGo.signal()
        }
    }

    func begin(_ work: [() -> Void], first: [String]) {
        begin()
        for index in runners.indices { start(index, first: first[index], work[index]) }
    }

    func begin() {
        deadlocks = []
        takings.removeAll(keepingCapacity: true)
        isCollapsed = false
    }

    /// Assigns work to an idle or finished thread, which waits for its next turn.
    ///
    /// - Parameter name: the name of the thread from now on; nil keeps the current one.
    func start(
        _ index: Int, as name: String? = nil, first: String, _ work: @escaping () -> Void
    ) {
        let runner = runners[index]
        if let name { runner.name = name }
        assert(runner.work == nil, "a thread received work before it finished its previous work")
        runner.work = work
        runner.state = .ready
        runner.held = []
        runner.frames = []
        runner.isPushing = false
        runner.isForced = false
        runner.systemWait = nil
        runner.upcoming = first
    }

    func isReady(_ index: Int) -> Bool {
        switch runners[index].state {
        case .ready: true
        case .waiting(let resource):
            runners[index].systemWait?.isFree() ?? (resource.holder == nil)
        case .idle, .finished: false
        }
    }

    func isFinished(_ index: Int) -> Bool {
        if case .finished = runners[index].state { return true }
        return false
    }

    /// Passes the baton to a runner and waits until the runner returns it.
    ///
    /// - Returns: false if the runner exceeded the time limit; the baton is then unusable.
    @discardableResult
    func run(_ index: Int, patience: Patience? = nil) -> Bool {
        current = runners[index]
        turnThread.store(runners[index].number.load(ordering: .relaxed), ordering: .relaxed)
        runners[index].mayGo.signal()
        let hasComeBack = waitForBaton(patience)
        if hasComeBack { current = nil } else { stopped.letGo() }
        return hasComeBack
    }

    private func waitForBaton(_ patience: Patience?) -> Bool {
        guard let patience else {
            stopped.wait()
            return true
        }
        while !patience.wait(
            for: stopped, turns: { turns.load(ordering: .acquiring) },
            thread: { turnThread.load(ordering: .relaxed) })
        {
            // If `giveUpChoosing` returns false, the thread has just returned the baton and is
            // choosing the next runner.
            if giveUpChoosing() { return false }
        }
        return true
    }

    /// Passes the baton to a runner. Each thread that returns the baton chooses the next thread
    /// itself. This avoids a switch to the explorer's thread.
    ///
    /// - Parameter next: chooses the next runner, on the thread that returns the baton. If it
    ///   returns nil, the explorer receives the baton.
    /// - Returns: false if a thread held the baton longer than the time limit; the baton is then
    ///   unusable.
    func run(_ index: Int, patience: Patience, then next: () -> Int?) -> Bool {
        withoutActuallyEscaping(next) { next in
            choose = next
            choosing.store(.allowed, ordering: .releasing)
            defer {
                choosing.store(.never, ordering: .releasing)
                choose = { nil }
            }
            return run(index, patience: patience)
        }
    }

    private enum Choosing: UInt8, AtomicRepresentable { case never, allowed, now }

    /// - Returns: false if a thread is currently choosing the next thread.
    private func giveUpChoosing() -> Bool {
        let old = choosing.compareExchange(
            expected: .allowed, desired: .never, ordering: .acquiringAndReleasing
        ).original
        return old != .now
    }

    /// Chooses the runner that continues after another runner has returned the baton; nil for the
    /// explorer.
    private func chooseNext() -> Runner? {
        let mayChoose = choosing.compareExchange(
            expected: .allowed, desired: .now, ordering: .acquiringAndReleasing)
        guard mayChoose.exchanged else { return nil }
        current = nil
        let next = choose().map { runners[$0] }
        current = next
        turnThread.store(next?.number.load(ordering: .relaxed) ?? 0, ordering: .relaxed)
        turns.add(1, ordering: .releasing)
        choosing.store(next == nil ? .never : .allowed, ordering: .releasing)
        return next
    }

    /// Runs every thread to its end.
    ///
    /// Threads still wait for resources that other threads hold, so that they do not interfere with
    /// operations in progress. If every thread waits, one of them continues without its resource.
    ///
    /// - Returns: false if a thread exceeded the time limit.
    @discardableResult
    func collapse(patience: Patience? = nil) -> Bool {
        isCollapsed = true
        while true {
            let left = runners.indices.filter { !isFinished($0) && !isIdle($0) }
            guard let first = left.first else { return true }
            let ready = left.first(where: isReady)
            let next = ready ?? left.min { cost(ofForcing: $0) < cost(ofForcing: $1) } ?? first
            if ready == nil {
                if abandons(next) { continue }
                runners[next].isForced = true
            }
            if !run(next, patience: patience) { return false }
        }
    }

    /// Releases the schedule, so that all threads continue without the baton. The baton is unusable
    /// afterwards.
    func release() {
        isReleased.store(true, ordering: .sequentiallyConsistent)
        for runner in runners where runner !== current {
            switch runner.state {
            case .ready, .waiting: runner.mayGo.signal()
            case .idle, .finished: break
            }
        }
        for runner in runners { runner.mayGo.letWaiterGo() }
    }

    private func isIdle(_ index: Int) -> Bool {
        if case .idle = runners[index].state { return true }
        return false
    }

    func end() {
        for runner in runners { runner.state = .idle }
        letExplorerGo()
    }

    /// Allows the explorer's thread to run on every core again.
    func letExplorerGo() { stopped.letGo() }

    // MARK: Lock orders

    var order: LockOrder { LockOrder(takings) }

    var inversions: [LockOrder.Inversion] {
        let mayBe = takings.indices.contains { index in
            takings[..<index].contains { $0.edge == takings[index].edge.reversed }
        }
        return mayBe ? order.inversions() : []
    }

    // MARK: The threads' side

    private func finish(_ runner: Runner) -> Bool {
        runner.state = .finished
        return handOn(from: runner)
    }

    /// Passes the baton to the next thread.
    ///
    /// - Returns: whether the next thread is the calling thread.
    private func handOn(from runner: Runner) -> Bool {
        guard let next = chooseNext() else {
            stopped.signal()
            return false
        }
        if next === runner { return true }
        next.mayGo.signal()
        return false
    }

    /// Returns the baton, and waits until the schedule chooses this thread again.
    func pause(next: String) {
        if isReleased.load(ordering: .relaxed) { return }
        guard let runner = current, !isCollapsed else { return }
        runner.upcoming = next
        onPause(runner)
        giveBack(runner)
        onResume(runner)
    }

    func giveBack(_ runner: Runner) {
        if handOn(from: runner) { return }
        runner.mayGo.wait()
    }

    /// Takes a resource, and first waits until no other thread holds it. The explorer's own thread
    /// never waits.
    ///
    /// - Parameters:
    ///   - frame: the operation for which the thread takes the resource.
    ///   - pausesFirst: whether the schedule may first choose another thread, even if the resource
    ///     is free.
    func acquire(_ resource: Resource, frame: String, pausesFirst: Bool = true) {
        if isReleased.load(ordering: .relaxed) { return }
        guard let runner = current else { return }
        runner.frames.append(frame)
        if resource.holder === runner {
            resource.depth += 1
            return
        }
        if !isCollapsed { takings += runner.held.map { .init($0, resource, runner) } }
        let next = "\(runner.frames.first ?? runner.name)^\(resource.word)"
        if pausesFirst { pause(next: next) }
        if isReleased.load(ordering: .relaxed) { return }
        if !isCollapsed { onUse(resource, .contends) }
        while let holder = resource.holder, holder !== runner, !runner.isForced {
            wait(runner, for: resource, next: next)
            if isReleased.load(ordering: .relaxed) { return }
        }
        runner.isForced = false
        runner.state = .ready
        resource.holder = runner
        resource.depth = 1
        runner.held.append(resource)
    }

    /// Waits until the schedule chooses this thread again. Another thread may have taken the
    /// resource first.
    private func wait(_ runner: Runner, for resource: Resource, next: String) {
        runner.state = .waiting(resource)
        if isCollapsed { return giveBack(runner) }
        onWait(runner, resource)
        // The next release ends this wait. Later releases do not affect it, even if other threads
        // take and release the resource again before this thread runs.
        let awaited = resource.releases + 1
        if let cycle = cycle(from: runner) { deadlocks.append(Deadlock(cycle)) }
        pause(next: next)
        if isCollapsed || isReleased.load(ordering: .relaxed) { return }
        onUse(resource, .contends)
        onUse(resource, .takesOver(awaited))
    }

    /// Releases a resource of this thread during a pause, and takes it again afterwards. This also
    /// works if the thread has taken the resource recursively.
    func lend(_ resource: Resource, next: String) {
        guard let runner = current, resource.holder === runner else { return pause(next: next) }
        let (depth, frames) = (resource.depth, runner.frames)
        resource.depth = 1
        release(resource)
        pause(next: next)
        acquire(resource, frame: frames.first ?? runner.name, pausesFirst: false)
        if isReleased.load(ordering: .relaxed) { return }
        resource.depth = depth
        runner.frames = frames
    }

    func threadNumber(of index: Int) -> Int32 { runners[index].number.load(ordering: .relaxed) }

    var isCurrentThread: Bool { current?.thread == faultline_thread_id() }

    // MARK: Gates

    /// A placeholder for the holder of a closed gate.
    private static let gatekeeper = Runner(name: "nobody")

    /// Creates a gate at which threads wait until another thread opens it.
    func closedGate(_ name: String) -> Resource {
        let gate = Resource(name, isLock: false)
        gate.holder = Self.gatekeeper
        return gate
    }

    func open(_ gate: Resource) {
        gate.releases += 1
        if !isCollapsed { onUse(gate, .handsOver(gate.releases)) }
        gate.holder = nil
    }

    func pass(_ gate: Resource) {
        let frame = "waits for \(gate.name)"
        acquire(gate, frame: frame, pausesFirst: false)
        release(gate)
    }

    func release(_ resource: Resource) {
        if isReleased.load(ordering: .relaxed) { return }
        guard let runner = current else { return }
        if !runner.frames.isEmpty { runner.frames.removeLast() }
        guard resource.holder === runner else { return }
        resource.depth -= 1
        guard resource.depth == 0 else { return }
        resource.releases += 1
        if !isCollapsed {
            onUse(resource, .contends)
            onUse(resource, .handsOver(resource.releases))
        }
        resource.holder = nil
        runner.held.removeAll { $0 === resource }
    }

    /// The threads that wait for each other because `first` waits; nil if they form no cycle.
    func cycle(from first: Runner) -> [Runner]? {
        var cycle = [first]
        while let last = cycle.last, let holder = holder(inWayOf: last) {
            if holder === first { return cycle }
            if cycle.contains(where: { $0 === holder }) { return nil }
            cycle.append(holder)
        }
        return nil
    }
}

// `@unchecked Sendable` because only the thread with the baton uses the state. Semaphores order the
// accesses of different threads.
extension Baton: @unchecked Sendable {}
// `@unchecked Sendable` because only the thread with the baton uses a runner.
extension Baton.Runner: @unchecked Sendable {}
// `@unchecked Sendable` because only the thread with the baton uses a resource.
extension Baton.Resource: @unchecked Sendable {}
