import LabSchedule

/// A piece of work that a lane will run.
struct CodeItem {
    let label: String
    /// The number of the item among those of the lane, from 1.
    let number: Int
    /// Whether it is a block of a context.
    let isBlock: Bool
    /// Whether it is a session that consists of a block.
    let isSessionBlock: Bool
    let work: () -> Void
}

/// A session, a task, or the server of a queue.
struct CodeLane {
    /// The name of the lane; it changes only in a scout, which learns the names of its sessions
    /// late.
    var name: String
    /// The number of queues and lanes that it has created in this schedule.
    var made = 0
    var waiting: [CodeItem] = []
    var posted = 0
    /// The thread that runs its items; created at its first use.
    var runner: Int?

    init(name: String, runner: Int? = nil) {
        self.name = name
        self.runner = runner
    }

    /// The touches of the running item before its last pause.
    var carried = Footprint()
    /// How often it has gone on in this schedule.
    var slices = 0
    /// The block that it runs.
    var block: String?
    /// Its item has done nothing yet, and its first operation is to ask for a queue.
    var isAtQueue = false
    /// The number of timers that the lane and its creators before it have started.
    var timers = 0
    /// The footprint's number of the task whose jobs it runs; nil for a session and others.
    var task: UInt64?
    /// The footprint's numbers of the tasks whose sleep ends here.
    var wakes: [UInt64] = []
    /// Whether it runs jobs of an actor.
    var servesActor = false
    /// Whether it is a session that consists of one block of a context.
    var servesBlock = false

    /// Whether it has had nothing to do in this schedule.
    var isUnused: Bool { posted == 0 && slices == 0 && made == 0 }

    /// Forgets the previous schedule; the thread stays.
    mutating func reset() {
        let fresh = CodeLane(name: name, runner: runner)
        self = fresh
    }
}
