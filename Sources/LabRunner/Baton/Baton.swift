import CRuntimeShims
import Foundation
import Synchronization

/// Passes one baton among real threads: whoever has it runs, all others wait. Baton worlds make
/// one; which thread goes on at each switch is the schedule's choice.
///
/// A thread switches where it starts a step, and where it is about to wait for a queue or a lock.
/// Who waits for whom is known at every moment, so a cycle is found when it closes, not by a clock.
final class Baton {
    /// A queue or a lock: one thread at a time holds it.
    final class Resource {
        let name: String
        /// The name as a part of a token.
        fileprivate let word: String
        /// Whether the engine takes a lock of the system beside it, which nobody can be let past.
        let isLock: Bool
        fileprivate(set) weak var holder: Runner?
        fileprivate var depth = 0
        /// How often it was given back, which tells one hand-over from another.
        fileprivate var releases = 0

        init(_ name: String, isLock: Bool) {
            self.name = name
            word = name.tokenWord
            self.isLock = isLock
        }
    }

    /// What a thread does with a resource.
    enum Use {
        /// Asks for it, takes it or gives it back: others who do so cannot be exchanged with it.
        case contends
        /// Gives it back, so that those who wait for it may go on; with the number of the time.
        case handsOver(Int)
        /// Takes it after waiting, which that hand-over made possible.
        case takesOver(Int)
    }

    /// A thread of the schedule.
    final class Runner {
        enum State { case idle, ready, waiting(Resource), finished }

        let name: String
        fileprivate(set) var state = State.idle
        fileprivate(set) var held: [Resource] = []
        /// What the thread is inside of, outermost first.
        var frames: [String] = []
        /// What it does when it gets the baton next.
        fileprivate(set) var upcoming = ""
        /// A child's save is about to take its parent's queue, to put its values there.
        var isPushing = false
        /// It gets what it waits for, though another thread holds that.
        fileprivate var isForced = false
        /// Steps and contexts of the recorder, while another thread runs.
        var place: (step: String, context: String) = ("", "")
        fileprivate let mayGo = TurnSignal()
        fileprivate var work: (() -> Void)?
        /// What names the thread among those of the process, once it serves.
        fileprivate var thread: UInt = 0
        /// The number by which the system knows the thread; 0 until it serves.
        fileprivate let number = Atomic<Int32>(0)

        init(name: String) { self.name = name }

        /// Does its work and lets go of it: what the work has kept must be gone before another
        /// thread runs, or whether an object still lives would be a matter of time.
        ///
        /// - Returns: false where it has none.
        fileprivate func doWork() -> Bool {
            guard let work else { return false }
            work()
            self.work = nil
            return true
        }
    }

    /// What the explorer waits for.
    private let stopped = TurnSignal()
    /// Chooses who goes on, in place of the explorer.
    private var choose: () -> Int? = { nil }
    /// Whether a thread that gives the baton back may choose.
    private let choosing = Atomic(Choosing.never)
    /// How many turns threads have handed on.
    private let turns = Atomic(0)
    /// The number of the thread whose turn it is, as the system knows it; 0 where it has not begun.
    private let turnThread = Atomic<Int32>(0)
    private(set) var runners: [Runner] = []
    /// The thread that has the baton; nil while the explorer has it.
    private(set) var current: Runner?
    /// What this schedule has shown of lock orders.
    private var takings: [LockOrder.Taking] = []
    /// The cycles that this schedule has run into. Who is in none of them goes on.
    private(set) var deadlocks: [Deadlock] = []
    /// When a schedule is over or given up, every thread comes to its end, one after another. What
    /// the threads then do counts for nothing.
    private(set) var isCollapsed = false
    /// The lab has given the schedule up: every thread goes on at once, and waits for nothing here.
    let isReleased = Atomic(false)
    /// The lab itself is looking; what it takes is not waited for.
    var isQuiet = false
    /// Called on the thread that gives the baton away, and on the one that gets it back.
    var onPause: (Runner) -> Void = { _ in }
    var onResume: (Runner) -> Void = { _ in }
    /// Called for each use of a resource, on the thread that uses it.
    var onUse: (Resource, Use) -> Void = { _, _ in }
    /// Called where a thread begins to wait for what another one holds, on that thread.
    var onWait: (Runner, Resource) -> Void = { _, _ in }
    /// Called where a child's save has got its parent's queue, and before it gives it back: others
    /// may have been there since the save began.
    var onPush: (_ isDone: Bool) -> Void = { _ in }

    /// Makes the threads; they live as long as the baton.
    init(names: [String]) {
        for name in names { add(name) }
    }

    /// Makes one more thread.
    ///
    /// - Returns: its number.
    @discardableResult
    func add(_ name: String) -> Int {
        let number = addHosted(name)
        let runner = runners[number]
        let thread = Thread { [weak self] in
            Self.serve(runner) { self?.finish(runner) ?? false }
        }
        thread.stackSize = 4 << 20
        thread.start()
        return number
    }

    /// Makes a runner for a thread of the program's, which is to call ``serve(_:)``.
    func addHosted(_ name: String) -> Int {
        runners.append(Runner(name: name))
        return runners.count - 1
    }

    /// Has the calling thread do what a runner is given, until it is dismissed.
    func serve(_ index: Int) {
        let runner = runners[index]
        Self.serve(runner) { [weak self] in self?.finish(runner) ?? false }
        runner.mayGo.letGo()
    }

    /// Lets the thread of a runner that has no work go.
    func dismiss(_ index: Int) { runners[index].mayGo.signal() }

    /// - Parameter finish: hands the baton on; returns whether the same thread goes on.
    private static func serve(_ runner: Runner, _ finish: () -> Bool) {
        runner.number.store(faultline_thread_number(), ordering: .relaxed)
        // Unchecked below because one thread at a time runs, handed on by semaphores.
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

    /// Begins a schedule: every runner gets its work and waits at its start.
    func begin(_ work: [() -> Void], first: [String]) {
        begin()
        for index in runners.indices { start(index, first: first[index], work[index]) }
    }

    /// Begins a schedule in which no thread has work yet.
    func begin() {
        deadlocks = []
        takings.removeAll(keepingCapacity: true)
        isCollapsed = false
    }

    /// Gives an idle or finished thread work, which waits at its start.
    func start(_ index: Int, first: String, _ work: @escaping () -> Void) {
        let runner = runners[index]
        assert(runner.work == nil, "a thread is given work after it has finished its last")
        runner.work = work
        runner.state = .ready
        runner.held = []
        runner.frames = []
        runner.isPushing = false
        runner.isForced = false
        runner.upcoming = first
    }

    /// Whether a runner could go on.
    func isReady(_ index: Int) -> Bool {
        switch runners[index].state {
        case .ready: true
        case .waiting(let resource): resource.holder == nil
        case .idle, .finished: false
        }
    }

    func isFinished(_ index: Int) -> Bool {
        if case .finished = runners[index].state { return true }
        return false
    }

    /// Gives the baton to a runner until it gives it back.
    ///
    /// - Returns: false where it took longer than the patience; the baton is of no more use then.
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
            // A thread that is just choosing has come back after all.
            if giveUpChoosing() { return false }
        }
        return true
    }

    /// Gives the baton to a runner, and lets each thread that gives it back choose the next one:
    /// to go on costs it nothing, and another thread one switch in place of two.
    ///
    /// - Parameter next: chooses a runner, on the thread that gives the baton back; nil gives it to
    ///   the explorer.
    /// - Returns: false where a turn took longer than the patience; the baton is of no more use
    ///   then.
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

    /// - Returns: false where a thread chooses now.
    private func giveUpChoosing() -> Bool {
        let old = choosing.compareExchange(
            expected: .allowed, desired: .never, ordering: .acquiringAndReleasing
        ).original
        return old != .now
    }

    /// The runner that goes on behind one that gives the baton back; nil for the explorer.
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

    /// Lets every thread run to its end.
    ///
    /// A thread still waits for what another one holds, or it would change what that one is in the
    /// middle of. Only where all of them wait for each other does one get what it waits for.
    ///
    /// - Returns: false where one took longer than the patience.
    @discardableResult
    func collapse(patience: Patience? = nil) -> Bool {
        isCollapsed = true
        while true {
            let left = runners.indices.filter { !isFinished($0) && !isIdle($0) }
            guard let first = left.first else { return true }
            let ready = left.first(where: isReady)
            let next = ready ?? left.first { !waitsForLock($0) } ?? first
            if ready == nil { runners[next].isForced = true }
            if !run(next, patience: patience) { return false }
        }
    }

    /// Gives the schedule up: the threads go on by themselves. The baton is of no more use then.
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

    private func waitsForLock(_ index: Int) -> Bool {
        if case .waiting(let resource) = runners[index].state { return resource.isLock }
        return false
    }

    /// Ends a schedule.
    func end() {
        for runner in runners { runner.state = .idle }
        letExplorerGo()
    }

    /// Lets the explorer's thread run on every core again.
    func letExplorerGo() { stopped.letGo() }

    // MARK: Lock orders

    /// The order in which threads of this schedule have taken queues and locks.
    var order: LockOrder { LockOrder(takings) }

    /// Two lock orders of this schedule that are opposite.
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

    /// Lets the next one go on.
    ///
    /// - Returns: whether that is the calling thread itself.
    private func handOn(from runner: Runner) -> Bool {
        guard let next = chooseNext() else {
            stopped.signal()
            return false
        }
        if next === runner { return true }
        next.mayGo.signal()
        return false
    }

    /// Gives the baton back; returns when the schedule chooses this thread again.
    func pause(next: String) {
        if isReleased.load(ordering: .relaxed) { return }
        guard let runner = current, !isCollapsed else { return }
        runner.upcoming = next
        onPause(runner)
        giveBack(runner)
        onResume(runner)
    }

    private func giveBack(_ runner: Runner) {
        if handOn(from: runner) { return }
        runner.mayGo.wait()
    }

    /// Takes a resource, after all others who hold it. The explorer's own thread never waits.
    ///
    /// - Parameters:
    ///   - frame: what the thread is then inside of.
    ///   - pausesFirst: whether the schedule may choose another thread although it is free.
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

    /// Waits once; another thread may be quicker when the resource is free.
    private func wait(_ runner: Runner, for resource: Resource, next: String) {
        runner.state = .waiting(resource)
        if isCollapsed { return giveBack(runner) }
        onWait(runner, resource)
        // The next one lets this thread go on. Others may take it and give it back once more
        // before the schedule chooses this thread: it could have gone on without them.
        let awaited = resource.releases + 1
        if let cycle = cycle(from: runner) { deadlocks.append(Deadlock(cycle)) }
        pause(next: next)
        if isCollapsed || isReleased.load(ordering: .relaxed) { return }
        onUse(resource, .contends)
        onUse(resource, .takesOver(awaited))
    }

    /// Pauses, and lets others have a resource meanwhile, however often the thread has taken it.
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

    /// The number by which the system knows a runner's thread; 0 where it has not begun.
    func threadNumber(of index: Int) -> Int32 { runners[index].number.load(ordering: .relaxed) }

    /// Whether the calling thread is the one that has the baton.
    var isCurrentThread: Bool { current?.thread == faultline_thread_id() }

    // MARK: Gates

    /// Holds the gates that nobody may pass yet.
    private static let gatekeeper = Runner(name: "nobody")

    /// Something that a thread waits for until another one opens it.
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

    /// Waits until a gate is open.
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

    /// The threads that wait for each other, if the one that begins to wait closes a cycle.
    private func cycle(from first: Runner) -> [Runner]? {
        var cycle = [first]
        while case .waiting(let resource)? = cycle.last?.state, let holder = resource.holder {
            if holder === first { return cycle }
            if cycle.contains(where: { $0 === holder }) { return nil }
            cycle.append(holder)
        }
        return nil
    }
}

// `@unchecked Sendable` because one thread at a time runs, the one with the baton, and semaphores
// order what they do; `Runner` and `Resource` are touched by that thread alone.
extension Baton: @unchecked Sendable {}
// `@unchecked Sendable` because only the thread with the baton touches it.
extension Baton.Runner: @unchecked Sendable {}
// `@unchecked Sendable` because only the thread with the baton touches it.
extension Baton.Resource: @unchecked Sendable {}
