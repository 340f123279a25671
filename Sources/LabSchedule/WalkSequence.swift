/// One walk of an exploration, with its method and its maximum number of runs.
package struct WalkPhase: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// Depth first over all schedules, or over those with at most this number of preemptions.
        case enumerate(preemptions: Int?)
        case reduce
        case sample
        /// By priorities, which change at `depth - 1` points.
        case prioritize(depth: Int)
        case partialOrder
        case selective
        /// A few schedules by each sampling method, to find common outcomes.
        case scout
    }

    package let number: Int
    let kind: Kind
    /// The maximum number of schedules that it runs, including abandoned ones.
    let allowance: Int
    /// The number of the walk's first draw. Earlier walks use the draws before it.
    var firstDraw = 0

    package var isDrawn: Bool { drawing != nil }

    /// Whether completing the walk proves a statement about all schedules.
    package var isProof: Bool { kind == .reduce || kind == .enumerate(preemptions: nil) }

    func seed(in explorer: Explorer) -> UInt64? {
        switch kind {
        case .sample, .prioritize, .partialOrder, .selective, .scout: explorer.seed
        case .enumerate, .reduce: nil
        }
    }

    static let drawsOfPart = 4

    /// The number of choices that all paths of one part have in common. A larger number creates
    /// more parts, but it must be small compared with the length of a path.
    func depth(in plan: SchedulePlan) -> Int {
        if kind == .reduce { return 4 }
        return plan.laneCount < 3 ? 6 : plan.laneCount < 7 ? 4 : 3
    }

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

/// The walks of an exploration, one after another. A walk begins if the previous walk has reached
/// its limit. The caller runs each walk, and reports how it ended.
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
        // The number of schedules is not known in advance. The walk first runs one schedule of each
        // class. If there are too many classes, it runs the schedules with at most two preemptions.
        // These show nearly every deadlock.
        if explorer.plan.isOpen {
            let scouts = explorer.scoutsFirst ? min(Explorer.openScoutMax, limit / 4) : 0
            return (scouts > 0 ? [(.scout, scouts)] : [])
                + [(.reduce, most), (.enumerate(preemptions: 2), most)]
        }
        // The allowance is larger than the limit, because deliveries may add some schedules to the
        // predicted number.
        if let count = predicted.count, count <= UInt64(most) {
            return [(.enumerate(preemptions: nil), 2 * limit)]
        }
        // A depth-first walk changes the last choices first. In a large space it would reach the
        // first choices only late, so a sample comes first.
        let scouts = min(Explorer.scoutMax, limit / 4)
        var steps: [(kind: WalkPhase.Kind, allowance: Int)] = [(.reduce, limit - scouts)]
        if scouts > 0 { steps.insert((.sample, scouts), at: 0) }
        return steps
    }

    /// The next walk; nil if the last walk was complete, or if no walk is left.
    package mutating func next() -> WalkPhase? {
        guard !isOver, taken < phases.count else { return nil }
        taken += 1
        return phases[taken - 1]
    }

    /// The walks that check a complete reduced walk. Empty if the last walk was of another kind, or
    /// if a bound ended it.
    ///
    /// If there are few schedules, the walks run all of them. Otherwise they draw schedules. The
    /// number of draws, including earlier ones, is at least ``Explorer/checkMin``. It is also at
    /// least a tenth of the number of schedules that have run.
    package var checks: [WalkPhase] {
        guard summary.isComplete, taken > 0, phases[taken - 1].kind == .reduce else { return [] }
        let drawn = phases[..<taken].reduce(0) { $0 + ($1.kind == .scout ? $1.allowance : 0) }
        let wanted = max(explorer.checkMin, (summary.explored + summary.abandoned) / 10)
        let draws = WalkPhase(
            number: taken + 1, kind: .scout, allowance: max(0, wanted - drawn), firstDraw: drawn)
        let isSmall = summary.represented.map { $0 <= UInt64(explorer.checkMin) } ?? false
        let all = WalkPhase(
            number: taken, kind: .enumerate(preemptions: nil), allowance: explorer.checkMin)
        return isSmall ? [all, draws] : [draws]
    }

    /// Records how the last walk ended.
    ///
    /// - Returns: whether the walk covers all schedules, so that the results of earlier walks are
    ///   dropped.
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

/// A reason for the end of a walk.
package enum WalkEnd: Sendable, Equatable {
    /// No schedule was left.
    case whole
    case limit
    case time
    /// The walk has run all schedules within its bound; the remaining ones have more preemptions.
    case preemptions(Int)

    package func text(after explored: Int) -> String? {
        switch self {
        case .whole: nil
        case .limit: "the limit of \(explored) schedules"
        case .time: "the time budget, after \(explored) schedules"
        case .preemptions(let bound): "the bound of \(bound) preemptions"
        }
    }

    package var name: String {
        switch self {
        case .whole: "whole"
        case .limit: "limit"
        case .time: "time"
        case .preemptions(let bound): "\(bound)"
        }
    }

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
