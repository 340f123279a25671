/// An environment in which schedules run. The runner's worlds drive the engine; tests use simulated
/// worlds without the engine.
package protocol ScheduleWorld: AnyObject {
    associatedtype Failure: Error

    /// Resets the world to the start of a schedule.
    func reset() throws(Failure)

    /// Runs the next step of a session, or the oldest entry of a mailbox.
    func run(lane: Int) throws(Failure)

    /// Runs lanes one after another.
    ///
    /// - Parameter next: chooses the first lane, and the next one after each step; nil ends the
    ///   run. It is called on the thread that ran the previous step.
    func run(choosing next: () throws(Failure) -> Int?) throws(Failure)

    /// The number of entries in a mailbox; the index counts mailboxes, not lanes.
    func waiting(inMailbox mailbox: Int) -> Int

    /// A bit mask of the first `count` mailboxes, with a bit for each mailbox that is not empty.
    func filledMailboxes(of count: Int) -> UInt64

    /// The name of a lane's next step (`w2`, `~m(B1→V)#2`), or nil if it has none.
    func nextName(lane: Int) -> String?

    /// Ends the schedule, when no lane is runnable.
    func finish() throws(Failure)

    /// Whether ``run(lane:)`` records the footprint of the step. The reduced walk sets this
    /// property.
    var recordsFootprints: Bool { get set }

    /// The footprint of the last step, while footprints are recorded.
    var footprint: Footprint { get }
}

extension ScheduleWorld {
    package func filledMailboxes(of count: Int) -> UInt64 {
        var filled: UInt64 = 0
        for mailbox in 0..<count where waiting(inMailbox: mailbox) > 0 {
            filled |= 1 << UInt64(mailbox)
        }
        return filled
    }

    package func run(choosing next: () throws(Failure) -> Int?) throws(Failure) {
        try runOneByOne(next)
    }

    package func runOneByOne(_ next: () throws(Failure) -> Int?) throws(Failure) {
        while let lane = try next() { try run(lane: lane) }
    }
}
