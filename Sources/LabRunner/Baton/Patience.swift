/// How long an explorer waits for a thread that may wait for something which nobody here knows.
struct Patience {
    /// How long to wait between two looks.
    static let look = Duration.milliseconds(100)

    let limit: Duration
    /// Whether it is known by now that the thread will not come back by itself; asked at each look.
    let isVain: () -> Bool

    /// Waits for a signal.
    ///
    /// - Parameters:
    ///   - turns: how many turns there have been; each gets the whole time.
    ///   - thread: the number of the thread whose turn it is, as the system knows it.
    /// - Returns: whether it was signalled in time.
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

/// How long a thread has had one turn: looks at it are added up, for a clock goes on while the
/// machine stands still. The time that the thread waits for a core does not count, so that a busy
/// machine takes nobody's patience.
struct Standstill {
    private var turns: Int
    /// Made at the first look, because nearly all turns end before it.
    private var clock: ThreadClock?
    private(set) var time = Duration.zero

    /// - Parameter turns: how many turns there have been.
    init(turns: Int) { self.turns = turns }

    /// Adds the time since the last look.
    ///
    /// - Parameters:
    ///   - turns: how many turns there have been by now.
    ///   - thread: the number of the thread whose turn it is, as the system knows it.
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
