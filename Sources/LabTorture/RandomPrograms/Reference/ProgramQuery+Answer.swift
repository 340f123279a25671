import Foundation

extension ProgramQuery {
    /// The result of a fetch in the graph; nil if the documentation does not define it.
    ///
    /// - Parameter bases: the graphs of the context's parents and of the store, innermost first.
    func answer(in graph: ProgramGraph, over bases: [ProgramGraph] = []) -> String? {
        var numbers: [Int] = []
        for number in graph.numbers {
            guard let isFound = truth(number, in: graph, over: bases).isFound else { return nil }
            if isFound { numbers.append(number) }
        }
        if case .totals(let key, let value) = form {
            return totals(numbers, by: key, of: value, in: graph)
        }
        guard let sorted = sorted(numbers, in: graph) else { return nil }
        let part = Array(sorted.dropFirst(offset).prefix(limit == 0 ? sorted.count : limit))
        switch form {
        case .count: return "\(part.count)"
        case .values(let attributes):
            return part.map { number in
                let values = attributes.map { graph.nodes[number]?.values[$0]?.text ?? "nil" }
                return ([String(number)] + values).joined(separator: " ")
            }.joined(separator: "\n")
        default: return part.map { "#\($0)" }.joined(separator: " ")
        }
    }

    /// The objects that the fetch may find only in SQL, or only in memory.
    func decidedByNil(in graph: ProgramGraph, over bases: [ProgramGraph] = []) -> Set<Int> {
        Set(graph.numbers.filter { truth($0, in: graph, over: bases).dependsOnNil })
    }

    /// A context evaluates the condition for the objects that it has changed. Its parent or the
    /// store evaluates the condition for all other objects, without the context's changes to
    /// related objects.
    private func truth(
        _ number: Int, in graph: ProgramGraph, over bases: [ProgramGraph]
    ) -> ProgramTruth {
        guard let node = graph.nodes[number], kinds.contains(node.kind) else { return .no }
        let judges = [graph] + bases.prefix { $0.nodes[number] == node }
        return .open(judges.map { condition.truth(number, in: $0) })
    }

    /// Sorts the objects by the sort key; nil if the documentation does not define the order of its
    /// values.
    private func sorted(_ numbers: [Int], in graph: ProgramGraph) -> [Int]? {
        guard let sort else { return numbers }
        let values = numbers.map { graph.nodes[$0]?.values[sort] }
        guard values.allSatisfy({ $0?.isPlain ?? true }) else { return nil }
        let pairs = zip(numbers, values).sorted { first, second in
            let isLess: Bool
            switch (first.1, second.1) {
            case (nil, nil): return first.0 < second.0
            case (nil, _): isLess = true
            case (_, nil): isLess = false
            case (let one?, let other?):
                if one.text == other.text { return first.0 < second.0 }
                isLess = one.isLess(than: other) ?? false
            }
            return isLess != isDescending
        }
        return pairs.map(\.0)
    }

    private func totals(
        _ numbers: [Int], by key: ProgramAttribute, of attribute: ProgramAttribute,
        in graph: ProgramGraph
    ) -> String {
        var groups: [String: [Double]] = [:]
        for number in numbers {
            let node = graph.nodes[number]
            let value = node?.values[attribute]?.number
            groups[node?.values[key]?.text ?? "nil", default: []] += value.map { [$0] } ?? []
        }
        return groups.map { key, values in
            ProgramTotals(
                key: key, count: values.count, sum: values.reduce(0, +), least: values.min(),
                most: values.max()
            ).text
        }.sorted().joined(separator: "\n")
    }
}

struct ProgramTotals {
    let key: String
    let count: Int
    let sum: Double?
    let least: Double?
    let most: Double?

    var text: String {
        let numbers = [sum, least, most].map { $0.map(Self.number) ?? "nil" }
        return "\(key): \(count) \(numbers.joined(separator: " "))"
    }

    private static func number(_ value: Double) -> String { String(format: "%.10g", value) }
}
