// Owns how two sets of counts become differences with names; the gate feeds it entry by entry.

import LabResults

/// The comparison of a run with its baseline, as far as it has come.
struct Comparison {
    let comparesVMSteps: Bool
    var compared = 0
    var differences: [GateDifference] = []
    var missing: [String] = []

    init(comparesVMSteps: Bool) { self.comparesVMSteps = comparesVMSteps }

    /// A failure outweighs what could not be compared.
    var status: GateVerdict.Status {
        if differences.contains(where: { $0.effect != .improvement }) { return .failed }
        return missing.isEmpty && compared > 0 ? .passed : .inconclusive
    }

    mutating func compare(_ current: Gate.Entry, with baseline: Gate.Entry) {
        guard current.result.parameters == baseline.result.parameters else {
            missing.append(
                "\(current.result.workload), \(current.strategy.name): measured with "
                    + "\(current.result.parameterText), the baseline has "
                    + "\(baseline.result.parameterText)")
            return
        }
        compareStatements(current, baseline)
        let (seen, expected) = (current.strategy.counts, baseline.strategy.counts)
        compare("rows", seen.rows, expected.rows, current)
        compare("faults", seen.faults, expected.faults, current)
        // A row from the cache instead of from SQL is better.
        compare("row-cache-hits", expected.rowCacheHits, seen.rowCacheHits, current, flipped: true)
        compare(
            "relationship-faults", seen.relationshipFaults, expected.relationshipFaults, current)
        compare("prefetches", seen.prefetches, expected.prefetches, current)
        if comparesVMSteps { compare("vm-steps", seen.vmSteps, expected.vmSteps, current) }
        compareChecksums(current, baseline)
    }

    /// Predictions of the workload file, which hold with every baseline.
    mutating func checkPredictions(_ entry: Gate.Entry) {
        for expectation in entry.strategy.expectations {
            compared += 1
            guard !expectation.holds else { continue }
            let statements = entry.strategy.statements
                .filter { $0.kind == expectation.count || expectation.count == "statements" }
                .map { "`\($0.text)` ran \($0.count) times" }
            add(
                .regression, entry, "expect \(expectation.count)",
                String(expectation.expected), String(expectation.seen), statements,
                "the file predicts \(expectation.count) = \(expectation.expression) = "
                    + "\(expectation.expected), seen \(expectation.seen)")
        }
    }

    private mutating func compareStatements(_ current: Gate.Entry, _ baseline: Gate.Entry) {
        let seen = current.strategy.counts.statements
        let expected = baseline.strategy.counts.statements
        let changes = StatementChange.all(
            from: baseline.strategy.statements, to: current.strategy.statements)
        for kind in Set(seen.keys).union(expected.keys).sorted() {
            compared += 1
            let (now, before) = (seen[kind] ?? 0, expected[kind] ?? 0)
            let named = changes.filter { $0.kind == kind }.map(\.description)
            guard now != before || !named.isEmpty else { continue }
            let effect: GateDifference.Effect =
                now > before ? .regression : now < before ? .improvement : .change
            let moved =
                now == before
                ? "\(kind) statements changed"
                : "\(kind) statements: expected \(before), seen \(now)"
            add(
                effect, current, "statements.\(kind)", String(before), String(now), named,
                ([moved] + named).joined(separator: "; "))
        }
    }

    private mutating func compare(
        _ metric: String, _ seen: Int, _ expected: Int, _ entry: Gate.Entry, flipped: Bool = false
    ) {
        compared += 1
        guard seen != expected else { return }
        let (before, now) = flipped ? (seen, expected) : (expected, seen)
        add(
            seen > expected ? .regression : .improvement, entry, metric, String(before),
            String(now), [], "\(metric): expected \(before), seen \(now)")
    }

    private mutating func compareChecksums(_ current: Gate.Entry, _ baseline: Gate.Entry) {
        compared += 1
        let (seen, expected) = (current.strategy.checksum, baseline.strategy.checksum)
        guard seen != expected else { return }
        add(
            .change, current, "checksum", expected, seen, [],
            "the result is another one: expected \(expected), seen \(seen)")
    }

    private mutating func add(
        _ effect: GateDifference.Effect, _ entry: Gate.Entry, _ metric: String, _ baseline: String,
        _ current: String, _ statements: [String], _ message: String
    ) {
        differences.append(
            GateDifference(
                effect: effect, workload: entry.result.workload, strategy: entry.strategy.name,
                metric: metric, baseline: baseline, current: current, statements: statements,
                message: "\(entry.result.workload), \(entry.strategy.name): \(message)"))
    }
}

/// A statement text that ran more or less often than before.
struct StatementChange: CustomStringConvertible {
    let kind: String
    let text: String
    let before: Int
    let now: Int

    /// The changes between two runs, those that appeared first, then by text.
    static func all(from before: [StatementCount], to now: [StatementCount]) -> [StatementChange] {
        struct Key: Hashable { var kind, text: String }
        func counts(_ statements: [StatementCount]) -> [Key: Int] {
            Dictionary(
                statements.map { (Key(kind: $0.kind, text: $0.text), $0.count) },
                uniquingKeysWith: +)
        }
        let (old, new) = (counts(before), counts(now))
        return Set(old.keys).union(new.keys)
            .filter { old[$0] != new[$0] }
            .map {
                StatementChange(
                    kind: $0.kind, text: $0.text, before: old[$0] ?? 0, now: new[$0] ?? 0)
            }
            .sorted { ($0.before == 0 ? 0 : 1, $0.text) < ($1.before == 0 ? 0 : 1, $1.text) }
    }

    var description: String {
        let verb =
            if before == 0 { "appeared" } else if now == 0 { "is gone" } else {
                now > before ? "runs more often" : "runs less often"
            }
        return "`\(text)` \(verb) (expected \(before), seen \(now))"
    }
}
