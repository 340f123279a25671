import BenchResults
import ReportParts

/// Tables that exist only for some workloads. They contain additional figures, figures derived from
/// several strategies, and times of other programs.
extension BenchText {
    /// Figures of an operation other than its time. Nil if it has no such figures.
    static func figures(_ result: BenchResult) -> Table? {
        let names = result.strategies.compactMap(\.figures).max { $0.count < $1.count } ?? []
        guard !names.isEmpty else { return nil }
        var table = Table(
            [.init("strategy"), .init("total", .right)]
                + names.flatMap { figure -> [Table.Column] in
                    [.init(figure.name, .right), .init("in C", .right)]
                })
        for strategy in result.strategies {
            let cells = names.flatMap { name -> [String] in
                let own = strategy.figures?.first { $0.name == name.name }
                return [
                    own.map { text($0.value, $0.unit) } ?? "",
                    own.flatMap { figure in figure.twin.map { text($0, figure.unit) } } ?? "",
                ]
            }
            table.add(
                [
                    strategy.name,
                    strategy.time.map { Figures.time($0.medianNanoseconds) } ?? "",
                ] + cells)
        }
        return table
    }

    /// Figures that compare strategies with each other. Nil without such figures.
    static func derived(_ result: BenchResult) -> Table? {
        guard let figures = result.figures, !figures.isEmpty else { return nil }
        var table = Table([.init("figure"), .init("engine", .right), .init("in C", .right)])
        for figure in figures {
            table.add([
                figure.name, text(figure.value, figure.unit),
                figure.twin.map { text($0, figure.unit) } ?? "",
            ])
        }
        return table
    }

    /// The times of other programs. Nil if no other program was measured.
    static func peers(_ result: BenchResult) -> Table? {
        let rows = result.strategies.flatMap { strategy in
            (strategy.peers ?? []).map { (strategy.name, $0) }
        }
        guard !rows.isEmpty else { return nil }
        var table = Table([
            .init("strategy"), .init("program"), .init("time", .right),
            .init("95 % interval", .right), .init("ratio to C", .right),
            .init("peak memory", .right), .init("how"),
        ])
        for (name, peer) in rows {
            table.add([
                name, peer.name, Figures.time(peer.time.medianNanoseconds),
                Figures.interval(peer.time.lowNanoseconds, peer.time.highNanoseconds),
                peer.ratio.map { Figures.ratio($0.median) } ?? "",
                Figures.bytes(peer.peakMemoryBytes), peer.sentence,
            ])
        }
        return table
    }

    private static func text(_ value: Double, _ unit: BenchUnit) -> String {
        switch unit {
        case .count: Figures.count(Int(value.rounded()))
        case .nanoseconds: Figures.time(UInt64(max(0, value)))
        case .ratio: Figures.ratio(value)
        case .bytes: Figures.bytes(Int(value))
        }
    }
}

enum Explanation {
    static func sentences(_ result: BenchResult) -> [String] {
        [order(result), statements(result), outliers(result)].compactMap(\.self)
            + causes(result)
    }

    private static func order(_ result: BenchResult) -> String? {
        let timed = result.strategies.compactMap { strategy in
            strategy.time.map { (strategy.name, $0) }
        }.sorted { $0.1.medianNanoseconds < $1.1.medianNanoseconds }
        guard let first = timed.first, let last = timed.last, timed.count > 1 else { return nil }
        let overlap = first.1.highNanoseconds >= last.1.lowNanoseconds
        let factor = Double(last.1.medianNanoseconds) / Double(max(1, first.1.medianNanoseconds))
        guard !overlap else {
            return "The intervals of all strategies overlap: no order of their times was found."
        }
        return "From fast to slow: \(timed.map(\.0).joined(separator: ", ")); the last takes "
            + "\(Figures.ratio(factor)) as long as the first."
    }

    private static func statements(_ result: BenchResult) -> String? {
        let counted = result.strategies.filter { $0.countsVary != true }
            .sorted { $0.counts.statementTotal < $1.counts.statementTotal }
        guard let least = counted.first, let most = counted.last,
            most.counts.statementTotal > least.counts.statementTotal
        else { return nil }
        return "\(least.name) needs \(Figures.count(least.counts.statementTotal, "statement")), "
            + "\(most.name) \(Figures.count(most.counts.statementTotal))."
    }

    private static func outliers(_ result: BenchResult) -> String? {
        let counts = result.strategies.compactMap { $0.time?.outliers }
        let (mild, severe) = counts.reduce((0, 0)) { ($0.0 + $1.mild, $0.1 + $1.severe) }
        guard mild + severe > 0 else { return nil }
        return
            "\(Figures.count(mild + severe, "sample")) of the engine are outside Tukey's fences, "
            + "\(severe) of them far outside; all are kept."
    }

    /// Explains the differences between the import stacks.
    private static func causes(_ result: BenchResult) -> [String] {
        func value(_ name: String, _ strategy: StrategyResult) -> Double? {
            strategy.figures?.first { $0.name == name }?.value
        }
        let waiting = result.strategies.compactMap { strategy in
            value("fetch, 99th percentile", strategy).map { (strategy, $0) }
        }.sorted { $0.1 < $1.1 }
        guard let calm = waiting.first, let held = waiting.last, waiting.count > 1 else {
            return []
        }
        var sentences = [
            "The main context waits least in \(calm.0.name) (99th percentile "
                + "\(Figures.time(UInt64(calm.1)))) and longest in \(held.0.name) "
                + "(\(Figures.time(UInt64(held.1))))."
        ]
        for strategy in result.strategies {
            let conflicts = Figures.count(Int(value("conflicts", strategy) ?? 0), "conflict")
            let merges = Figures.count(Int(value("merges", strategy) ?? 0), "merge")
            sentences.append("\(strategy.name): \(conflicts), \(merges).")
        }
        if waiting.contains(where: { $0.0.name == "stack=nested" }) {
            sentences.append(
                "In the nested stack every imported object passes through the main context's "
                    + "queue twice: the child's save pushes it there, and the main context's save "
                    + "passes it on, so a fetch of the screen waits for both. Only one "
                    + "context saves into the store, so conflicts are not possible. The sibling's "
                    + "save writes without the main queue, which only merges ids afterwards. Both "
                    + "contexts save into one coordinator, so the version check finds conflicts. "
                    + "Separate coordinators only share the file: their only common lock is "
                    + "SQLite's, and they have no common row cache, so merged rows are read again.")
        }
        return sentences
    }
}
