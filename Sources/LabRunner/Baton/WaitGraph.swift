import LabCheck

/// Threads that wait for each other for ever: each holds what the one before it waits for.
struct Deadlock: Sendable {
    struct Side: Sendable {
        let thread: String
        let holds: [String]
        let waitsFor: String
        let holder: String
        /// What the thread is inside of, outermost first.
        let stack: [String]
    }

    let sides: [Side]

    init(_ cycle: [Baton.Runner]) {
        sides = cycle.map { runner in
            var resource = ""
            var holder = ""
            if case .waiting(let wanted) = runner.state {
                resource = wanted.name
                holder = wanted.holder?.name ?? ""
            }
            return Side(
                thread: runner.name, holds: runner.held.map(\.name), waitsFor: resource,
                holder: holder, stack: runner.frames)
        }
    }

    /// The cycle as a finding with both sides' stacks.
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

/// In which order threads have taken queues and locks. Collected over all schedules of a cell:
/// an order and its opposite, taken by different threads, can meet although no schedule has shown
/// it.
struct LockOrder {
    struct Edge: Hashable {
        let held: String
        let wanted: String
    }

    struct Witness: Hashable {
        let thread: String
        let stack: [String]
        /// What else the thread held: two threads that share such a guard cannot meet.
        let guards: Set<String>
    }

    private(set) var edges: [Edge: Set<Witness>] = [:]

    mutating func note(_ held: Baton.Resource, _ wanted: Baton.Resource, _ runner: Baton.Runner) {
        let edge = Edge(held: held.name, wanted: wanted.name)
        let guards = Set(runner.held.map(\.name)).subtracting([held.name])
        edges[edge, default: []].insert(
            Witness(thread: runner.name, stack: runner.frames, guards: guards))
    }

    /// Pairs of locks that different threads take in opposite orders with nothing to keep them
    /// apart.
    func inversions() -> [Detection] {
        edges.keys.sorted { ($0.held, $0.wanted) < ($1.held, $1.wanted) }
            .filter { $0.held < $0.wanted }
            .compactMap { edge in
                let back = witnesses(Edge(held: edge.wanted, wanted: edge.held))
                for one in witnesses(edge) {
                    for other in back
                    where one.thread != other.thread && one.guards.isDisjoint(with: other.guards) {
                        return Self.detection(edge, one, other)
                    }
                }
                return nil
            }
    }

    /// In an order that does not depend on which schedule ran first.
    private func witnesses(_ edge: Edge) -> [Witness] {
        (edges[edge] ?? []).sorted {
            ($0.thread, $0.stack.count, $0.stack.joined()) < ($1.thread, $1.stack.count, $1.stack.joined())
        }
    }

    private static func detection(_ edge: Edge, _ one: Witness, _ other: Witness) -> Detection {
        Detection(
            name: "potential deadlock",
            prose: "\(one.thread) takes \(edge.held) and then \(edge.wanted); \(other.thread) takes"
                + " \(edge.wanted) and then \(edge.held). If each has its first, neither gets its"
                + " second.",
            evidence: [
                "\(one.thread): \(one.stack.joined(separator: " > "))",
                "\(other.thread): \(other.stack.joined(separator: " > "))",
            ], step: other.stack.first ?? other.thread)
    }

    /// Why no schedule can deadlock, if the order has no cycle; nil if it has one.
    var argument: String? {
        var next: [String: Set<String>] = [:]
        for edge in edges.keys { next[edge.held, default: []].insert(edge.wanted) }
        var left = Set(next.keys).union(next.values.flatMap(\.self))
        var line: [String] = []
        while !left.isEmpty {
            let free = left.filter { name in
                !left.contains { next[$0]?.contains(name) ?? false }
            }.sorted()
            guard let first = free.first else { return nil }
            line.append(first)
            left.remove(first)
        }
        if line.isEmpty { return "No thread ever held one queue or lock and waited for another." }
        let pairs = edges.keys.map { "\($0.held) then \($0.wanted)" }.sorted()
        return "Every thread took queues and locks in the order \(line.joined(separator: ", "))"
            + " (\(pairs.joined(separator: "; "))). Waits that follow one order cannot form a"
            + " cycle, so no schedule deadlocks."
    }
}
