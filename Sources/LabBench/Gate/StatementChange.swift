import BenchResults

/// Compares SQL statements of two runs by their text.
extension StatementCount {
    func isSame(as other: StatementCount) -> Bool { kind == other.kind && text == other.text }

    /// The query plan as the end of a sentence; empty if the plan is unknown.
    var planText: String {
        plan.map { $0.isEmpty ? "" : "; plan: " + $0.joined(separator: " | ") } ?? ""
    }
}

/// A statement that ran more or less often than before.
struct StatementChange: CustomStringConvertible {
    let kind: String
    let text: String
    let before: Int
    let now: Int
    let plan: String

    /// The changes between two runs, sorted by text. New statements come first.
    static func all(from before: [StatementCount], to now: [StatementCount]) -> [StatementChange] {
        struct Key: Hashable { var kind, text: String }
        func counts(_ statements: [StatementCount]) -> [Key: Int] {
            Dictionary(
                statements.map { (Key(kind: $0.kind, text: $0.text), $0.count) },
                uniquingKeysWith: +)
        }
        let plans = Dictionary(
            (before + now).map { (Key(kind: $0.kind, text: $0.text), $0.planText) },
            uniquingKeysWith: { $1 })
        let (old, new) = (counts(before), counts(now))
        return Set(old.keys).union(new.keys)
            .filter { old[$0] != new[$0] }
            .map {
                StatementChange(
                    kind: $0.kind, text: $0.text, before: old[$0] ?? 0, now: new[$0] ?? 0,
                    plan: plans[$0] ?? "")
            }
            .sorted { ($0.before == 0 ? 0 : 1, $0.text) < ($1.before == 0 ? 0 : 1, $1.text) }
    }

    var description: String {
        let verb =
            if before == 0 { "appeared" } else if now == 0 { "is gone" } else {
                now > before ? "runs more often" : "runs less often"
            }
        return "`\(text)` \(verb) (expected \(before), observed \(now))"
            + (now > before ? plan : "")
    }
}

/// Statements that need more steps of SQLite's virtual machine than before.
enum StatementCost {
    /// Sentences about the statements whose steps increased. The largest increase comes first.
    static func risen(from before: [StatementCount], to now: [StatementCount]) -> [String] {
        var risen: [(rise: Int, text: String)] = []
        for statement in now {
            guard let steps = statement.vmSteps else { continue }
            let old = before.first { $0.isSame(as: statement) }?.vmSteps ?? 0
            guard steps > old else { continue }
            risen.append(
                (
                    steps - old,
                    "`\(statement.text)` takes \(steps) VM steps (expected \(old))"
                        + statement.planText
                ))
        }
        return risen.sorted { ($1.rise, $0.text) < ($0.rise, $1.text) }.map(\.text)
    }
}
