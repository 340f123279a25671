import LabSchedule

/// Starts pieces of work in order, and at most `width` of them at a time. A barrier is a piece that
/// runs only if no other piece runs. The lab's replacements for Dispatch queues and operation
/// queues use this class.
final class CodeWorkQueue {
    struct Entry {
        enum Start {
            case lane(() -> Void)
            /// A thread waits for the gate of the piece.
            case gate(Baton.Resource)
        }

        let label: String
        var isBarrier = false
        /// Pieces with a higher priority begin first.
        var priority = 0
        var isReady: () -> Bool = { true }
        let start: Start
        /// The name of the lane that runs the piece. It depends on the lane that enqueued the
        /// piece, not on the lane that starts it.
        fileprivate(set) var laneName = ""
    }

    let name: String
    /// The resource that a thread holds while it runs a piece of a serial queue.
    private let turn: Baton.Resource
    /// The maximum number of pieces that run concurrently.
    var width: Int {
        didSet { admit() }
    }
    var isSuspended = false {
        didSet { admit() }
    }
    private let stage: CodeStage
    /// The lane of a queue that was created as a serial queue; nil for other queues.
    private let lane: Int?
    private(set) var pending: [Entry] = []
    private(set) var running = 0
    private var isBarrierRunning = false
    /// The gates of threads that wait until all pieces have ended.
    private var idleGates: [Baton.Resource] = []

    init(_ name: String, width: Int, isSerial: Bool, stage: CodeStage) {
        self.name = name
        self.width = width
        self.stage = stage
        turn = Baton.Resource("the queue \(name)", isLock: false)
        lane = isSerial ? stage.newLane() : nil
        stage.workQueues.append(self)
    }

    private var isIdle: Bool { pending.isEmpty && running == 0 }

    // MARK: Work

    func add(_ entry: Entry) {
        if stage.isReleased {
            if case .lane(let work) = entry.start { OutsideExecutor.run(work) }
            return
        }
        guard stage.isInside else {
            guard case .lane(let work) = entry.start else { return }
            return stage.hold(entry.label, for: name, work)
        }
        var entry = entry
        if lane == nil, case .lane = entry.start { entry.laneName = stage.nextName() }
        let place = pending.firstIndex { $0.priority < entry.priority } ?? pending.endIndex
        pending.insert(entry, at: place)
        admit()
    }

    func runAndWait<T, E: Error>(
        isBarrier: Bool, _ body: () throws(E) -> T
    ) throws(E) -> T {
        if stage.isReleased { return try body() }
        guard stage.isInside else {
            stage.noteOutside("used the queue '\(name)'")
            stage.waitForEnd()
            return try body()
        }
        stage.baton.pause(next: "sync on \(name)")
        let gate = stage.baton.closedGate("a turn on \(name)")
        gate.blocker = { [turn] in turn.holder }
        if width == 1 { stage.baton.noteOrder(of: turn) }
        add(Entry(label: "sync", isBarrier: isBarrier, start: .gate(gate)))
        stage.baton.pass(gate)
        beginTurn()
        defer { finish() }
        return try body()
    }

    /// Records that the calling thread runs a piece. If the queue is serial, other threads wait for
    /// the end of the piece.
    private func beginTurn() { if width == 1 { stage.baton.hold(turn) } }

    func waitUntilIdle() {
        if stage.isReleased || !stage.isInside { return }
        stage.baton.pause(next: "wait for \(name)")
        touch()
        if isIdle { return }
        let gate = stage.baton.closedGate("the end of all on \(name)")
        idleGates.append(gate)
        stage.baton.pass(gate)
    }

    func removeAll() -> [Entry] {
        defer { pending = [] }
        return pending
    }

    // MARK: Turns

    func admit() {
        touch()
        var index = 0
        while !isSuspended, index < pending.count, running < width, !isBarrierRunning {
            let entry = pending[index]
            if entry.isBarrier, running > 0 || index > 0 { return }
            if !entry.isReady() {
                index += 1
                continue
            }
            pending.remove(at: index)
            running += 1
            isBarrierRunning = entry.isBarrier
            start(entry)
        }
    }

    private func start(_ entry: Entry) {
        switch entry.start {
        case .gate(let gate): stage.baton.open(gate)
        case .lane(let work):
            let lane = lane ?? stage.addLane(entry.laneName)
            stage.append("\(entry.label) on \(name)", to: lane) { [self] in
                beginTurn()
                work()
            }
        }
    }

    /// Records that a piece has ended. Other pieces may then begin, also on other queues.
    func finish() {
        if stage.isReleased { return }
        stage.baton.letGo(of: turn)
        running -= 1
        isBarrierRunning = false
        for queue in stage.workQueues { queue.admit() }
        if isIdle {
            for gate in idleGates { stage.baton.open(gate) }
            idleGates = []
        }
    }

    private func touch() { stage.touched.touch(.lock("the queue \(name)"), .write) }
}
