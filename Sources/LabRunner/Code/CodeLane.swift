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
    /// The name of the lane. It changes only in the world that runs one schedule to learn the names
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

    /// The resources that the running item (a job or block) touched in its earlier slices. A slice
    /// is the code between two choices of the schedule.
    var carried = Footprint()
    var slices = 0
    var block: String?
    /// Whether the lane's current item has done nothing yet, and its first operation will take a
    /// queue.
    var isAtQueue = false
    /// The number of timers that the lane has started. The count begins with that of the lane's
    /// creator at the moment of creation.
    var timers = 0
    /// The resource number of the task whose jobs the lane runs; nil if the lane does not serve a
    /// task. See ``Resource``.
    var task: UInt64?
    /// A lane that waits until the last item of this lane has ended. This fixes the order of the
    /// two lanes. If a task runs a part of a test, this is the lane of XCTest's thread.
    var waitingLane: Int?
    /// The resource numbers of the tasks that continue in this lane when their sleeps end.
    var wakes: [UInt64] = []
    var servesActor = false
    /// Whether the lane is a session that runs one block of a context.
    var servesBlock = false

    var isUnused: Bool { posted == 0 && slices == 0 && made == 0 }

    mutating func reset() {
        let fresh = CodeLane(name: name, runner: runner)
        self = fresh
    }
}
