/// What sleeps in a schedule, in the order in which it wakes.
///
/// The clock is the lab's own: it goes on where nothing else can, so a sleep takes no time and is
/// longer than all that could happen meanwhile. Where a test waits in a run loop, whose time-outs
/// are those of the system's clock, sleeps keep to that.
struct CodeClock {
    struct Sleeper {
        let lane: Int
        let due: Duration
        let wakes: ContinuousClock.Instant
        let work: () -> Void

        /// Whether it is over by the system's clock.
        var isDue: Bool { ContinuousClock.now >= wakes }
    }

    private var now = Duration.zero
    private(set) var all: [Sleeper] = []

    var isEmpty: Bool { all.isEmpty }
    /// Who wakes next.
    var first: Sleeper? { all.first }

    mutating func add(_ lane: Int, after delay: Duration, _ work: @escaping () -> Void) {
        // What is left of a delay when it comes here differs from run to run, by little.
        let due = now + .milliseconds(max(Int64((delay / .milliseconds(1)).rounded()), 0))
        let place = all.firstIndex { $0.due > due } ?? all.endIndex
        all.insert(
            Sleeper(lane: lane, due: due, wakes: .now + delay, work: work), at: place)
    }

    mutating func wakeFirst() -> Sleeper {
        let sleeper = all.remove(at: 0)
        now = sleeper.due
        return sleeper
    }
}
