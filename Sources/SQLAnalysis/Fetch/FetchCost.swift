import LabResults

/// The cost of a fetch variant in statements and SQLite steps, which is the same in every run.
/// Verdicts compare variants by it.
struct FetchCost {
    let way: String
    let strategy: FetchStrategy

    /// The fixed cost of a statement, in steps of SQLite's virtual machine.
    private static let statementSteps = 500
    /// The relative difference up to which costs are treated as equal.
    private static let tie = 0.05

    var score: Int { strategy.vmSteps + strategy.statementTotal * Self.statementSteps }

    var words: String {
        "\(way): \(count(strategy.statementTotal, "statement")), \(count(strategy.rows, "row")), "
            + "\(count(strategy.vmSteps, "step"))"
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// The variants with the lowest cost, in their original order.
    static func best(_ costs: [FetchCost]) -> [FetchCost] {
        guard let least = costs.map(\.score).min() else { return [] }
        return costs.filter { Double($0.score) <= Double(least) * (1 + tie) }
    }

    /// A sentence about the best variants and the cheapest other variant: `a: …; instead of b: …`.
    static func comparison(_ best: [FetchCost], _ costs: [FetchCost]) -> String {
        let names = Set(best.map(\.way))
        let worse = costs.filter { !names.contains($0.way) }.min { $0.score < $1.score }
        let first = best.map(\.words).joined(separator: "; ")
        let sentence = worse.map { "\(first); instead of \($0.words)" } ?? first
        return (best.count > 1 ? "A tie: " : "") + sentence + "."
    }
}
