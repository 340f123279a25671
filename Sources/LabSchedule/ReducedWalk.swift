/// The reduced walk, which runs one schedule of each class of equivalent schedules. It uses source
/// sets and sleep sets over recorded footprints (Abdulla, Aronis, Jonsson and Sagonas, 2014).
///
/// Each step that has run is compared with earlier steps. If two steps conflict and no step between
/// them fixes their order, the walk later returns to the earlier step and tries the other order. A
/// lane that was tried at a state then sleeps in the other branches from there: it is not tried
/// again until a conflicting step wakes it. So no class runs to its end twice.
///
/// At the first few choices, the walk tries every lane. So worlds and shards can divide the paths
/// below these choices among them.
struct ReducedWalk: ScheduleWalk {
    struct Event {
        let runnable: UInt64
        /// Lanes to try in the state before this event. Later events may add lanes.
        var backtrack: UInt64
        /// Lanes that need not be tried in this state, because other paths cover them.
        var asleep: [(lane: Int, footprint: Footprint)]
        var lane: Int
        var footprint = Footprint()
        var position = 0
        /// Events that happen before this one.
        var before: EventSet = EventSet()
    }

    let plan: SchedulePlan
    let wholeDepth: Int
    private(set) var events: [Event] = []
    private var woken: [(lane: Int, footprint: Footprint)] = []

    init(plan: SchedulePlan, wholeDepth: Int) {
        self.plan = plan
        self.wholeDepth = wholeDepth
    }

    var count: Int { events.count }

    func lane(at position: Int) -> Int { events[position].lane }

    func copied() -> ReducedWalk {
        var copy = self
        copy.events = events.map { $0.copied() }
        copy.woken = woken.map { ($0.lane, $0.footprint.copied()) }
        return copy
    }

    mutating func next(_ runnable: UInt64) -> Int? {
        noteDisabled(runnable)
        let awake = runnable & ~Self.lanes(of: woken)
        guard awake != 0 else { return nil }
        let lane = awake.trailingZeroBitCount
        let backtrack = events.count < wholeDepth ? runnable : 1 << UInt64(lane)
        events.append(
            Event(runnable: runnable, backtrack: backtrack, asleep: woken, lane: lane))
        return lane
    }

    /// The last event may have disabled a lane, for example by taking a lock that the lane needs.
    /// If so, the walk will also try this lane before the event.
    private mutating func noteDisabled(_ runnable: UInt64) {
        guard let last = events.indices.last else { return }
        let others = events[last].runnable & ~(1 << UInt64(events[last].lane))
        events[last].backtrack |= others & ~runnable
    }

    mutating func advance(keeping fixed: Int) -> Bool {
        while events.count > fixed, var last = events.popLast() {
            last.asleep.append((last.lane, last.footprint))
            let left = last.backtrack & ~Self.lanes(of: last.asleep)
            guard left != 0 else { continue }
            last.lane = left.trailingZeroBitCount
            last.before = EventSet()
            events.append(last)
            return true
        }
        return false
    }

    /// Records the footprint of the last event. Earlier events that conflict with it will also run
    /// in the other order. Lanes that conflict with it wake up.
    mutating func ran(_ touched: () -> Footprint) {
        let footprint = touched()
        let last = events.count - 1
        let lane = events[last].lane
        events[last].footprint = footprint
        events[last].position = events[..<last].count { $0.lane == lane }
        for earlier in (0..<last).reversed() where !events[last].before.contains(earlier) {
            let relation = relation(of: earlier, to: last)
            guard relation != .independent else { continue }
            if relation == .race { reverse(earlier, last) }
            events[last].before.insert(earlier)
            events[last].before.formUnion(events[earlier].before)
        }
        woken = events[last].asleep.filter { !$0.footprint.conflicts(with: footprint) }
    }

    private enum Relation { case independent, ordered, race }

    private func relation(of earlier: Int, to later: Int) -> Relation {
        let (one, other) = (events[earlier], events[later])
        if one.lane == other.lane { return .ordered }
        let isKept = plan.orders.contains {
            $0.lane == other.lane && $0.position == other.position && $0.requiredLane == one.lane
                && $0.requiredPosition == one.position
        }
        if isKept || other.footprint.requires(one.footprint) { return .ordered }
        return one.footprint.conflicts(with: other.footprint) ? .race : .independent
    }

    /// The walk must also run the two events in the other order. So it must try, in place of the
    /// earlier event, a lane that leads to the later event.
    private mutating func reverse(_ earlier: Int, _ later: Int) {
        var initials: UInt64 = 0
        var first: Int?
        var suffix: [Int] = []
        for index in (earlier + 1)...later
        where index == later || !events[index].before.contains(earlier) {
            if !suffix.contains(where: { events[index].before.contains($0) }) {
                initials |= 1 << UInt64(events[index].lane)
                first = first ?? events[index].lane
            }
            suffix.append(index)
        }
        guard initials & events[earlier].backtrack == 0 else { return }
        let usable = first.map { 1 << UInt64($0) & events[earlier].runnable } ?? 0
        // If the first lane cannot run yet, the walk must try all runnable lanes.
        events[earlier].backtrack |= usable == 0 ? events[earlier].runnable : usable
    }

    private static func lanes(of sleepers: [(lane: Int, footprint: Footprint)]) -> UInt64 {
        sleepers.reduce(0) { $0 | 1 << UInt64($1.lane) }
    }
}

extension ReducedWalk.Event {
    fileprivate func copied() -> Self {
        var copy = self
        copy.asleep = asleep.map { ($0.lane, $0.footprint.copied()) }
        copy.footprint = footprint.copied()
        copy.before = before.copied()
        return copy
    }
}

/// A set of positions in a path.
struct EventSet: Equatable {
    private var words: [UInt64] = []

    fileprivate func copied() -> EventSet {
        var copy = self
        copy.words = words.map(\.self)
        return copy
    }

    func contains(_ event: Int) -> Bool {
        let word = event >> 6
        return word < words.count && words[word] & (1 << UInt64(event & 63)) != 0
    }

    mutating func insert(_ event: Int) {
        let word = event >> 6
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(event & 63)
    }

    mutating func formUnion(_ other: EventSet) {
        while words.count < other.words.count { words.append(0) }
        for index in other.words.indices { words[index] |= other.words[index] }
    }
}
