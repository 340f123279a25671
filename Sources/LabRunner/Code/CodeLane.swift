import LabSchedule

/// Something that a lane will run.
struct CodeItem {
    let label: String
    /// Counts what the lane has got, from 1.
    let number: Int
    /// It is a block of a context.
    let isBlock: Bool
    /// It is a session that is one.
    let isSessionBlock: Bool
    let work: () -> Void
}

/// A session, a task, or the server of a queue.
struct CodeLane {
    /// Names the lane; only a scout, which learns the names of its sessions late, changes it.
    var name: String
    /// How many queues and lanes it has made in this schedule.
    var made = 0
    var waiting: [CodeItem] = []
    var posted = 0
    /// The thread that runs its items; made where it is needed first.
    var runner: Int?

    init(name: String, runner: Int? = nil) {
        self.name = name
        self.runner = runner
    }

    /// What the item that runs has touched before its last pause.
    var carried = Footprint()
    /// How often it has gone on in this schedule.
    var slices = 0
    /// The block that it runs.
    var block: String?
    /// Its item has done nothing yet, and the first thing that it does is to ask for a queue.
    var isAtQueue = false
    /// How many timers it has started, and those that have made it before.
    var timers = 0
    /// What footprints call the task whose jobs it runs; nil for a session and others.
    var task: UInt64?
    /// It runs jobs of an actor.
    var servesActor = false
    /// It is a session that is one block of a context.
    var servesBlock = false

    /// Whether it has had nothing to do in this schedule.
    var isUnused: Bool { posted == 0 && slices == 0 && made == 0 }

    /// Forgets the schedule before; its thread stays.
    mutating func reset() {
        let fresh = CodeLane(name: name, runner: runner)
        self = fresh
    }
}
