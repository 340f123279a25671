import LabRunner

/// Describes the first difference between two final states of a schedule, in one line.
enum EndComparison {
    /// - Parameters:
    ///   - one: the expected final state. The text calls it `first`.
    ///   - other: the actual final state.
    /// - Returns: nil if the states are equal.
    static func difference(
        _ one: ScheduleEnd, _ other: ScheduleEnd, _ first: String, _ second: String
    ) -> String? {
        difference("the step", one.statuses, other.statuses, first, second)
            ?? difference("the value", one.values, other.values, first, second)
            ?? difference(one.graph, other.graph, first, second)
            ?? findings(one.findings, other.findings, first, second)
            ?? (one.outcome == other.outcome
                ? nil
                : "observations are \(one.outcome) in \(first) and \(other.outcome) in \(second)")
    }

    private static func difference(
        _ what: String, _ one: [String: String], _ other: [String: String], _ first: String,
        _ second: String
    ) -> String? {
        if one == other { return nil }
        for name in Set(one.keys).union(other.keys).sorted() where one[name] != other[name] {
            return "\(what) '\(name)' is \(one[name] ?? "missing") in \(first) and"
                + " \(other[name] ?? "missing") in \(second)"
        }
        return nil
    }

    private static func findings(
        _ one: Set<String>, _ other: Set<String>, _ first: String, _ second: String
    ) -> String? {
        if one == other { return nil }
        let more = one.subtracting(other).sorted().first
        let less = other.subtracting(one).sorted().first
        return "the finding '\(more ?? less ?? "")' is only in \(more == nil ? second : first)"
    }

    static func difference(
        _ one: StoredGraph?, _ other: StoredGraph?, _ first: String, _ second: String
    ) -> String? {
        if one == other { return nil }
        let (left, right) = (one?.objects ?? [:], other?.objects ?? [:])
        for name in Set(left.keys).union(right.keys).sorted() where left[name] != right[name] {
            guard let mine = left[name], let yours = right[name] else {
                return "\(name) is only in \(left[name] == nil ? second : first)"
            }
            for (key, value) in flat(mine).sorted(by: { $0.key < $1.key })
            where flat(yours)[key] != value {
                return "\(name).\(key) is \(value) in \(first) and"
                    + " \(flat(yours)[key] ?? "missing") in \(second)"
            }
            return "\(name) is of \(mine.entity) in \(first) and of \(yours.entity) in \(second)"
        }
        return "one has no graph"
    }

    private static func flat(_ object: StoredGraph.Object) -> [String: String] {
        var values = object.attributes
        for key in object.relationships.sorted() {
            values[key] =
                object.toMany[key].map { "[\($0.joined(separator: ", "))]" }
                ?? object.toOne[key] ?? "nil"
        }
        return values
    }
}
