/// The method by which an exploration chooses schedules.
package enum Strategy: Sendable, Equatable, CustomStringConvertible {
    /// Every schedule, if there are few. Otherwise a quick sample, and then one schedule of each
    /// class. If the number of schedules is unknown: one schedule of each class, and then the
    /// schedules with few preemptions.
    case automatic
    /// Every schedule.
    case exhaustive
    /// One schedule of each class. Schedules form one class if they differ only in the order of
    /// independent steps.
    case reduced
    /// Every schedule with at most n preemptions: switches away from a lane that could continue.
    case bounded(Int)
    /// Probabilistic concurrency testing (PCT) with `depth - 1` priority change points.
    case pct(depth: Int)
    /// Interleavings drawn with equal probability.
    case random
    /// Randomly drawn partial orders. The next step of each lane has a random priority. After a
    /// step, the steps that conflict with it get new priorities.
    case partialOrder
    /// Random schedules, each with a randomly chosen resource. All orders of the steps that touch
    /// this resource are equally likely.
    case selective
    /// Three walks (reduced, PCT and random), each with a third of the limit.
    case portfolio
    case pinned

    package static let forms = [
        "exhaustive", "reduced", "bounded:N", "pct", "pct:DEPTH", "random", "pos", "surw",
        "portfolio", "pinned", "automatic",
    ]

    /// Reads a strategy from the command line; nil if the text is not a strategy.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let number = parts.count == 2 ? Int(parts[1]) : nil
        switch (parts.first, parts.count, number) {
        case ("automatic", 1, _): self = .automatic
        case ("exhaustive", 1, _): self = .exhaustive
        case ("reduced", 1, _): self = .reduced
        case ("random", 1, _): self = .random
        case ("pos", 1, _): self = .partialOrder
        case ("surw", 1, _): self = .selective
        case ("portfolio", 1, _): self = .portfolio
        case ("pinned", 1, _): self = .pinned
        case ("pct", 1, _): self = .pct(depth: 3)
        case ("pct", 2, let depth?) where depth > 0: self = .pct(depth: depth)
        case ("bounded", 2, let bound?) where bound >= 0: self = .bounded(bound)
        default: return nil
        }
    }

    package var description: String {
        switch self {
        case .automatic: "automatic"
        case .exhaustive: "exhaustive"
        case .reduced: "reduced"
        case .bounded(let bound): "bounded:\(bound)"
        case .pct(let depth): "pct:\(depth)"
        case .random: "random"
        case .partialOrder: "pos"
        case .selective: "surw"
        case .portfolio: "portfolio"
        case .pinned: "pinned"
        }
    }
}

/// A part of an exploration. Several processes each run one shard, and their results are merged.
package struct Shard: Sendable, Equatable, CustomStringConvertible {
    /// The number of the part, from 1.
    package let index: Int
    package let count: Int

    package init?(index: Int, count: Int) {
        guard count >= 1, (1...count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1] else { return nil }
        self.init(index: index, count: count)
    }

    package var description: String { "\(index)/\(count)" }

    func owns(_ ordinal: Int) -> Bool { ordinal % count == index - 1 }
}

/// A schedule that has run.
package struct VisitedSchedule: Sendable, Equatable {
    package let path: [UInt8]
    /// The number of schedules that this schedule represents, including itself. In a reduced walk
    /// these are all schedules of its class.
    package let weight: UInt64

    package init(path: [UInt8], weight: UInt64 = 1) {
        self.path = path
        self.weight = weight
    }
}

/// How the time of an exploration is divided among its phases.
package struct TimeShares: Sendable, Equatable {
    package var reset: Duration = .zero
    package var steps: Duration = .zero
    package var observing: Duration = .zero
    package var judging: Duration = .zero

    package init() {}

    mutating func add(_ other: TimeShares) {
        reset += other.reset
        steps += other.steps
        observing += other.observing
        judging += other.judging
    }

    package var total: Duration { reset + steps + observing + judging }

    /// For example: `45 % reset, 30 % steps, 15 % observing, 10 % judging`.
    package var text: String {
        let whole = max(1, Self.nanoseconds(total))
        return [
            (reset, "reset"), (steps, "steps"), (observing, "observing"), (judging, "judging"),
        ].map { "\(Int((Self.nanoseconds($0.0) * 100 / whole).rounded())) % \($0.1)" }
            .joined(separator: ", ")
    }

    static func nanoseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
    }

    package static func rate(of schedules: Int, in time: Duration) -> Int {
        Int(Double(schedules) * 1e9 / max(1, nanoseconds(time)))
    }
}
