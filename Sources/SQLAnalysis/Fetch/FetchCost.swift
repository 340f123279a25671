import LabResults

/// What a way costs, in counts that are the same in every run.
///
/// Verdicts compare them.
struct FetchCost {
    let way: String
    let strategy: FetchStrategy

    /// A statement costs about as much as so many steps of SQLite's machine, whatever it does.
    private static let statementSteps = 500
    /// Costs that differ by less are the same.
    private static let tie = 0.05

    var score: Int { strategy.vmSteps + strategy.statementTotal * Self.statementSteps }

    var words: String {
        "\(way): \(count(strategy.statementTotal, "statement")), \(count(strategy.rows, "row")), "
            + "\(count(strategy.vmSteps, "step"))"
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// The cheapest, and those that cost the same; the first in order comes first.
    static func best(_ costs: [FetchCost]) -> [FetchCost] {
        guard let least = costs.map(\.score).min() else { return [] }
        return costs.filter { Double($0.score) <= Double(least) * (1 + tie) }
    }

    /// `a: …; instead of b: …`, with the nearest that is worse.
    static func comparison(_ best: [FetchCost], _ costs: [FetchCost]) -> String {
        let names = Set(best.map(\.way))
        let worse = costs.filter { !names.contains($0.way) }.min { $0.score < $1.score }
        let first = best.map(\.words).joined(separator: "; ")
        let sentence = worse.map { "\(first); instead of \($0.words)" } ?? first
        return (best.count > 1 ? "A tie: " : "") + sentence + "."
    }
}
