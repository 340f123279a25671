/// Walks over all schedules, or over those with few preemptions (switches away from a lane that
/// could continue).
struct FullWalk: ScheduleWalk {
    private struct Choice {
        var lane: Int
        var untried: UInt64
        var preemptions: Int
        /// The previous lane, if it could have continued; otherwise nil.
        var resumable: Int?
    }

    /// The maximum number of preemptions; nil for no limit.
    private let bound: Int?
    private var choices: [Choice] = []

    init(bound: Int?) {
        self.bound = bound
    }

    var count: Int { choices.count }

    func lane(at position: Int) -> Int { choices[position].lane }

    /// Chooses the lowest runnable lane. If the bound on preemptions is reached, chooses the
    /// previous lane as long as it can continue.
    mutating func next(_ runnable: UInt64) -> Int? {
        guard runnable != 0 else { return nil }
        let last = choices.last
        let spent = last?.preemptions ?? 0
        let resumable = last.map(\.lane).flatMap { runnable & (1 << UInt64($0)) != 0 ? $0 : nil }
        var lanes = runnable
        if let bound, let resumable, spent >= bound { lanes = 1 << UInt64(resumable) }
        let lane = lanes.trailingZeroBitCount
        choices.append(
            Choice(
                lane: lane, untried: lanes & (lanes - 1), preemptions: spent, resumable: resumable))
        count(before: spent)
        return lane
    }

    mutating func ran(_: () -> Footprint) {}

    mutating func advance(keeping fixed: Int) -> Bool {
        while choices.count > fixed, let last = choices.popLast() {
            guard last.untried != 0 else { continue }
            let lane = last.untried.trailingZeroBitCount
            let spent = choices.last?.preemptions ?? 0
            choices.append(
                Choice(
                    lane: lane, untried: last.untried & (last.untried - 1), preemptions: spent,
                    resumable: last.resumable))
            count(before: spent)
            return true
        }
        return false
    }

    private mutating func count(before spent: Int) {
        let last = choices.count - 1
        let isPreemption = choices[last].resumable.map { $0 != choices[last].lane } ?? false
        choices[last].preemptions = spent + (isPreemption ? 1 : 0)
    }

    func weight() -> UInt64 { 1 }

    func copied() -> FullWalk {
        var copy = self
        copy.choices = choices.map(\.self)
        return copy
    }
}
