import BenchResults
import ReportParts

/// A benchmark report as a Markdown page.
package enum BenchMarkdown {
    package static func page(_ report: BenchReport) -> String {
        """
        # Faults, batches and prefetching

        \(BenchText.label(report.environment))
        Preset `\(report.preset)`, seed \(report.seed).\(timeBudget(report))\(failures(report))

        \(BenchText.overview(report).withoutEmptyColumns().markdown())\(peers(report))
        \(report.results.map(section).joined(separator: "\n"))
        """
    }

    private static func timeBudget(_ report: BenchReport) -> String {
        BenchText.timeBudget(report).map { "\n" + $0 } ?? ""
    }

    private static func failures(_ report: BenchReport) -> String {
        let lines = BenchText.failures(report).map { "\n- \(Markdown.text($0))" }.joined()
        return lines.isEmpty ? "" : "\n" + lines
    }

    private static func peers(_ report: BenchReport) -> String {
        PeerTables.table(report).map { "\n## Peers in the same rounds\n\n" + $0.markdown() } ?? ""
    }

    private static func section(_ result: BenchResult) -> String {
        let sql = result.strategies.map(statements).joined(separator: "\n")
        return """
            ## \(result.workload)

            \(Markdown.text(result.sentence))

            \(place(result))

            \(BenchText.counts(result).withoutEmptyColumns().markdown())
            \(BenchText.times(result).withoutEmptyColumns().markdown())
            \(besides(result))\(sql)
            """
    }

    private static func place(_ result: BenchResult) -> String {
        let file =
            "File: " + Markdown.code(result.file + (result.line.map { ":\($0)" } ?? "")) + "."
        return result.parameters.isEmpty
            ? file : file + " Parameters: \(Markdown.code(result.parameterText))."
    }

    private static func besides(_ result: BenchResult) -> String {
        let tables = [
            BenchText.figures(result), BenchText.derived(result), BenchText.peers(result),
        ].compactMap { $0?.withoutEmptyColumns().markdown() }
        let sentences = Explanation.sentences(result).map { Markdown.text($0) + "\n" }
        return (tables + sentences).map { $0 + "\n" }.joined()
    }

    private static func statements(_ strategy: StrategyResult) -> String {
        let notes = Advice.notes(strategy)
        return """
            ### \(strategy.name)

            \(Markdown.text(strategy.sentence))

            \(Markdown.block(listing(strategy.statements), language: "sql"))
            \(notes.map { "- \(Markdown.text($0))\n" }.joined())
            """
    }

    /// One statement on each line, after the number of its executions.
    static func listing(_ statements: [StatementCount]) -> String {
        let width = statements.map { Figures.count($0.count).count }.max() ?? 0
        return statements.map { statement in
            let count = Figures.count(statement.count)
            let space = String(repeating: " ", count: width - count.count)
            return "\(space)\(count) × \(statement.text)\n"
        }.joined()
    }
}

/// Advice that follows from the statements of a strategy.
enum Advice {
    /// With at least this many executions, a SELECT probably runs once for each object.
    private static let repeatsMin = 10

    static func notes(_ strategy: StrategyResult) -> [String] {
        let repeated = strategy.statements.filter {
            $0.kind == "select" && $0.count >= repeatsMin
        }
        return BenchText.broken(strategy) + strategy.notes
            + repeated.map {
                "One SELECT text ran \(Figures.count($0.count)) times with different parameters: "
                    + "a statement per object or per batch. Prefetching its key path, or a larger "
                    + "batch, would reduce their number."
            }
    }
}
