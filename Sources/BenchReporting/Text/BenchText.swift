import BenchResults
import LabFiles
import ReportParts

/// A benchmark report as text. The command `bench` prints it.
package struct BenchText {
    private let report: BenchReport
    private let terminal: Terminal

    package init(_ report: BenchReport, terminal: Terminal = .plain) {
        self.report = report
        self.terminal = terminal
    }

    /// The tables of each workload, and a description of the machine.
    package func text() -> String {
        report.results.map(section).joined(separator: "\n") + "\n" + failures() + footer()
    }

    /// A table of all strategies under a title, and the machine on which the times were measured.
    package func short() -> String {
        let title = terminal.paint("Fetch costs", .bold)
        let table = Self.overview(report).withoutEmptyColumns().text()
        let budget = Self.timeBudget(report).map { $0 + "\n" } ?? ""
        return "\(title)\n\n\(table)\n\(Self.label(report.environment))\n\(budget)"
    }

    private func section(_ result: BenchResult) -> String {
        let counts = Self.counts(result).withoutEmptyColumns().text(indent: "  ")
        let times = Self.times(result).withoutEmptyColumns().text(indent: "  ")
        let wrong = result.strategies.flatMap { Self.broken($0) }.map {
            "  " + terminal.paint($0, .red) + "\n"
        }
        let more = [Self.figures(result), Self.derived(result), Self.peers(result)]
            .compactMap { $0?.withoutEmptyColumns().text(indent: "  ") }.map { "\n" + $0 }
        return """
            \(terminal.paint(result.workload, .bold))\(Self.place(result))
              \(result.sentence)

            \(counts)
            \(times)
            """ + more.joined() + wrong.joined()
    }

    /// The parameters of the workload. Without parameters, the position of its declaration.
    private static func place(_ result: BenchResult) -> String {
        let line = result.line.map { "\(result.file):\($0)" } ?? ""
        let text = result.parameters.isEmpty ? line : result.parameterText
        return text.isEmpty ? "" : " (\(text))"
    }

    static func counts(_ result: BenchResult) -> Table {
        let kinds = statementKinds(result)
        var table = Table(
            [.init("strategy")] + kinds.map { .init($0.uppercased(), .right) } + [
                .init("as predicted"), .init("rows", .right), .init("VM steps", .right),
                .init("faults", .right), .init("of to-many", .right), .init("cache hits", .right),
                .init("prefetches", .right), .init("allocations", .right),
                .init("allocated", .right),
            ])
        for strategy in result.strategies {
            let counts = strategy.counts
            table.add(
                [strategy.name] + kinds.map { Figures.count(counts.statements[$0] ?? 0) }
                    + [prediction(strategy)]
                    + [
                        counts.rows, counts.vmSteps, counts.faults, counts.relationshipFaults,
                        counts.rowCacheHits, counts.prefetches,
                    ].map { Figures.count($0) } + [
                        counts.allocations.map { Figures.count($0) } ?? "",
                        counts.allocatedBytes.map(Figures.bytes) ?? "",
                    ])
        }
        return table
    }

    static func times(_ result: BenchResult) -> Table {
        var table = Table([
            .init("strategy"), .init("time", .right), .init("95 % interval", .right),
            .init("in C", .right), .init("ratio to C", .right), .init("its interval", .right),
            .init("peak memory", .right), .init("in C", .right), .init("grows with size^", .right),
            .init("in C", .right),
        ])
        for strategy in result.strategies { table.add([strategy.name] + figures(strategy)) }
        return table
    }

    private static func prediction(_ strategy: StrategyResult) -> String {
        guard !strategy.expectations.isEmpty else { return "" }
        return strategy.expectations.allSatisfy(\.holds) ? "yes" : "no"
    }

    /// The wrong predictions of the workload file, as sentences.
    static func broken(_ strategy: StrategyResult) -> [String] {
        strategy.expectations.filter { !$0.holds }.map {
            "\(strategy.name): predicted \($0.count) = \($0.expression) = "
                + "\(Figures.count($0.expected)), observed \(Figures.count($0.seen))"
        }
    }

    /// The kinds of statements that any strategy executed, in a fixed order.
    static func statementKinds(_ result: BenchResult) -> [String] {
        let order = ["select", "insert", "update", "delete"]
        let all = Set(result.strategies.flatMap { $0.counts.statements.filter { $1 > 0 }.keys })
        return order.filter(all.contains) + all.subtracting(order).sorted()
    }

    private static func figures(_ strategy: StrategyResult) -> [String] {
        let ratio = strategy.twin?.ratio
        return [
            strategy.time.map { Figures.time($0.medianNanoseconds) } ?? "",
            strategy.time.map { Figures.interval($0.lowNanoseconds, $0.highNanoseconds) } ?? "",
            strategy.twin?.time.map { Figures.time($0.medianNanoseconds) } ?? "",
            ratio.map { Figures.ratio($0.median) } ?? "",
            ratio.map { "\(Figures.ratio($0.low)) – \(Figures.ratio($0.high))" } ?? "",
            strategy.peakMemoryBytes.map(Figures.bytes) ?? "",
            strategy.twin?.peakMemoryBytes.map(Figures.bytes) ?? "",
            strategy.scaling.map { Figures.significant($0.exponent) } ?? "",
            strategy.scaling.map { Figures.significant($0.twinExponent) } ?? "",
        ]
    }

    private func failures() -> String {
        Self.failures(report).map { terminal.paint($0, .red) + "\n" }.joined()
    }

    static func failures(_ report: BenchReport) -> [String] {
        (report.failures ?? []).map { "not measured completely: \($0)" }
    }

    private func footer() -> String {
        let lines =
            [Self.label(report.environment)] + [Self.timeBudget(report)].compactMap(\.self)
            + (report.warnings ?? [])
        return lines.map { terminal.paint($0, .grey) + "\n" }.joined()
    }

    /// A sentence about the time budget and the number of samples. Nil without a time budget.
    static func timeBudget(_ report: BenchReport) -> String? {
        guard let budget = report.timeBudget else { return nil }
        let strategies = report.results.flatMap(\.strategies)
        let rounds = strategies.compactMap { $0.time?.samplesNanoseconds.count }
        let sides: [Timing] = strategies.flatMap { strategy in
            [strategy.time, strategy.twin?.time].compactMap(\.self)
                + (strategy.peers ?? []).map(\.time)
        }
        let total = sides.map(\.samplesNanoseconds.count).total
        var text = "\(Figures.seconds(budget.seconds)) budget; "
        text += Figures.count(total, "timed sample")
        if let least = rounds.min(), let most = rounds.max() {
            text += ", \(least == most ? "\(least)" : "\(least) to \(most)") for each side of a "
            text += "strategy"
        }
        text += "; minimum \(budget.floor), maximum \(budget.most); "
        text += "\(Figures.seconds(budget.spentSeconds)) spent"
        if budget.spentSeconds > budget.seconds, rounds.min() ?? 0 <= budget.floor {
            text += ", because the counts and the minimum take longer than the budget"
        }
        return text + "."
    }

    static func label(_ facts: Environment) -> String {
        "Counts are exact. Times are indicative: measured on \(Self.facts(facts))."
    }

    static func facts(_ facts: Environment) -> String {
        [
            facts.machine, facts.cpu, Figures.count(facts.cores, "core"),
            Figures.bytes(facts.memoryBytes), facts.operatingSystem,
            named("Swift", facts.swift), named("SQLite", facts.sqlite), "\(facts.build) build",
        ].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// The name of the product is omitted if the version begins with it.
    private static func named(_ product: String, _ version: String) -> String {
        version.hasPrefix(product) ? version : "\(product) \(version)"
    }

    /// One row for each workload, with the range of each figure over its strategies.
    static func numbers(_ report: BenchReport) -> Table {
        var table = Table([
            .init("workload"), .init("statements", .right), .init("time", .right),
            .init("ratio to C", .right), .init("peak memory", .right),
        ])
        for result in report.results {
            let strategies = result.strategies
            table.add([
                result.workload,
                range(strategies.map(\.counts.statementTotal), Figures.count),
                range(strategies.compactMap { $0.time?.medianNanoseconds }, Figures.time),
                range(strategies.compactMap { $0.twin?.ratio?.median }, Figures.ratio),
                range(strategies.compactMap(\.peakMemoryBytes), Figures.bytes),
            ])
        }
        return table
    }

    /// For example `4 – 54`. If both bounds have the same text, it is written once.
    private static func range<Value: Comparable>(
        _ values: [Value], _ text: (Value) -> String
    ) -> String {
        guard let least = values.min(), let most = values.max() else { return "" }
        let (low, high) = (text(least), text(most))
        return low == high ? low : "\(low) – \(high)"
    }

    /// One row for each strategy of each workload.
    static func overview(_ report: BenchReport) -> Table {
        var table = Table([
            .init("workload"), .init("strategy"), .init("SELECT", .right),
            .init("all statements", .right), .init("rows", .right), .init("faults", .right),
            .init("time", .right), .init("ratio to C", .right),
        ])
        for result in report.results {
            for strategy in result.strategies {
                table.add([
                    result.workload, strategy.name,
                    Figures.count(strategy.counts.statements["select"] ?? 0),
                    Figures.count(strategy.counts.statementTotal),
                    Figures.count(strategy.counts.rows), Figures.count(strategy.counts.faults),
                    strategy.time.map { Figures.time($0.medianNanoseconds) } ?? "",
                    strategy.twin?.ratio.map { Figures.ratio($0.median) } ?? "",
                ])
            }
        }
        return table
    }
}
