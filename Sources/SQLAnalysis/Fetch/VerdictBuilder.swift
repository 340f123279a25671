import LabResults

/// Chooses the best variant for each purpose by its cost, and writes the Swift code for it.
struct VerdictBuilder {
    let question: CheckedQuestion
    let strategies: [FetchStrategy]
    let screen: [FetchCost]
    let index: FetchVerdict.IndexAdvice?

    var verdict: FetchVerdict {
        FetchVerdict(
            choices: [first, list, all, paths, values, number, keys].compactMap(\.self),
            index: index, code: code)
    }

    private func costs(_ names: [String]) -> [FetchCost] {
        names.compactMap { name in
            strategies.first { $0.name == name }.map { FetchCost(way: name, strategy: $0) }
        }
    }

    private var batches: [String] {
        question.question.batchSizes.map { FetchWay.batch($0).name }
    }

    private var results: Int { strategies.first { $0.name == "plain" }?.results ?? 0 }
    private var fitsOnScreen: Bool { results <= FetchScreen.rows }

    private func choice(
        _ purpose: String, _ costs: [FetchCost], code: ([FetchCost]) -> [String]
    ) -> FetchVerdict.Choice? {
        let best = FetchCost.best(costs)
        guard !best.isEmpty else { return nil }
        return FetchVerdict.Choice(
            purpose: purpose, ways: best.map(\.way), reason: FetchCost.comparison(best, costs),
            code: code(best))
    }

    // MARK: Purposes

    private var first: FetchVerdict.Choice? {
        guard !fitsOnScreen, screen.contains(where: { $0.way == FetchScreen.limited }) else {
            return nil
        }
        return choice("the first \(FetchScreen.rows) objects only", screen) { best in
            line(best[0].way)
        }
    }

    private var list: FetchVerdict.Choice? {
        choice("a list that scrolls: first screen", scrolling) { best in line(best[0].way) }
    }

    /// The variants except for the one with a limit, because a list needs all objects.
    private var scrolling: [FetchCost] { screen.filter { $0.way != FetchScreen.limited } }

    private var all: FetchVerdict.Choice? {
        let costs = costs(["plain"] + batches + ["faults only"])
        var made = choice("reading every object", costs) { best in line(best[0].way) }
        // Below 1,000 rows, the difference in memory use is negligible.
        guard results >= 1_000, made?.ways.first == "plain",
            let batch = costs.filter({ batches.contains($0.way) }).min(by: { $0.score < $1.score })
        else { return made }
        made?.reason +=
            " Plain holds the rows of all \(results) objects at once; \(batch.words), and holds "
            + "one page at a time."
        return made
    }

    private var paths: FetchVerdict.Choice? {
        guard !question.paths.isEmpty else { return nil }
        let names = strategies.map(\.name).filter {
            $0 == "walk" || $0.hasPrefix(FetchWay.prefetch.name)
        }
        return choice("reading the relationships too", costs(names)) { best in
            best[0].way == "walk" ? [] : prefetchLine + line(best[0].way)
        }
    }

    private var values: FetchVerdict.Choice? {
        choice("values without objects", costs(["dictionaries", "plain"])) { best in
            best[0].way == "dictionaries" ? ["request.resultType = .dictionaryResultType"] : []
        }
    }

    private var number: FetchVerdict.Choice? {
        choice("only the number", costs(["count", "ids"])) { best in
            best[0].way == "count"
                ? ["let count = try context.count(for: request)"]
                : ["request.resultType = .managedObjectIDResultType"]
        }
    }

    private var keys: FetchVerdict.Choice? {
        choice("ids for another context or a batch request", costs(["ids", "plain"])) { best in
            best[0].way == "ids" ? ["request.resultType = .managedObjectIDResultType"] : []
        }
    }

    // MARK: Code

    private func line(_ way: String) -> [String] {
        if way == FetchScreen.limited { return ["request.fetchLimit = \(FetchScreen.rows)"] }
        if way == "faults only" { return ["request.includesPropertyValues = false"] }
        let size = question.question.batchSizes.first {
            way == FetchWay.batch($0).name || way == FetchWay.prefetchInBatches($0).name
        }
        return size.map { ["request.fetchBatchSize = \($0)"] } ?? []
    }

    private var prefetchLine: [String] {
        let list = question.question.keyPaths.map { "\"\($0)\"" }.joined(separator: ", ")
        return ["request.relationshipKeyPathsForPrefetching = [\(list)]"]
    }

    /// The fetch request for a list. It needs no batches if the results fit on a screen.
    private var code: [String] {
        var lines = question.code
        let best = FetchCost.best(scrolling).first?.way
        if !fitsOnScreen, let best { lines += line(best) }
        if let ways = paths?.ways, ways.first != "walk" { lines += prefetchLine }
        return lines
    }
}
