/// Where a schedule runs. The runner's worlds drive the engine; tests use worlds of numbers.
package protocol ScheduleWorld: AnyObject {
    associatedtype Failure: Error

    /// Puts everything back to the start.
    func reset() throws(Failure)

    /// Runs the next step of a session, or the oldest entry of a mailbox.
    func run(lane: Int) throws(Failure)

    /// Runs lanes one after another.
    ///
    /// - Parameter next: chooses the first lane, and after each the one behind it; nil ends it. It
    ///   is called on whatever thread has run the last one.
    func run(choosing next: () throws(Failure) -> Int?) throws(Failure)

    /// How many entries wait in a mailbox; the number counts mailboxes, not lanes.
    func waiting(inMailbox mailbox: Int) -> Int

    /// One bit for each of the first mailboxes in which something waits.
    func filledMailboxes(of count: Int) -> UInt64

    /// The name of what a lane would run next (`w2`, `~m(B1→V)#2`), or nil if nothing waits.
    func nextName(lane: Int) -> String?

    /// The schedule has come to its end; nothing is runnable.
    func finish() throws(Failure)

    /// Whether ``run(lane:)`` records what it touches. The reduced walk turns it on.
    var recordsFootprints: Bool { get set }

    /// What the last step touched, while footprints are recorded.
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

    /// Runs lanes one after another, each by itself.
    package func runOneByOne(_ next: () throws(Failure) -> Int?) throws(Failure) {
        while let lane = try next() { try run(lane: lane) }
    }
}
