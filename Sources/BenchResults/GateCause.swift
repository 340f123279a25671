/// Differences with a common cause. A gate reports them once.
///
/// For example, a relationship is no longer prefetched. This changes the statements, rows, faults
/// and times of every strategy of a workload. All these differences have one cause.
package struct GateCause: Sendable, Hashable {
    package var effect: GateDifference.Effect
    package var workload: String
    /// The strategies with these differences, in the order of the gate's verdict.
    package var strategies: [String]
    /// The file that declares the workload; nil in files of earlier versions.
    package var file: String?
    package var line: Int?
    /// The most informative difference. If possible, it names statements.
    package var head: GateDifference
    package var others: [GateDifference]
}

extension GateVerdict {
    /// Groups the differences by cause, in the order of each cause's first difference.
    ///
    /// If a statement ran more often than before, it is the cause of all changed counts of its
    /// strategy. Strategies of one workload have a common cause if they share such a statement.
    /// They also have one if they have no such statement and the same figures changed. A changed
    /// result of the operation is a separate cause.
    package var causes: [GateCause] {
        var groups: [Group] = []
        for part in folded(strategyGroups()) {
            if let index = groups.firstIndex(where: { $0.isCauseOf(part) }) {
                groups[index].add(part)
            } else {
                groups.append(part)
            }
        }
        return groups.map(cause)
    }

    /// Merges the improvements of a strategy into its regressions. They are side effects of the
    /// same change.
    private func folded(_ groups: [Group]) -> [Group] {
        var kept = groups.filter { $0.effect != .improvement }
        for group in groups where group.effect == .improvement {
            let index = kept.firstIndex {
                $0.effect == .regression && $0.workload == group.workload
                    && $0.differences[0].strategy == group.differences[0].strategy
            }
            if let index {
                kept[index].differences += group.differences
            } else {
                kept.append(group)
            }
        }
        return kept
    }

    /// Related differences of one strategy.
    private struct Group {
        var effect: GateDifference.Effect
        var workload: String
        var isResult: Bool
        var shapes: Set<String>
        var metrics: Set<String>
        var differences: [GateDifference]

        init(_ difference: GateDifference) {
            effect = difference.effect
            workload = difference.workload
            isResult = difference.metric == "checksum"
            shapes = Set((difference.shapes ?? []).map(Self.plain))
            metrics = [difference.metric]
            differences = [difference]
        }

        mutating func add(_ other: Group) {
            shapes.formUnion(other.shapes)
            metrics.formUnion(other.metrics)
            differences += other.differences
        }

        /// Whether both groups have the same workload and the same kind of effect.
        func isAlike(_ other: Group) -> Bool {
            effect == other.effect && workload == other.workload && isResult == other.isResult
        }

        func isCauseOf(_ other: Group) -> Bool {
            guard isAlike(other) else { return false }
            return shapes.isEmpty && other.shapes.isEmpty
                ? metrics == other.metrics : !shapes.isDisjoint(with: other.shapes)
        }

        /// The SQL text with short lists of values. The length of such a list depends on the batch
        /// size.
        static func plain(_ shape: String) -> String {
            var result = ""
            var rest = shape[...]
            while let open = rest.firstIndex(of: "("), let close = rest[open...].firstIndex(of: ")")
            {
                let inside = rest[rest.index(after: open)..<close]
                let isList = !inside.isEmpty && inside.allSatisfy { "?, ".contains($0) }
                result += rest[..<open] + (isList ? "(?" : rest[open..<close]) + ")"
                rest = rest[rest.index(after: close)...]
            }
            return result + rest
        }
    }

    private func strategyGroups() -> [Group] {
        var groups: [Group] = []
        for difference in differences {
            let group = Group(difference)
            let index = groups.firstIndex {
                $0.isAlike(group) && $0.differences[0].strategy == difference.strategy
            }
            if let index { groups[index].add(group) } else { groups.append(group) }
        }
        return groups
    }

    private func cause(_ group: Group) -> GateCause {
        var strategies: [String] = []
        for difference in group.differences where !strategies.contains(difference.strategy) {
            strategies.append(difference.strategy)
        }
        let telling = group.differences.firstIndex { !($0.shapes ?? []).isEmpty } ?? 0
        var others = group.differences
        let head = others.remove(at: telling)
        let subject = subjects?.first {
            $0.workload == group.workload && $0.strategy == head.strategy
        }
        return GateCause(
            effect: group.effect, workload: group.workload, strategies: strategies,
            file: subject.flatMap { $0.file.isEmpty ? nil : $0.file }, line: subject?.line,
            head: head, others: others)
    }
}
