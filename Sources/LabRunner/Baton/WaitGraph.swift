import ContextHistory
import LabCheck
import LabSchedule

/// A deadlock: a cycle of threads in which each thread holds the resource for which the previous
/// thread waits.
struct Deadlock: Sendable {
    struct Side: Sendable {
        let thread: String
        let holds: [String]
        let waitsFor: String
        let holder: String
        let stack: [String]
    }

    let sides: [Side]

    init(_ cycle: [Baton.Runner]) {
        sides = cycle.enumerated().map { index, runner in
            var resource = ""
            if case .waiting(let wanted) = runner.state { resource = wanted.name }
            return Side(
                thread: runner.name, holds: runner.held.map(\.name), waitsFor: resource,
                holder: cycle[(index + 1) % cycle.count].name, stack: runner.frames)
        }
    }

    func detection(step: String) -> Detection {
        let prose = sides.map {
            "\($0.thread) holds \($0.holds.joined(separator: " and ")) and waits for"
                + " \($0.waitsFor), which \($0.holder) holds"
        }
        let stacks = sides.map { side in
            "\(side.thread): " + side.stack.joined(separator: " > ")
                + " > waits for \(side.waitsFor)"
        }
        return Detection(
            name: "deadlock", prose: prose.joined(separator: "; ") + ". None can go on.",
            evidence: stacks, step: step)
    }
}

/// The orders in which threads took queues and locks, in one schedule or in all schedules of a cell
/// of the matrix. Two threads that take two locks in opposite orders can deadlock, even if no
/// schedule has shown the deadlock.
struct LockOrder: Sendable {
    struct Edge: Hashable, Sendable {
        let held: String
        let wanted: String

        var reversed: Edge { Edge(held: wanted, wanted: held) }
    }

    struct Witness: Hashable, Sendable {
        let thread: String
        let stack: [String]
        /// The other resources that the thread held. Two threads that hold the same guard cannot
        /// deadlock on this pair of locks.
        let guards: Set<String>

        fileprivate func isBefore(_ other: Witness) -> Bool {
            if thread != other.thread { return thread < other.thread }
            if stack != other.stack { return stack.joined() < other.stack.joined() }
            return guards.sorted().joined() < other.guards.sorted().joined()
        }
    }

    /// A request for a queue or lock by a thread that already holds another one.
    struct Taking {
        let edge: Edge
        let witness: Witness

        /// - Parameter frame: the operation that takes the lock, if the runner's frames do not
        ///   contain it yet.
        init(
            _ held: Baton.Resource, _ wanted: Baton.Resource, _ runner: Baton.Runner,
            _ frame: String? = nil
        ) {
            edge = Edge(held: held.name, wanted: wanted.name)
            let guards = runner.held.lazy.map(\.name).filter { $0 != held.name }
            let stack = runner.frames + (frame.map { [$0] } ?? [])
            witness = Witness(thread: runner.name, stack: stack, guards: Set(guards))
        }
    }

    /// Two threads that take two locks in opposite orders and do not have a common guard.
    struct Inversion {
        let detection: Detection
        /// A schedule that shows one of the two orders; empty for the orders of a single schedule.
        let path: [UInt8]
    }

    /// The witnesses of each order of two locks, each with the first schedule that showed it. The
    /// schedule is nil if this value describes only one schedule.
    private var edges: [Edge: [Witness: RankedSchedule?]] = [:]

    init() {}

    init(_ takings: [Taking]) {
        for taking in takings {
            edges[taking.edge, default: [:]].updateValue(nil, forKey: taking.witness)
        }
    }

    /// Adds the orders that a later schedule has shown.
    mutating func formUnion(_ other: LockOrder, of schedule: RankedSchedule) {
        for (edge, witnesses) in other.edges {
            for witness in witnesses.keys where edges[edge]?[witness] == nil {
                edges[edge, default: [:]][witness] = schedule
            }
        }
    }

    /// Adds the orders that later schedules have shown.
    mutating func formUnion(_ other: LockOrder) {
        for (edge, witnesses) in other.edges {
            edges[edge, default: [:]].merge(witnesses) { mine, _ in mine }
        }
    }

    /// Adds the orders that other schedules have shown, each with the earliest schedule.
    mutating func formRankedUnion(_ other: LockOrder) {
        for (edge, witness, schedule) in other.witnessed { add(edge, witness, schedule) }
    }

    /// Adds a witness, unless an earlier schedule has already shown it.
    mutating func add(_ edge: Edge, _ witness: Witness, _ schedule: RankedSchedule) {
        if let known = edges[edge]?[witness] ?? nil, known.rank < schedule.rank { return }
        edges[edge, default: [:]][witness] = schedule
    }

    /// All witnesses with their schedules, in an order that does not vary between processes.
    var witnessed: [(edge: Edge, witness: Witness, schedule: RankedSchedule)] {
        edges.keys.sorted { ($0.held, $0.wanted) < ($1.held, $1.wanted) }.flatMap { edge in
            (edges[edge] ?? [:]).sorted { $0.key.isBefore($1.key) }.compactMap {
                witness, schedule in schedule.map { (edge, witness, $0) }
            }
        }
    }

    func before(_ end: ScheduleRank) -> LockOrder {
        var earlier = LockOrder()
        earlier.edges = edges.mapValues { witnesses in
            witnesses.filter { $0.value.map { $0.rank < end } ?? true }
        }.filter { !$0.value.isEmpty }
        return earlier
    }

    /// One inversion for each pair of locks. The choice does not depend on the order of the
    /// schedules.
    func inversions() -> [Inversion] {
        let opposite = edges.keys.filter {
            $0.held < $0.wanted && edges[$0.reversed] != nil
        }
        return opposite.sorted { ($0.held, $0.wanted) < ($1.held, $1.wanted) }.compactMap { edge in
            let back = witnesses(edge.reversed)
            for (one, _) in witnesses(edge) {
                for (other, path) in back
                where one.thread != other.thread && one.guards.isDisjoint(with: other.guards) {
                    return Inversion(detection: Self.detection(edge, one, other), path: path)
                }
            }
            return nil
        }
    }

    private func witnesses(_ edge: Edge) -> [(Witness, [UInt8])] {
        (edges[edge] ?? [:]).sorted { $0.key.isBefore($1.key) }
            .map { ($0.key, $0.value?.path ?? []) }
    }

    private static func detection(_ edge: Edge, _ one: Witness, _ other: Witness) -> Detection {
        Detection(
            name: "potential deadlock",
            prose: "\(one.thread) takes \(edge.held) and then \(edge.wanted); \(other.thread) takes"
                + " \(edge.wanted) and then \(edge.held). If each thread holds its first"
                + " resource, neither gets its second.",
            evidence: [
                "\(one.thread): \(one.stack.joined(separator: " > "))",
                "\(other.thread): \(other.stack.joined(separator: " > "))",
            ], step: other.stack.first ?? other.thread)
    }

    /// The argument that no schedule can deadlock; nil if the order contains a cycle.
    ///
    /// - Parameter isComplete: whether the order covers all schedules. An order that covers only
    ///   some schedules proves nothing about the others.
    func argument(isComplete: Bool) -> String? {
        guard let line = sorted() else { return nil }
        let begin = isComplete ? "" : "In the schedules that ran: "
        let end = isComplete ? "" : " Others may take other orders."
        if line.isEmpty {
            return begin + "No thread ever held one queue or lock and waited for another." + end
        }
        let pairs = edges.keys.map { "\($0.held) then \($0.wanted)" }.sorted()
        return begin + "Every thread took queues and locks in the order"
            + " \(line.joined(separator: ", ")) (\(pairs.joined(separator: "; "))). Waits that"
            + " follow one order cannot form a cycle"
            + (isComplete ? ", so no schedule deadlocks." : ".")
            + end
    }

    /// The locks in an order that is consistent with all edges; nil if there is a cycle.
    private func sorted() -> [String]? {
        var next: [String: Set<String>] = [:]
        for edge in edges.keys { next[edge.held, default: []].insert(edge.wanted) }
        var left = Set(next.keys).union(next.values.flatMap(\.self))
        var line: [String] = []
        while !left.isEmpty {
            let free = left.filter { name in
                !left.contains { next[$0]?.contains(name) ?? false }
            }
            guard let first = free.min() else { return nil }
            line.append(first)
            left.remove(first)
        }
        return line
    }
}
