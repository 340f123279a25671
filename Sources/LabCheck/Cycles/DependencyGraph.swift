import ContextHistory

/// The dependencies between the units of a history.
package struct DependencyGraph: Sendable {
    package let units: [WorkUnit]
    package let dependencies: [Dependency]
    /// Reads of unsaved values that were dropped or replaced before they were saved.
    package let unsavedReads: [Cycle]

    package init(_ history: History) {
        var builder = DependencyBuilder(history.schema)
        for entry in history.entries { builder.visit(entry) }
        (units, dependencies) = builder.graph()
        unsavedReads = builder.unsavedReads()
    }

    /// Creates a graph without reads of unsaved values.
    package init(units: [WorkUnit], dependencies: [Dependency]) {
        self.units = units
        self.dependencies = dependencies
        unsavedReads = []
    }

    /// The shortest cycles.
    ///
    /// For each dependency, the search finds the shortest path back to its start. Cycles of writes
    /// only (dirty writes) come first, and cycles with several replaced reads (write skew) come
    /// last.
    package func cycles() -> [Cycle] {
        let parts = StrongComponents.number(units.count, dependencies)
        let inner = dependencies.filter { parts[$0.from] == parts[$0.to] }
        if inner.isEmpty { return [] }
        var known: Set<Set<Int>> = []
        var found: [(first: Int, cycle: Cycle)] = []
        let passes: [(start: Dependency.Kind, back: Set<Dependency.Kind>)] = [
            (.writeWrite, [.writeWrite]), (.writeRead, [.writeWrite, .writeRead]),
            (.readWrite, [.writeWrite, .writeRead]), (.readWrite, Set(Dependency.Kind.allCases)),
        ]
        for pass in passes {
            let paths = ReturnPaths(inner.filter { pass.back.contains($0.kind) })
            for start in inner where start.kind == pass.start {
                guard let back = paths.shortest(closing: start) else { continue }
                let links = [start] + back
                guard known.insert(Set(links.map(\.from))).inserted else { continue }
                found.append((links.map(\.from).min() ?? 0, Cycle(links, in: units)))
            }
        }
        return found.enumerated().sorted {
            ($0.element.first, $0.offset) < ($1.element.first, $1.offset)
        }.map(\.element.cycle)
    }
}

/// Finds the shortest paths between units.
private struct ReturnPaths {
    /// The maximum number of units that the search for one path visits. A longer search would take
    /// too long in a recording, so it finds no path.
    private static let visitsMax = 1_000

    private let next: [Int: [Dependency]]

    init(_ dependencies: [Dependency]) {
        next = Dictionary(grouping: dependencies, by: \.from)
    }

    /// The shortest path from the end of a dependency to its start.
    func shortest(closing start: Dependency) -> [Dependency]? {
        let direct = next[start.to]?.filter { $0.to == start.from } ?? []
        if let best = direct.max(by: { rank($0, start) < rank($1, start) }) { return [best] }
        var reached: [Int: Dependency] = [:]
        var queue = [start.to]
        var index = 0
        while index < min(queue.count, Self.visitsMax) {
            for edge in next[queue[index]] ?? [] where edge.to != start.to {
                guard reached[edge.to] == nil else { continue }
                reached[edge.to] = edge
                if edge.to == start.from { return path(reached, from: start.to, to: start.from) }
                queue.append(edge.to)
            }
            index += 1
        }
        return nil
    }

    /// The best edge is a write of the property of `start`: after a read, it shows a lost update.
    private func rank(_ edge: Dependency, _ start: Dependency) -> Int {
        let isSame = edge.item != nil && edge.item == start.item
        switch edge.kind {
        case .writeWrite: return isSame ? 3 : 2
        case .writeRead: return 1
        case .readWrite: return isSame ? -1 : 0
        }
    }

    private func path(
        _ reached: [Int: Dependency], from start: Int, to end: Int
    ) -> [Dependency] {
        var path: [Dependency] = []
        var unit = end
        while unit != start, let edge = reached[unit] {
            path.append(edge)
            unit = edge.from
        }
        return path.reversed()
    }
}

/// Finds the groups of units in which each unit can be reached from every other one.
private enum StrongComponents {
    /// The number of the group of each unit.
    static func number(_ count: Int, _ dependencies: [Dependency]) -> [Int] {
        var (after, before) = (Array(repeating: [Int](), count: count), [[Int]]())
        before = after
        for edge in dependencies {
            after[edge.from].append(edge.to)
            before[edge.to].append(edge.from)
        }
        var numbers = Array(repeating: -1, count: count)
        for unit in order(after).reversed() where numbers[unit] < 0 {
            var stack = [unit]
            while let next = stack.popLast() {
                if numbers[next] >= 0 { continue }
                numbers[next] = unit
                stack += before[next].filter { numbers[$0] < 0 }
            }
        }
        return numbers
    }

    /// The units in the post-order of a depth-first search. The search is a loop, because recursion
    /// over a hundred thousand units would exhaust the stack.
    private static func order(_ after: [[Int]]) -> [Int] {
        var (order, isSeen) = ([Int](), Array(repeating: false, count: after.count))
        for start in after.indices where !isSeen[start] {
            isSeen[start] = true
            var stack = [(unit: start, next: 0)]
            while let (unit, next) = stack.last {
                if next == after[unit].count {
                    order.append(unit)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let other = after[unit][next]
                if isSeen[other] { continue }
                isSeen[other] = true
                stack.append((other, 0))
            }
        }
        return order
    }
}
