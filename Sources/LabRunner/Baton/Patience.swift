/// The time limit for a thread's turn. A thread may exceed the limit because it waits for an event
/// that the lab does not know.
struct Patience {
    static let look = Duration.milliseconds(100)

    let limit: Duration
    /// Returns whether the thread will certainly never return the baton; called at each check.
    let isVain: () -> Bool

    /// Waits for a signal.
    ///
    /// - Parameters:
    ///   - turns: returns the number of turns so far; the time limit applies to each turn
    ///     separately.
    ///   - thread: returns the thread ID of the thread whose turn it is.
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

/// Measures the duration of one turn of a thread, as the sum of the intervals between checks. The
/// duration excludes the time for which the machine is suspended. It also excludes the time for
/// which the thread waits for a core, so a busy machine does not cause a turn to be given up.
struct Standstill {
    private var turns: Int
    /// Created at the first check, because nearly all turns end before it.
    private var clock: ThreadClock?
    private(set) var time = Duration.zero

    /// - Parameter turns: the number of turns so far.
    init(turns: Int) { self.turns = turns }

    /// Adds the time since the last check.
    ///
    /// - Parameters:
    ///   - turns: the current number of turns.
    ///   - thread: returns the thread ID of the thread whose turn it is.
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
