import CWaitHooks
import ContextHistory
import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import LabCheck
import LabSchedule
import Synchronization

/// The threads of one schedule of explored code, and the baton that lets one of them run at a time.
///
/// The work is divided into lanes. A lane is a session, a task, or the server of a queue. It runs
/// one item after another: a session's closure, a job of its asynchronous code, a block of a
/// context. See ``CodeLaneTable`` for their numbers.
///
/// Invariant: only one thread runs at a time, either the thread with the baton or the explorer's
/// thread. Other threads use only ``outside``.
final class CodeStage {
    let baton = Baton(names: [])
    var lanes: [CodeLane] = []
    let grain: Lab.Grain
    let change: CodeChange
    /// The queue that all contexts share if this change is tried; otherwise nil.
    let sharedQueue: Baton.Resource?
    // Safe: `init` sets it as soon as `self` is available.
    private var patience: Patience!
    let touched = CodeFootprint()
    // Safe: as for `scope`.
    private(set) var history: CodeHistory!
    /// True after the schedule has chosen a lane before a read. The lane then takes the lock for
    /// the read without another choice.
    var isFresh = false
    /// Rows that this schedule has saved. A merge finds them even if the saving contexts were
    /// released, so the schedule does not depend on when objects are released.
    var keptRows: [RowBlock] = []
    // Safe: `init` sets it as soon as `self` is available.
    private(set) var scope: ConfinementScope!
    // Safe: as for `scope`.
    private var main: CodeQueue!
    var coordinators = 0
    let table: CodeLaneTable
    var madeByBody = 0
    /// The thread of each lane, by the lane's number; nil if the lane has had no work yet.
    var threads: [Int?] = []
    /// Whether a schedule needed more lanes than a path can number. Some lanes were then shared.
    var isCrowded = false
    private(set) var schedule = 0
    var contexts: [WeakContext] = []
    /// Uses of objects off their queue, in this schedule.
    private(set) var misuses: [Detection] = []
    let outside = OutsideNotes()
    var story: CodeStory?
    var recorder: CodeRecorder?
    /// Whether the lab itself reads objects for the story or the history. These reads are not part
    /// of the schedule.
    var isLooking = false
    /// The connection to stacks that outlive a schedule; nil if each schedule creates its own
    /// stacks.
    var switches: (any StackSwitching)?
    var host: CodeHost?
    let arrivals = CodeArrivals()
    var turns = 0
    // Safe: as for `scope`.
    private(set) var executor: CodeExecutor!
    /// The lane of each task of this schedule, by the task's number.
    var taskLanes: [UInt64: Int] = [:]
    var tasks: [CodeTask] = []
    var actors = CodeActors()
    var beginning: Int?
    /// The replacements for Dispatch queues that code of this schedule has created.
    var workQueues: [CodeWorkQueue] = []
    let dispatchQueues = CodeDispatchQueues()
    var savedCoordinators: [NSPersistentStoreCoordinator] = []
    /// Whether all threads have ended. Later operations belong to the inspection of the final
    /// state.
    var isAtEnd = false
    var openSessions = 0
    /// How long the stage waits for foreign threads; nil if it does not wait for them.
    var outsidePatience: OutsidePatience?
    var delays: CodeDelays?
    var locksTaken = 0
    var inlinedWaits = 0
    let locks = CodeLocks()
    var sleepers = CodeClock()
    var progress = CodeProgress()
    var traps: TrapReport?
    /// The number of timers of one lane that may end at any moment. Later timers end only if no
    /// lane can continue.
    var freeTimers = 0

    struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    init(
        _ table: CodeLaneTable, grain: Lab.Grain, patience limit: Duration,
        change: CodeChange = CodeChange()
    ) {
        self.table = table
        self.grain = grain
        self.change = change
        sharedQueue =
            change.sharesQueue ? Baton.Resource("the queue of all contexts", isLock: false) : nil
        lanes = table.names.map { CodeLane(name: $0) }
        threads = lanes.map { _ in nil }
        scope = ConfinementScope(
            makeQueue: { [unowned self] in makeQueue($0) },
            adopt: { [unowned self] in adopt($0) },
            meet: { [unowned self] in meet($0, $1) },
            owner: { [weak self] in self })
        executor = CodeExecutor(self)
        main = CodeQueue(
            "main", resource: Baton.Resource("the main queue", isLock: false),
            fixedLane: table.mainLane, stage: self)
        baton.onUse = { [unowned self] in touched.note($1, of: $0) }
        baton.onPause = { [unowned self] _ in touchCurrentExecutor() }
        baton.onResume = { [unowned self] _ in touchCurrentExecutor() }
        baton.onWait = { [unowned self] in
            story?.wait($0.name, for: $1.name, heldBy: $1.holder?.name ?? "nobody")
            beginTimeOut()
        }
        baton.onForeign = { [unowned self] in noteForeign(key(of: $0)) }
        baton.expectsForeign = { [unowned self] in awaitForeign($0) }
        history = CodeHistory(self)
        let outside = outside
        patience = Patience(limit: limit, isVain: { outside.first != nil })
    }

    var isInside: Bool { ConfinementScope.current === scope }

    static var current: CodeStage? { ConfinementScope.current?.owner() as? CodeStage }

    /// The lane whose thread has the baton; nil while the explorer has the baton.
    var running: Int? { turn?.lane }

    private struct Turn {
        let lane: Int
        let runner: Int
        /// Whether the lane only checks for an event outside of the lab.
        let looks: Bool
        /// The name in tokens; created when it is first needed.
        var name: String?
    }

    private var turn: Turn?

    // MARK: Schedules

    func reset(keeping kept: Int) {
        // Objects of the program may be released here. The effects are not part of a schedule.
        faultline_pass_through(true)
        defer { faultline_pass_through(false) }
        schedule += 1
        progress.reset()
        traps?.begin()
        resetLanes()
        touched.reset(lanes: SchedulePlan.laneMax)
        history.reset()
        keptRows = []
        forgetTasks()
        sleepers = CodeClock()
        workQueues = []
        locks.reset()
        dispatchQueues.reset()
        isAtEnd = false
        savedCoordinators = []
        turns = 0
        inlinedWaits = 0
        contexts = []
        coordinators = kept
        misuses = []
        // The contexts may have been created in an earlier schedule, or before all schedules.
        for context in switches?.contexts ?? [] { watch(context) }
        baton.begin()
    }

    func isIdle(_ runner: Int) -> Bool {
        switch baton.runners[runner].state {
        case .idle, .finished: true
        case .ready, .waiting: false
        }
    }

    /// Passes the baton to a lane, and returns when the lane has returned it.
    ///
    /// - Throws: ``CodeError`` if the lane does not return it.
    func run(_ lane: Int) throws(CodeError) {
        let runner = beginTurn(lane)
        defer { turn = nil }
        if !baton.run(runner, patience: patience(of: lane)) { throw stuck(lane) }
        try endTurn()
    }

    /// Runs lanes one after another.
    ///
    /// - Parameter next: chooses the lane; it is called on the thread of the previous lane.
    func run(choosing next: () throws(CodeError) -> Int?) throws(CodeError) {
        guard let first = try next() else { return }
        var failure: CodeError?
        defer { turn = nil }
        let hasComeBack = baton.run(beginTurn(first), patience: patience) {
            do throws(CodeError) {
                try endTurn()
                return try next().map(beginTurn)
            } catch {
                failure = error
                return nil
            }
        }
        if !hasComeBack { throw stuck(running) }
        if let failure { throw failure }
    }

    /// - Returns: the runner of the lane.
    private func beginTurn(_ lane: Int) -> Int {
        let time = sleepers.turns
        let sleeper = wakeSleeper(of: lane)
        // A lane that only checks for an event has no effect on other lanes, so the check is not
        // counted.
        let looks = waits(lane)
        if !looks { turns += 1 }
        traps?.note(lane, named: lanes[lane].name)
        touched.begin(lane, named: lanes[lane].name, carried: lanes[lane].carried)
        if let sleeper { touchClock(sleeper, after: time) }
        touchTask(of: lane)
        let runner = begin(lane)
        endTimeOut(of: runner)
        turn = Turn(lane: lane, runner: runner, looks: looks)
        isFresh = false
        lanes[lane].slices += 1
        if let block = lanes[lane].block { history.noteBlock(block) }
        noteLocks(of: baton.runners[runner])
        return runner
    }

    private func endTurn() throws(CodeError) {
        guard let turn else { return }
        self.turn = nil
        try checkProgress(turn.lane)
        if turn.looks, !waits(turn.lane) { turns += 1 }
        noteCancelled()
        markInlinedLocks()
        noteLocks(of: baton.runners[turn.runner])
        lanes[turn.lane].carried =
            isIdle(turn.runner) ? Footprint() : touched.collected.carried
        if let told = outside.first { throw .outside(told) }
    }

    /// Returns how long the stage waits for a lane to return the baton. A thread in a run loop may
    /// return the baton at any time, so the limit does not apply while the loop turns.
    private func patience(of lane: Int) -> Patience {
        guard let host, host.lane == lane else { return patience }
        // Safe: `init` sets it.
        let patience = patience!
        var standstill = Standstill(turns: host.turns.value)
        return Patience(limit: host.patience) { [baton] in
            standstill.note(Patience.look, turns: host.turns.value) {
                baton.threadNumber(of: host.runner)
            }
            return patience.isVain() || standstill.time >= patience.limit
        }
    }

    /// Returns the lane's thread. If the thread is idle, it receives the lane's next item.
    private func begin(_ lane: Int) -> Int {
        var runner = lanes[lane].runner ?? makeRunner(lane)
        if baton.runners[runner].isAbandoned { runner = makeRunner(lane) }
        lanes[lane].runner = runner
        threads[lane] = runner
        guard isIdle(runner) else { return runner }
        let item = lanes[lane].waiting.removeFirst()
        lanes[lane].block = item.isBlock ? "\(lanes[lane].name)#\(item.number)" : nil
        lanes[lane].isAtQueue = item.isBlock || item.isSessionBlock || grain == .blocks
        touched.touch(.mail(mailbox: lane, number: item.number), .require)
        // Safe: `scope` exists before the explorer runs a schedule.
        let scope = scope!
        baton.start(runner, as: lanes[lane].name, first: item.label) {
            scope.run { () throws(Never) in item.work() }
        }
        return runner
    }

    private func makeRunner(_ lane: Int) -> Int {
        if let host, host.serves(lane, mainLane: table.mainLane) { return host.runner }
        return baton.add(lanes[lane].name)
    }

    /// Removes and returns the next item of the main lane. A test's thread calls this while it
    /// waits, and runs the item.
    func takeMainItem() -> CodeItem? {
        let lane = table.mainLane
        guard !lanes[lane].waiting.isEmpty else { return nil }
        let item = lanes[lane].waiting.removeFirst()
        touched.touch(.mail(mailbox: lane, number: item.number), .require)
        return item
    }

    /// Lets every thread run to its end without recording operations.
    func collapse() throws(CodeError) {
        repeat {
            if !baton.collapse(patience: patience) { throw stuck(nil) }
            admitArrivals()
            while !sleepers.isEmpty {
                let sleeper = sleepers.wakeFirst()
                if sleeper.isTimeOut { continue }
                append("wake", to: sleeper.lane, sleeper.work)
            }
            for lane in lanes.indices where !lanes[lane].waiting.isEmpty { _ = begin(lane) }
        } while baton.runners.indices.contains { !isIdle($0) }
    }

    /// The findings of the detectors at the end of a schedule. Later operations are not part of the
    /// schedule.
    func findings() -> [Detection] {
        isLooking = true
        defer { isLooking = false }
        history.noteHeld()
        return history.findings()
    }

    /// Closes the stage when none of its threads runs. Foreign threads that waited continue.
    /// Objects that outlive the schedules now work without a schedule.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        traps = nil
        workQueues = []
        forgetTasks()
        for context in switches?.contexts ?? [] where context.watcher === self {
            context.watcher = nil
        }
        outside.end()
        baton.letExplorerGo()
        main = nil
        host?.dismiss(baton)
    }

    private let isClosed = Atomic(false)

    var isOpen: Bool { !isClosed.load(ordering: .relaxed) && !isReleased }

    var mainQueue: CodeQueue { main }

    // MARK: Threads of the schedule

    /// Receives work that a foreign thread put into a lane, and keeps it until the stage is closed.
    func hold(_ label: String, for name: String, _ work: @escaping () -> Void) {
        noteOutside("put '\(label)' into '\(name)'")
        outside.hold(work)
    }

    /// Puts work into a lane. Only threads of the schedule call it.
    func append(
        _ label: String, to lane: Int, isBlock: Bool = false, isSessionBlock: Bool = false,
        _ work: @escaping () -> Void
    ) {
        lanes[lane].posted += 1
        let number = lanes[lane].posted
        lanes[lane].waiting.append(
            CodeItem(
                label: label, number: number, isBlock: isBlock, isSessionBlock: isSessionBlock,
                work: work))
        if isBlock { history.noteEnqueued("\(lanes[lane].name)#\(number)", on: lanes[lane].name) }
        touched.touch(.mailbox(lane), .write)
        touched.touch(.mail(mailbox: lane, number: number), .provide)
    }

    var step: String {
        guard let turn else { return "body" }
        if let known = turn.name { return known }
        let name = "\(lanes[turn.lane].name)#\(lanes[turn.lane].slices)"
        self.turn?.name = name
        return name
    }

    /// Whether the schedule may choose another lane before the running lane takes a lock.
    ///
    /// False if the thread already holds a lock. For example, a save takes the lock of its store
    /// while it holds the lock of its coordinator. No other thread could write between the two, and
    /// a reader would read the same rows as before.
    var pausesAtLock: Bool {
        defer { isFresh = false }
        guard grain == .operations, !isFresh else { return false }
        return baton.current?.held.contains(where: \.isLock) != true
    }

    /// Whether the schedule may choose another lane before the running lane takes a queue. False if
    /// the lane has done nothing since the schedule chose it.
    func pausesAtQueue() -> Bool {
        guard let running else { return true }
        defer { lanes[running].isAtQueue = false }
        return !lanes[running].isAtQueue
    }

    /// Records the locks that a lane holds, or for which it waits, when the schedule chooses again.
    /// The order of this lane and of other lanes that use these locks matters.
    private func noteLocks(of runner: Baton.Runner) {
        for resource in runner.held where resource.isLock { touched.noteHeld(resource) }
        if case .waiting(let resource) = runner.state { touched.noteHeld(resource) }
    }

    /// Records that the running lane has taken a queue.
    ///
    /// - Returns: how many queues belong to parents, grandparents and so on of the queue's
    ///   contexts.
    func enter(_ queue: CodeQueue) -> Int {
        guard touched.isCollecting, running != nil else { return 0 }
        var names: [String] = []
        for held in contexts {
            guard let context = held.context, owns(context, queue) else { continue }
            var parent = context.parent
            while let next = parent {
                if let queue = self.queue(of: next) { names.append(queue.resource.name) }
                parent = next.parent
            }
        }
        touched.enter(parents: names)
        return names.count
    }

    func leave(_ parents: Int) { if parents > 0 { touched.leave(parents: parents) } }

    func note(misuse: String) {
        // Apps and their tests rely on uses off the queue. So in an existing test, such a use is an
        // error only if the queue checks are strict.
        if switches != nil, !QueueChecks.areStrict { return }
        let place = running.map { lanes[$0].name } ?? "the body"
        let found = Detection(
            name: Misuse.queueConfinement.rawValue, prose: misuse, evidence: [place], step: place)
        if !misuses.contains(found) { misuses.append(found) }
        story?.note(place, "off its queue: \(misuse)")
    }

    /// Records that a thread that the lab did not create has used an object of the lab.
    func noteOutside(_ what: String) {
        outside.note("a thread that the lab did not create \(what)")
    }

    /// Lets a foreign thread wait until all threads of the lab have ended.
    func waitForEnd() { outside.waitForEnd() }
}

// `@unchecked Sendable` because only one thread runs at a time, either the thread with the baton or
// the explorer's thread. Semaphores order these threads. Foreign threads use only `outside`, which
// a lock guards.
extension CodeStage: @unchecked Sendable {}
