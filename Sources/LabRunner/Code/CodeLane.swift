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

/// A session, or the server of queues.
struct CodeLane {
    let name: String
    var waiting: [CodeItem] = []
    var posted = 0
    /// The thread that runs its items; made where it is needed first.
    var runner: Int?
    /// How many turns there were when its thread, which waits for something that the lab does
    /// not know, looked last.
    var seen: Int?
    /// Looks whether that has come.
    var poll: (() -> Bool)?
    var hasCome = false
    /// What the item that runs has touched before its last pause.
    var carried = Footprint()
    /// How often it has gone on in this schedule.
    var slices = 0
    /// The block that it runs.
    var block: String?
    /// Its item has done nothing yet, and the first thing that it does is to ask for a queue.
    var isAtQueue = false
    /// It is a session that is one block of a context.
    var servesBlock = false

    mutating func endWait() {
        seen = nil
        poll = nil
        hasCome = false
    }
}
