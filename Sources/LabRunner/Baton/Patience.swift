/// Limits the duration of a thread's turn, which is the time for which the thread holds the baton.
/// A thread may exceed the limit because it waits for an event that the lab does not know.
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

/// Measures how long the current turn of a thread has lasted, as the sum of the intervals between
/// checks. The time for which the machine is suspended does not count. Nor does the time for which
/// the thread waits for a core; otherwise turns would be given up on a busy machine.
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
