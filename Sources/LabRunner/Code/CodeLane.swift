import LabSchedule

/// A piece of work that a lane will run.
struct CodeItem {
    let label: String
    let number: Int
    let isBlock: Bool
    /// Whether the item is a session that consists of a block.
    let isSessionBlock: Bool
    let work: () -> Void
}

/// The state of a lane: a session, a task, or the server of a queue.
struct CodeLane {
    /// The name of the lane. It changes only in a world that runs one schedule to learn the names
    /// of the sessions.
    var name: String
    var made = 0
    var waiting: [CodeItem] = []
    var posted = 0
    /// The thread that runs the lane's items; created when the lane first needs it.
    var runner: Int?

    init(name: String, runner: Int? = nil) {
        self.name = name
        self.runner = runner
    }

    /// The resources that the running item (a job or block) has touched in its earlier slices. A
    /// slice is the code between two choices of the schedule.
    var carried = Footprint()
    var slices = 0
    var block: String?
    /// Whether the lane's current item has done nothing yet and will first take a queue.
    var isAtQueue = false
    /// The number of timers that the lane has started, plus those that its creators had started
    /// before they created the lane.
    var timers = 0
    /// The resource number of the task whose jobs the lane runs; nil if the lane does not serve a
    /// task. See ``Resource``.
    var task: UInt64?
    /// The lane that waits until the last item of this lane has ended, so that the order of the two
    /// lanes is fixed. For a task that runs a part of a test, this is the lane of XCTest's thread.
    var waitingLane: Int?
    /// The resource numbers of the tasks that continue in this lane after a sleep.
    var wakes: [UInt64] = []
    var servesActor = false
    /// Whether the lane is a session that consists of one block of a context.
    var servesBlock = false

    var isUnused: Bool { posted == 0 && slices == 0 && made == 0 }

    mutating func reset() {
        let fresh = CodeLane(name: name, runner: runner)
        self = fresh
    }
}
