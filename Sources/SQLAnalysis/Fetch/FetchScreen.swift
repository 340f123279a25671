/// Measures the first screen of a list. Each variant that returns objects runs, and only as many
/// objects as fit on a screen are read.
struct FetchScreen {
    /// The number of rows that fit on a screen.
    static let rows = 20

    let question: CheckedQuestion
    let store: OpenedStore

    /// The cost of the first screen for each variant, and for a variant with a limit.
    func costs() throws -> [FetchCost] {
        var costs: [FetchCost] = []
        if question.question.limit == 0 {
            var limited = FetchRun(question: question, way: .plain)
            limited.limit = Self.rows
            costs.append(
                FetchCost(
                    way: Self.limited, strategy: try FetchTally.count(limited, on: store)))
        }
        let ways = [.plain] + question.question.batchSizes.map(FetchWay.batch) + [.faults]
        for way in ways {
            var run = FetchRun(question: question, way: way)
            run.readMax = Self.rows
            costs.append(
                FetchCost(way: way.name, strategy: try FetchTally.count(run, on: store)))
        }
        return costs
    }

    static let limited = "limit \(rows)"
}
