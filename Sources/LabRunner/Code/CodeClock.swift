/// The sleeps of a schedule, in the order in which they end.
///
/// The clock belongs to the lab, so a sleep takes no time. The schedule decides when the first free
/// timer ends; the later free timers follow in their order. All other timers end only if no lane
/// can go on. If a test waits in a run loop, whose time-outs follow the system's clock, sleeps
/// follow that clock, too.
struct CodeClock {
    enum Kind {
        /// A timer that may end before other events that could also happen now.
        case free
        /// A timer that ends only if no lane can go on.
        case last
        /// A check of a condition that does not depend on a clock; the check runs only if no lane
        /// can go on.
        case look
    }

    struct Sleeper {
        let lane: Int
        let due: Duration
        let wakes: ContinuousClock.Instant
        let kind: Kind
        /// Whether the sleeper is the time-out of a wait of the lane's thread.
        var isTimeOut = false
        /// Whether an earlier event has ended the wait.
        var isMoot: () -> Bool = { false }
        let work: () -> Void

        /// Whether the sleep is over by the system's clock.
        var isDue: Bool { ContinuousClock.now >= wakes }
    }

    private var now = Duration.zero
    private(set) var all: [Sleeper] = []
    /// The number of times that the clock has advanced.
    private(set) var turns = 0

    var isEmpty: Bool { all.isEmpty }
    /// The sleeper that wakes next.
    var first: Sleeper? { all.first }

    mutating func add(
        _ lane: Int, after delay: Duration, _ kind: Kind, _ work: @escaping () -> Void
    ) {
        let due = now + Self.rounded(delay)
        insert(Sleeper(lane: lane, due: due, wakes: .now + delay, kind: kind, work: work))
    }

    private mutating func insert(_ sleeper: Sleeper) {
        let place = all.firstIndex { $0.due > sleeper.due } ?? all.endIndex
        all.insert(sleeper, at: place)
    }

    // MARK: Time-outs

    /// Adds the time-out of a wait: the thread of a lane waits until `due` at the latest.
    ///
    /// - Parameter isMoot: whether another event has ended the wait.
    mutating func addTimeOut(
        of lane: Int, due: Duration, _ kind: Kind, isMoot: @escaping () -> Bool
    ) {
        let wakes = ContinuousClock.now + max(due - now, .zero)
        insert(
            Sleeper(
                lane: lane, due: due, wakes: wakes, kind: kind, isTimeOut: true, isMoot: isMoot,
                work: {}))
    }

    func hasTimeOut(of lane: Int) -> Bool { all.contains { $0.isTimeOut && $0.lane == lane } }

    mutating func removeTimeOut(of lane: Int) {
        if all.isEmpty { return }
        all.removeAll { $0.isTimeOut && $0.lane == lane }
    }

    /// Whether a time is less than a second away.
    func isNear(_ time: Duration) -> Bool { time - now < .seconds(1) }

    /// The end of a delay that begins now.
    func due(after delay: Duration) -> Duration { now + Self.rounded(delay) }

    /// Moves the clock forward.
    mutating func pass(to time: Duration) {
        guard time > now else { return }
        now = time
        turns += 1
    }

    /// Rounds a delay up to the next whole millisecond, or a longer delay to two digits: the
    /// runtime passes only the rest of a delay, which is shorter by an amount that differs from run
    /// to run.
    static func rounded(_ delay: Duration) -> Duration {
        let milliseconds = delay / .milliseconds(1)
        if milliseconds <= 0 { return .zero }
        var unit: Int64 = 1
        // A delay that is up to a sixth shorter than a power of ten counts as that power.
        while Double(unit) * 100 <= milliseconds * 1.2 { unit *= 10 }
        return .milliseconds(Int64((milliseconds / Double(unit)).rounded(.up)) * unit)
    }

    /// The position of a lane's first sleeper that may end now; nil if the lane has no such
    /// sleeper.
    ///
    /// - Parameter isFree: whether another lane can go on, so that only a free timer may end.
    private func next(_ lane: Int, isFree: Bool) -> Int? {
        var first: Duration?
        for (index, sleeper) in all.enumerated() {
            if isFree, sleeper.kind == .look { continue }
            if sleeper.isMoot() { continue }
            if let first, sleeper.due > first { return nil }
            first = first ?? sleeper.due
            if sleeper.lane == lane, !isFree || sleeper.kind == .free { return index }
        }
        return nil
    }

    /// Whether a lane has a sleeper that may end now.
    ///
    /// - Parameter isFree: whether another lane can go on, so that only a free timer may end.
    func mayWake(_ lane: Int, isFree: Bool) -> Bool { next(lane, isFree: isFree) != nil }

    /// - Returns: the lane's first sleeper that may end now; nil if the lane has no such sleeper.
    mutating func wake(_ lane: Int) -> Sleeper? {
        (next(lane, isFree: true) ?? next(lane, isFree: false)).map { wake(at: $0) }
    }

    mutating func wakeFirst() -> Sleeper { wake(at: 0) }

    private mutating func wake(at index: Int) -> Sleeper {
        let sleeper = all.remove(at: index)
        pass(to: sleeper.due)
        return sleeper
    }
}
