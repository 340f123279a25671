import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import LabCheck
import LabSchedule
import Synchronization

/// Where the threads of one schedule of ordinary code meet: its lanes, what waits in them, and the
/// baton that one of them has.
///
/// A lane is a session, or what serves queues. It runs one item after another: a session's closure,
/// a job of its asynchronous code, a block of a context. Lanes keep their numbers from schedule to
/// schedule, by who makes what, so that a path means the same in each.
///
/// Invariant: one thread at a time runs, the one with the baton or the explorer's; only
/// ``outside`` is touched by others.
final class CodeStage {
    let baton = Baton(names: [])
    var lanes: [CodeLane] = []
    let grain: Lab.Grain
    /// What is tried in place of the code as it is.
    let change: CodeChange
    /// The one queue of all contexts, where that is tried.
    let sharedQueue: Baton.Resource?
    // Safe: `init` makes it, when it can name this stage.
    private var patience: Patience!
    let touched = CodeFootprint()
    // Safe: as for `scope`.
    private(set) var history: CodeHistory!
    /// The lane that runs has just given the baton away to read: the lock that it asks for is no
    /// other place.
    var isFresh = false
    /// Rows that were saved in this schedule. A merge finds them wherever their savers have gone,
    /// so that how a schedule goes on does not depend on who has let go of an object.
    var keptRows: [RowBlock] = []
    // Safe: `init` makes it, when it can name this stage.
    private(set) var scope: ConfinementScope!
    // Safe: as for `scope`.
    private var main: CodeQueue!
    /// Coordinators of this schedule that code has made for itself.
    var coordinators = 0
    let table: CodeLaneTable
    /// How many queues each lane has made in this schedule; the last is the explorer's.
    var made: [Int] = []
    /// What code has made in this schedule.
    var contexts: [WeakContext] = []
    /// Used off its queue, in this schedule.
    private(set) var misuses: [Detection] = []
    /// What lanes that are none of ours have done.
    let outside = OutsideNotes()
    var story: CodeStory?
    /// Records the contexts of the schedule.
    var recorder: CodeRecorder?
    /// The story looks at objects, which is no part of the schedule.
    var isLooking = false
    /// Stands between this stage and stacks that outlive a schedule; nil where each schedule makes
    /// its own.
    var switches: (any StackSwitching)?
    /// The program's own thread that serves lanes.
    var host: CodeHost?
    /// What has come from threads that the lab did not make, for tasks that are its own.
    let arrivals = CodeArrivals()
    /// How often a lane has run in this schedule.
    var turns = 0
    // Safe: as for `scope`.
    private(set) var executor: CodeExecutor!
    /// The lane of each task of this schedule, by its number.
    var taskLanes: [UInt64: Int] = [:]
    /// The session whose task is being made.
    var beginning: Int?
    /// The twins of queues that code of this schedule has made.
    var workQueues: [CodeWorkQueue] = []
    /// Jobs that sleep, until nothing else can go on.
    var sleepers = CodeClock()

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
        scope = ConfinementScope(
            makeQueue: { [unowned self] in makeQueue($0) },
            adopt: { [unowned self] in adopt($0) },
            meet: { [unowned self] in meet($0, $1) },
            owner: { [weak self] in self })
        executor = CodeExecutor(self)
        main = CodeQueue(
            "main", resource: Baton.Resource("the main queue", isLock: false),
            lane: table.mainLane, stage: self)
        baton.onUse = { [unowned self] in touched.note($1, of: $0) }
        baton.onWait = { [unowned self] in
            story?.wait($0.name, for: $1.name, heldBy: $1.holder?.name ?? "nobody")
        }
        history = CodeHistory(self)
        let outside = outside
        patience = Patience(limit: limit, isVain: { outside.first != nil })
    }

    /// Whether the calling thread is one of the lab's.
    var isInside: Bool { ConfinementScope.current === scope }

    /// The stage of the calling thread's scope.
    static var current: CodeStage? { ConfinementScope.current?.owner() as? CodeStage }

    /// The lane whose thread has the baton; nil while the explorer has it.
    var running: Int? { turn?.lane }

    private struct Turn {
        let lane: Int
        let runner: Int
        /// It looks whether something has come that the lab does not know.
        let looks: Bool
        /// As tokens count it; made where it is needed first.
        var name: String?
    }

    private var turn: Turn?

    // MARK: Schedules

    /// Forgets the schedule before.
    ///
    /// - Parameter kept: how many coordinators of it stay.
    func reset(keeping kept: Int) {
        // Most lanes serve nothing.
        for index in lanes.indices where lanes[index].posted > 0 || lanes[index].slices > 0 {
            lanes[index].waiting = []
            lanes[index].posted = 0
            lanes[index].endWait()
            lanes[index].carried = Footprint()
            lanes[index].slices = 0
            lanes[index].block = nil
            lanes[index].isAtQueue = false
        }
        touched.reset(lanes: lanes.count)
        history.reset()
        keptRows = []
        made = Array(repeating: 0, count: lanes.count + 1)
        forgetTasks()
        sleepers = CodeClock()
        workQueues = []
        turns = 0
        contexts = []
        coordinators = kept
        misuses = []
        // They may have been made in an earlier schedule, or before all of them.
        for context in switches?.contexts ?? [] { watch(context) }
        baton.begin()
    }

    func isIdle(_ runner: Int) -> Bool {
        switch baton.runners[runner].state {
        case .idle, .finished: true
        case .ready, .waiting: false
        }
    }

    /// Lets a lane go on until it gives the baton back.
    ///
    /// - Throws: ``CodeError`` where it does not.
    func run(_ lane: Int) throws(CodeError) {
        let runner = beginTurn(lane)
        defer { turn = nil }
        if !baton.run(runner, patience: patience(of: lane)) { throw stuck(lane) }
        try endTurn()
    }

    /// Lets lanes go on one after another.
    ///
    /// - Parameter next: chooses the lane; called on the thread of the lane that ran last.
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
        wakeSleeper(of: lane)
        // Looking in vain changes nothing for others.
        let looks = waits(lane)
        if !looks { turns += 1 }
        touched.begin(lane, carried: lanes[lane].carried)
        let runner = begin(lane)
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
        if turn.looks, !waits(turn.lane) { turns += 1 }
        noteLocks(of: baton.runners[turn.runner])
        lanes[turn.lane].carried =
            isIdle(turn.runner) ? Footprint() : touched.collected.carried
        if let told = outside.first { throw .outside(told) }
    }

    /// A thread that waits in a run loop may come back at any time, as long as the loop turns.
    private func patience(of lane: Int) -> Patience {
        guard let host, host.lane == lane else { return patience }
        // Safe: `init` makes it.
        let patience = patience!
        var standstill = Standstill(turns: host.turns.value)
        return Patience(limit: host.patience) { [baton] in
            standstill.note(Patience.look, turns: host.turns.value) {
                baton.threadNumber(of: host.runner)
            }
            return patience.isVain() || standstill.time >= patience.limit
        }
    }

    private func wakeSleeper(of lane: Int) {
        guard ready(lane) == nil, let first = sleepers.first, first.lane == lane else { return }
        append("wake", to: lane, sleepers.wakeFirst().work)
    }

    /// The lane's thread, with its next item if it has none.
    private func begin(_ lane: Int) -> Int {
        let runner = lanes[lane].runner ?? makeRunner(lane)
        lanes[lane].runner = runner
        guard isIdle(runner) else { return runner }
        let item = lanes[lane].waiting.removeFirst()
        lanes[lane].block = item.isBlock ? "\(lanes[lane].name)#\(item.number)" : nil
        lanes[lane].isAtQueue = item.isBlock || item.isSessionBlock || grain == .blocks
        touched.touch(.mail(mailbox: lane, number: item.number), .require)
        // Safe: whoever runs a schedule has made its scope.
        let scope = scope!
        baton.start(runner, first: item.label) {
            scope.run { () throws(Never) in item.work() }
        }
        return runner
    }

    private func makeRunner(_ lane: Int) -> Int {
        if let host, host.serves(lane, mainLane: table.mainLane) { return host.runner }
        return baton.add(lanes[lane].name)
    }

    /// What the main lane's items need where a test's thread runs them in its wait.
    func takeMainItem() -> CodeItem? {
        let lane = table.mainLane
        guard !lanes[lane].waiting.isEmpty else { return nil }
        let item = lanes[lane].waiting.removeFirst()
        touched.touch(.mail(mailbox: lane, number: item.number), .require)
        return item
    }

    /// Lets everything come to its end; what it does counts for nothing.
    func collapse() throws(CodeError) {
        repeat {
            if !baton.collapse(patience: patience) { throw stuck(nil) }
            admitArrivals()
            while !sleepers.isEmpty {
                let sleeper = sleepers.wakeFirst()
                append("wake", to: sleeper.lane, sleeper.work)
            }
            for lane in lanes.indices where !lanes[lane].waiting.isEmpty { _ = begin(lane) }
        } while baton.runners.indices.contains { !isIdle($0) }
    }

    private func stuck(_ lane: Int?) -> CodeError {
        if let told = outside.first { return .outside(told) }
        let name = lane.map { lanes[$0].name } ?? "a lane"
        return .outside(
            "'\(name)' did not come back: it waits for something that the lab does not know, or"
                + " does not end")
    }

    /// What the detectors find in a schedule that is at its end; what is done afterwards is no part
    /// of it.
    func findings() -> [Detection] {
        isLooking = true
        defer { isLooking = false }
        history.noteHeld()
        return history.findings()
    }

    /// Nothing runs any more: whoever waited outside goes on, and what code has left behind works
    /// without a schedule.
    func close() {
        isClosed.store(true, ordering: .relaxed)
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

    /// Whether there may be schedules.
    var isOpen: Bool { !isClosed.load(ordering: .relaxed) && !isReleased }

    /// The main queue of the schedule.
    var mainQueue: CodeQueue { main }

    // MARK: Threads of the schedule

    /// Puts work into a lane.
    func post(
        _ label: String, to lane: Int, isBlock: Bool = false, isSessionBlock: Bool = false,
        _ work: @escaping () -> Void
    ) {
        guard isInside else {
            noteOutside("put '\(label)' into '\(lanes[lane].name)'")
            return outside.hold(work)
        }
        append(label, to: lane, isBlock: isBlock, isSessionBlock: isSessionBlock, work)
    }

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

    /// Names what the running lane does now, as tokens count it.
    var step: String {
        guard let turn else { return "body" }
        if let known = turn.name { return known }
        let name = "\(lanes[turn.lane].name)#\(lanes[turn.lane].slices)"
        self.turn?.name = name
        return name
    }

    /// Whether the schedule may choose another lane before the running one takes a lock.
    ///
    /// A save takes its store's lock inside of its coordinator's: nobody else could write between,
    /// and who reads between reads what it would have read before.
    var pausesAtLock: Bool {
        defer { isFresh = false }
        guard grain == .operations, !isFresh else { return false }
        return baton.current?.held.contains(where: \.isLock) != true
    }

    /// Whether the schedule may choose another lane before the running one takes a queue: it just
    /// might have, where the lane has done nothing since it was chosen.
    func pausesAtQueue() -> Bool {
        guard let running else { return true }
        defer { lanes[running].isAtQueue = false }
        return !lanes[running].isAtQueue
    }

    /// Locks that a lane keeps from slice to slice, or waits for, order it with others.
    private func noteLocks(of runner: Baton.Runner) {
        for resource in runner.held where resource.isLock { touched.noteHeld(resource) }
        if case .waiting(let resource) = runner.state { touched.noteHeld(resource) }
    }

    /// The running lane has got a queue.
    ///
    /// - Returns: how many queues of parents are above it.
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
        // Where checks are off, apps and their tests lean on such uses.
        if switches != nil, !QueueChecks.areStrict { return }
        let place = running.map { lanes[$0].name } ?? "the body"
        let found = Detection(
            name: Misuse.queueConfinement.rawValue, prose: misuse, evidence: [place], step: place)
        if !misuses.contains(found) { misuses.append(found) }
        story?.note(place, "off its queue: \(misuse)")
    }

    /// A thread that the lab did not make has touched what belongs to it.
    func noteOutside(_ what: String) {
        outside.note("a thread that the lab did not make \(what)")
    }

    /// Has a thread of somebody else's wait until the lab has come to rest.
    func waitForEnd() { outside.waitForEnd() }
}

// `@unchecked Sendable` because one thread at a time runs, the one with the baton or the
// explorer's, and semaphores order them; threads of others reach `outside` only, which has a lock.
extension CodeStage: @unchecked Sendable {}
