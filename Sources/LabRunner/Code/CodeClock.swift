/// What sleeps in a schedule, in the order in which it wakes.
///
/// The clock is the lab's own, so a sleep takes no time. It may go on at any moment: the first of
/// the timers that are free is over when the schedule says so, and those behind it wait for it. All
/// others are over where nothing else can go on. Where a test waits in a run loop, whose time-outs
/// are those of the system's clock, sleeps keep to that.
struct CodeClock {
    enum Kind {
        /// A timer that may be over before what could happen meanwhile.
        case free
        /// A timer that is over where nothing else can go on.
        case last
        /// A look at what no clock decides, where nothing else can go on.
        case look
    }

    struct Sleeper {
        let lane: Int
        let due: Duration
        let wakes: ContinuousClock.Instant
        let kind: Kind
        let work: () -> Void

        /// Whether it is over by the system's clock.
        var isDue: Bool { ContinuousClock.now >= wakes }
    }

    private var now = Duration.zero
    private(set) var all: [Sleeper] = []
    /// How often the clock has gone on.
    private(set) var turns = 0

    var isEmpty: Bool { all.isEmpty }
    /// Who wakes next.
    var first: Sleeper? { all.first }

    mutating func add(
        _ lane: Int, after delay: Duration, _ kind: Kind, _ work: @escaping () -> Void
    ) {
        let due = now + Self.rounded(delay)
        let place = all.firstIndex { $0.due > due } ?? all.endIndex
        all.insert(
            Sleeper(lane: lane, due: due, wakes: .now + delay, kind: kind, work: work), at: place)
    }

    /// When a delay that begins now is over.
    func due(after delay: Duration) -> Duration { now + Self.rounded(delay) }

    /// Moves the clock forward.
    mutating func pass(to time: Duration) {
        guard time > now else { return }
        now = time
        turns += 1
    }

    /// What is left of a delay when it comes here is shorter by a little, which differs from run to
    /// run: the next whole millisecond, or two digits of a longer one.
    static func rounded(_ delay: Duration) -> Duration {
        let milliseconds = delay / .milliseconds(1)
        if milliseconds <= 0 { return .zero }
        var unit: Int64 = 1
        // A delay that is a fifth short of a power of ten counts as that.
        while Double(unit) * 100 <= milliseconds * 1.2 { unit *= 10 }
        return .milliseconds(Int64((milliseconds / Double(unit)).rounded(.up)) * unit)
    }

    /// The position of a lane's first that may be over now; nil where it has none.
    ///
    /// - Parameter isFree: whether something else can go on, so that only a free one is.
    private func next(_ lane: Int, isFree: Bool) -> Int? {
        var first: Duration?
        for (index, sleeper) in all.enumerated() {
            if isFree, sleeper.kind == .look { continue }
            if let first, sleeper.due > first { return nil }
            first = first ?? sleeper.due
            if sleeper.lane == lane, !isFree || sleeper.kind == .free { return index }
        }
        return nil
    }

    /// Whether a lane has one that may be over now.
    ///
    /// - Parameter isFree: whether something else can go on, so that only a free one is.
    func mayWake(_ lane: Int, isFree: Bool) -> Bool { next(lane, isFree: isFree) != nil }

    /// - Returns: the lane's first that may be over now; nil where it has none.
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
