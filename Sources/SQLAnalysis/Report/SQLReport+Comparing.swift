import LabResults

/// Compares a report with an earlier report and with limits, for the command `sql`.
extension SQLReport {
    package mutating func compare(with before: SQLReport) {
        var changes: [SQLComparison.Change] = []
        let old = Dictionary(before.shapes.map { ($0.text, $0) }) { first, _ in first }
        let new = Dictionary(shapes.map { ($0.text, $0) }) { first, _ in first }
        for text in Set(old.keys).union(new.keys) {
            let (one, other) = (old[text], new[text])
            guard one?.count != other?.count || Self.isOtherTime(one, other) else { continue }
            changes.append(
                SQLComparison.Change(
                    kind: other?.kind ?? one?.kind ?? "", text: text, before: one?.count ?? 0,
                    after: other?.count ?? 0, nanosecondsBefore: one?.nanoseconds ?? 0,
                    nanosecondsAfter: other?.nanoseconds ?? 0))
        }
        changes.sort { one, other in
            let (left, right) = (abs(one.after - one.before), abs(other.after - other.before))
            if left != right { return left > right }
            let (mine, theirs) = (Self.timeChange(one), Self.timeChange(other))
            return mine == theirs ? one.text < other.text : mine > theirs
        }
        let (was, now) = (before.findings.map(Self.name), findings.map(Self.name))
        comparison = SQLComparison(
            before: before.log, totals: before.totals, changes: changes,
            appeared: findings.filter { !was.contains(Self.name($0)) }.map(\.title),
            vanished: before.findings.filter { !now.contains(Self.name($0)) }.map(\.title))
    }

    /// Whether the time has doubled or halved, apart from rounding.
    private static func isOtherTime(_ one: SQLShape?, _ other: SQLShape?) -> Bool {
        guard let one, let other, one.timesKnown > 0, other.timesKnown > 0 else { return false }
        let (less, more) = (
            min(one.nanoseconds, other.nanoseconds), max(one.nanoseconds, other.nanoseconds)
        )
        return more / 2 >= less && more - less >= 1_000_000
    }

    private static func timeChange(_ change: SQLComparison.Change) -> UInt64 {
        let (before, after) = (change.nanosecondsBefore, change.nanosecondsAfter)
        return max(before, after) - min(before, after)
    }

    /// A key that the same finding has in two logs: its facts without numbers.
    private static func name(_ finding: SQLFinding) -> String {
        [finding.kind.rawValue, finding.statement ?? "", finding.keyPaths.joined(separator: ",")]
            .joined(separator: "|")
    }

    package mutating func hold(_ name: String, to limit: Double, seen: Double) {
        limits.append(SQLLimit(name: name, limit: limit, seen: seen))
    }

    package func count(of kind: SQLFinding.Kind) -> Int { findings.count { $0.kind == kind } }
}
