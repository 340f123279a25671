/// The clock of a schedule, with its sleeping lanes in the order in which they wake. A lane is a
/// session, a task or a queue of the explored code.
///
/// The time is simulated, so a sleep takes no real time. The schedule chooses when the first free
/// timer ends, and later free timers follow in their order. All other timers end only if no lane
/// can continue. While a test waits in a run loop, sleeps follow the system's clock, as the
/// time-outs of the run loop do.
struct CodeClock {
    enum Kind {
        /// A timer that may end although other lanes can continue.
        case free
        /// A timer that ends only if no lane can continue.
        case last
        /// A check of a condition that does not depend on a clock. The check runs only if no lane
        /// can continue.
        case look
    }

    struct Sleeper {
        let lane: Int
        let due: Duration
        let wakes: ContinuousClock.Instant
        let kind: Kind
        /// Whether the sleeper represents the time-out of a wait on the lane's thread.
        var isTimeOut = false
        /// Whether another event has already ended the wait.
        var isMoot: () -> Bool = { false }
        let work: () -> Void

        /// Whether the sleep has ended according to the system's clock.
        var isDue: Bool { ContinuousClock.now >= wakes }
    }

    private var now = Duration.zero
    private(set) var all: [Sleeper] = []
    private(set) var turns = 0

    var isEmpty: Bool { all.isEmpty }
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

    /// Adds the time-out of a wait on a lane's thread, which ends at `due` at the latest.
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

    func isNear(_ time: Duration) -> Bool { time - now < .seconds(1) }

    func due(after delay: Duration) -> Duration { now + Self.rounded(delay) }

    mutating func pass(to time: Duration) {
        guard time > now else { return }
        now = time
        turns += 1
    }

    /// Rounds a short delay up to whole milliseconds, and a longer delay up to two digits. The
    /// runtime passes only the remaining part of a delay, which varies slightly from run to run.
    static func rounded(_ delay: Duration) -> Duration {
        let milliseconds = delay / .milliseconds(1)
        if milliseconds <= 0 { return .zero }
        var unit: Int64 = 1
        // The step changes at five sixths of a power of ten: 83 ms stays 83 ms, and 84 ms becomes
        // 90 ms.
        while Double(unit) * 100 <= milliseconds * 1.2 { unit *= 10 }
        return .milliseconds(Int64((milliseconds / Double(unit)).rounded(.up)) * unit)
    }

    /// The position of a lane's first sleeper that may end now; nil if the lane has no such
    /// sleeper.
    ///
    /// - Parameter isFree: whether another lane can continue. If so, only a free timer may end.
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
    /// - Parameter isFree: whether another lane can continue. If so, only a free timer may end.
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
