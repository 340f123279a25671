/// One walk of an exploration: how it chooses, and how much it may run.
package struct WalkPhase: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// Depth first over all schedules, or over those with at most so many preemptions.
        case enumerate(preemptions: Int?)
        case reduce
        case sample
        /// By priorities that change at one point fewer than this.
        case prioritize(depth: Int)
        case partialOrder
        case selective
        /// A few by each of these, to see what is common.
        case scout
    }

    /// The number of the walk in its exploration.
    package let number: Int
    let kind: Kind
    /// The most schedules that it runs, with those that it gives up.
    let allowance: Int
    /// The number of the first of its draws; those before it are another walk's.
    var firstDraw = 0

    /// Whether its schedules are drawn.
    package var isDrawn: Bool { drawing != nil }

    /// Whether its end proves something about every schedule.
    package var isProof: Bool { kind == .reduce || kind == .enumerate(preemptions: nil) }

    /// The seed of what is drawn; nil where nothing is.
    func seed(in explorer: Explorer) -> UInt64? {
        switch kind {
        case .sample, .prioritize, .partialOrder, .selective, .scout: explorer.seed
        case .enumerate, .reduce: nil
        }
    }

    /// How many draws of a sample make a part.
    static let drawsOfPart = 4

    /// How many choices the parts of a depth-first walk begin with: enough parts for all, and few
    /// beside what follows them.
    func depth(in plan: SchedulePlan) -> Int {
        if kind == .reduce { return 4 }
        return plan.laneCount < 3 ? 6 : plan.laneCount < 7 ? 4 : 3
    }

    /// The most preemptions of a walk that is bounded by them.
    var bound: Int? {
        if case .enumerate(let bound) = kind { bound } else { nil }
    }

    func name(in explorer: Explorer) -> String {
        switch kind {
        case .enumerate(.none): "exhaustive"
        case .enumerate(let bound?): "bounded to \(bound) preemptions"
        case .reduce: "reduced"
        case .sample: "sample with seed \(explorer.seed)"
        case .prioritize(let depth): "PCT of depth \(depth) with seed \(explorer.seed)"
        case .partialOrder: "partial orders with seed \(explorer.seed)"
        case .selective: "selectively uniform walks with seed \(explorer.seed)"
        case .scout: "a quick sample with seed \(explorer.seed)"
        }
    }

    /// How its schedules are drawn; nil where they are enumerated.
    var drawing: Drawing? {
        switch kind {
        case .enumerate, .reduce: nil
        case .sample: .uniform
        case .prioritize(let depth): .priorities(depth: depth)
        case .partialOrder: .partialOrder
        case .selective: .selective
        case .scout: .mixed
        }
    }
}

/// The walks of an exploration, one after another: each begins where its limit has cut the one
/// before it. Whoever runs them takes the next, and tells how it ended.
package struct WalkSequence: Sendable {
    package private(set) var summary: Explorer.Summary
    private let explorer: Explorer
    private let phases: [WalkPhase]
    private var taken = 0
    private var isOver = false

    package init(_ explorer: Explorer) {
        self.explorer = explorer
        summary = Explorer.Summary(predicted: explorer.plan.prediction())
        phases = Self.steps(of: explorer, summary.predicted).enumerated().map {
            WalkPhase(number: $0, kind: $1.kind, allowance: $1.allowance)
        }
    }

    private static func steps(
        of explorer: Explorer, _ predicted: Prediction
    ) -> [(kind: WalkPhase.Kind, allowance: Int)] {
        let limit = explorer.limit
        switch explorer.strategy {
        case .exhaustive: return [(.enumerate(preemptions: nil), limit)]
        case .reduced: return [(.reduce, limit)]
        case .bounded(let bound): return [(.enumerate(preemptions: bound), limit)]
        case .pct(let depth): return [(.prioritize(depth: depth), limit)]
        case .random: return [(.sample, limit)]
        case .partialOrder: return [(.partialOrder, limit)]
        case .selective: return [(.selective, limit)]
        case .portfolio:
            let third = max(1, limit / 3)
            return [(.reduce, third), (.prioritize(depth: 3), third), (.sample, third)]
        case .automatic, .pinned: return automatic(explorer, predicted)
        }
    }

    private static func automatic(
        _ explorer: Explorer, _ predicted: Prediction
    ) -> [(kind: WalkPhase.Kind, allowance: Int)] {
        let limit = explorer.limit
        let most = min(limit, Explorer.automaticMax)
        // One schedule of each class, or those with two preemptions, which show nearly every
        // deadlock. How many there are is known only afterwards.
        if explorer.plan.isOpen {
            let scouts = explorer.scoutsFirst ? min(Explorer.openScoutMax, limit / 4) : 0
            return (scouts > 0 ? [(.scout, scouts)] : [])
                + [(.reduce, most), (.enumerate(preemptions: 2), most)]
        }
        // What is enumerated fits into the limit; deliveries may add some.
        if let count = predicted.count, count <= UInt64(most) {
            return [(.enumerate(preemptions: nil), 2 * limit)]
        }
        // A walk goes depth first, so what a large space has in its corners comes late.
        let scouts = min(Explorer.scoutMax, limit / 4)
        var steps: [(kind: WalkPhase.Kind, allowance: Int)] = [(.reduce, limit - scouts)]
        if scouts > 0 { steps.insert((.sample, scouts), at: 0) }
        return steps
    }

    /// The next walk; nil if the last one has come to its end, or there is none.
    package mutating func next() -> WalkPhase? {
        guard !isOver, taken < phases.count else { return nil }
        taken += 1
        return phases[taken - 1]
    }

    /// The walks that check a reduced one, behind which nothing is left; none where another kind of
    /// walk, or a bound, has ended it.
    ///
    /// They run every schedule where there are few, and else draw some: at least
    /// ``Explorer/checkMin``, with those that were drawn before, and a tenth of what has run.
    package var checks: [WalkPhase] {
        guard summary.isComplete, taken > 0, phases[taken - 1].kind == .reduce else { return [] }
        let drawn = phases[..<taken].reduce(0) { $0 + ($1.kind == .scout ? $1.allowance : 0) }
        let wanted = max(Explorer.checkMin, (summary.explored + summary.abandoned) / 10)
        let draws = WalkPhase(
            number: taken + 1, kind: .scout, allowance: max(0, wanted - drawn), firstDraw: drawn)
        let isSmall = summary.represented.map { $0 <= UInt64(Explorer.checkMin) } ?? false
        let all = WalkPhase(
            number: taken, kind: .enumerate(preemptions: nil), allowance: Explorer.checkMin)
        return isSmall ? [all, draws] : [draws]
    }

    /// Takes how the walk that came last has ended.
    ///
    /// - Returns: whether it says all, so that what earlier walks have shown counts for nothing.
    package mutating func take(_ ending: WalkEnding) -> Bool {
        let phase = phases[taken - 1]
        let saysAll = ending.isWhole && phase.isProof
        let isFirst = summary.explored == 0 || saysAll
        let name = phase.name(in: explorer)
        summary.strategy = isFirst ? name : "\(summary.strategy), then \(name)"
        let seed = phase.seed(in: explorer)
        summary.seed = saysAll ? nil : seed ?? summary.seed
        summary.represented = isFirst && seed == nil ? ending.represented : nil
        summary.explored = (saysAll ? 0 : summary.explored) + ending.explored
        summary.abandoned = (saysAll ? 0 : summary.abandoned) + ending.abandoned
        summary.runs += ending.explored + ending.abandoned
        summary.times.add(ending.times)
        if !ending.estimates.isEmpty {
            summary.estimate = ending.estimates.reduce(0, +) / Double(ending.estimates.count)
        }
        summary.isComplete = saysAll && explorer.shard == nil
        summary.end = end(phase, ending)
        let shard = explorer.shard.map { "shard \($0)" }
        summary.stoppedAt =
            ending.isStopped && !ending.isOutOfTime
            ? nil : summary.end.text(after: summary.explored) ?? shard
        isOver = !ending.isLimited || ending.isStopped
        return saysAll
    }

    private func end(_ phase: WalkPhase, _ ending: WalkEnding) -> WalkEnd {
        if ending.isOutOfTime { return .time }
        if ending.isLimited { return .limit }
        return phase.bound.map(WalkEnd.preemptions) ?? .whole
    }
}

/// What ends a walk.
package enum WalkEnd: Sendable, Equatable {
    /// Nothing was left.
    case whole
    case limit
    case time
    /// What is left has more preemptions.
    case preemptions(Int)

    /// Which bound that is, in words; nil if there is none.
    package func text(after explored: Int) -> String? {
        switch self {
        case .whole: nil
        case .limit: "the limit of \(explored) schedules"
        case .time: "the time budget, after \(explored) schedules"
        case .preemptions(let bound): "the bound of \(bound) preemptions"
        }
    }

    /// One word.
    package var name: String {
        switch self {
        case .whole: "whole"
        case .limit: "limit"
        case .time: "time"
        case .preemptions(let bound): "\(bound)"
        }
    }

    /// Reads a word; nil if it is none.
    package init?(_ name: String) {
        switch name {
        case "whole": self = .whole
        case "limit": self = .limit
        case "time": self = .time
        default:
            guard let bound = Int(name) else { return nil }
            self = .preemptions(bound)
        }
    }
}
