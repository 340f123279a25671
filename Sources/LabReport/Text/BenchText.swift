// Owns the text of a bench report; the command `bench` prints it.

import LabResults

/// A bench report as text.
package struct BenchText {
    private let report: BenchReport
    private let terminal: Terminal

    package init(_ report: BenchReport, terminal: Terminal = .plain) {
        self.report = report
        self.terminal = terminal
    }

    /// Each workload's table, and the machine that the times belong to.
    package func text() -> String {
        report.results.map(section).joined(separator: "\n") + "\n" + footer()
    }

    private func section(_ result: BenchResult) -> String {
        let table = Self.table(result).withoutEmptyColumns().text(indent: "  ")
        return """
            \(terminal.paint(result.workload, .bold)) (\(result.parameterText))
              \(result.sentence)

            \(table)
            """
    }

    /// The figures of one workload, a row per strategy.
    static func table(_ result: BenchResult) -> Table {
        let kinds = statementKinds(result)
        var table = Table(
            [.init("strategy")] + kinds.map { .init($0.uppercased(), .right) }
                + [
                    .init("rows", .right), .init("VM steps", .right), .init("faults", .right),
                    .init("cache hits", .right), .init("peak memory", .right),
                    .init("time", .right), .init("95 % interval", .right), .init("C time", .right),
                    .init("ratio to C", .right), .init("its interval", .right),
                ])
        for strategy in result.strategies {
            let counts = kinds.map { Figures.count(strategy.counts.statements[$0] ?? 0) }
            table.add([strategy.name] + counts + figures(strategy))
        }
        return table
    }

    /// The kinds of statements that ran in any strategy, in a fixed order.
    static func statementKinds(_ result: BenchResult) -> [String] {
        let order = ["select", "insert", "update", "delete"]
        let all = Set(result.strategies.flatMap { $0.counts.statements.filter { $1 > 0 }.keys })
        return order.filter(all.contains) + all.subtracting(order).sorted()
    }

    private static func figures(_ strategy: StrategyResult) -> [String] {
        let counts = strategy.counts
        let ratio = strategy.twin?.ratio
        return [
            Figures.count(counts.rows), Figures.count(counts.vmSteps),
            Figures.count(counts.faults), Figures.count(counts.rowCacheHits),
            strategy.peakMemoryBytes.map(Figures.bytes) ?? "",
            strategy.time.map { Figures.time($0.medianNanoseconds) } ?? "",
            strategy.time.map { Figures.interval($0.lowNanoseconds, $0.highNanoseconds) } ?? "",
            strategy.twin?.time.map { Figures.time($0.medianNanoseconds) } ?? "",
            ratio.map { Figures.ratio($0.median) } ?? "",
            ratio.map { "\(Figures.ratio($0.low)) – \(Figures.ratio($0.high))" } ?? "",
        ]
    }

    private func footer() -> String {
        terminal.paint(Self.label(report.environment), .grey) + "\n"
    }

    /// What every time is labelled with.
    static func label(_ facts: Environment) -> String {
        "Counts are exact. Times are indicative: measured on \(Self.facts(facts))."
    }

    /// The machine and the builds in one line.
    static func facts(_ facts: Environment) -> String {
        [
            facts.machine, facts.cpu, Figures.count(facts.cores, "core"),
            Figures.bytes(facts.memoryBytes), facts.operatingSystem, "Swift \(facts.swift)",
            "SQLite \(facts.sqlite)", "\(facts.build) build",
        ].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
