/// How long an explorer waits for a thread that may wait for something unknown to the lab.
struct Patience {
    /// The interval between two checks.
    static let look = Duration.milliseconds(100)

    let limit: Duration
    /// Returns whether the thread will certainly not hand the baton back by itself; called at each
    /// check.
    let isVain: () -> Bool

    /// Waits for a signal.
    ///
    /// - Parameters:
    ///   - turns: the number of turns so far; each turn gets the whole time.
    ///   - thread: the system's number of the thread whose turn it is.
    /// - Returns: whether the signal came in time.
    func wait(for signal: TurnSignal, turns: () -> Int, thread: () -> Int32) -> Bool {
        var standstill = Standstill(turns: turns())
        repeat {
            if signal.wait(milliseconds: Int(Self.look / .milliseconds(1))) { return true }
            if isVain() { return false }
            standstill.note(Self.look, turns: turns(), thread: thread)
        } while standstill.time < limit
        return false
    }
}

/// The time of one turn of a thread, as the sum of the intervals between checks: unlike a clock,
/// the sum does not grow while the machine is suspended. The time for which the thread waits for a
/// core does not count, so no turn is given up because the machine is busy.
struct Standstill {
    private var turns: Int
    /// Created at the first check, because nearly all turns end before that check.
    private var clock: ThreadClock?
    private(set) var time = Duration.zero

    /// - Parameter turns: the number of turns so far.
    init(turns: Int) { self.turns = turns }

    /// Adds the time since the last check.
    ///
    /// - Parameters:
    ///   - turns: the number of turns by now.
    ///   - thread: the system's number of the thread whose turn it is.
    mutating func note(_ look: Duration, turns: Int, thread: () -> Int32) {
        if turns != self.turns {
            (self.turns, clock, time) = (turns, ThreadClock(thread()), .zero)
        } else if clock == nil {
            (clock, time) = (ThreadClock(thread()), time + look)
        } else {
            time += clock?.pass(look) ?? look
        }
    }
}
