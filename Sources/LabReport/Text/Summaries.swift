import Foundation
import LabResults

/// Summaries of the pages for the index, which exists in Markdown and HTML.
enum Summaries {
    struct Summary {
        /// The name of the page's files without the extension.
        var stem: String
        var title: String
        var sentence: String
        var facts: [String]
        var endings = ["html", "md", "json"]
    }

    static func sentence(_ content: SiteContent) -> String {
        let what = "Faultline's results about merge conflicts, faults, batches and prefetching."
        return content.command == nil
            ? what + " Written from saved results."
            : what + " One command writes all of these pages again:"
    }

    /// The order is that of the navigation.
    static func all(_ content: SiteContent) -> [Summary] {
        [
            content.matrix.map { matrix($0, content.expectation) }, content.run.map(run),
            content.bench.map(bench), content.history.map(history),
        ].compactMap(\.self)
    }

    private static func matrix(_ matrix: MatrixResult, _ check: ExpectationCheck?) -> Summary {
        let cells = matrix.rows.flatMap(\.cells)
        let kinds = [
            ("prevented", "prevented"), ("correct", "correct"), ("error", "error"),
            ("silently-lost", "silently lost"), ("silently-wrong", "silently wrong"),
            ("skipped", "skipped"),
        ]
        let counts = kinds.compactMap { kind, word -> String? in
            let count = cells.count { $0.classification.kind == kind }
            return count == 0 ? nil : "\(Figures.count(count)) \(word)"
        }
        let size =
            "\(Figures.count(matrix.rows.count, "bug")) × "
            + Figures.count(matrix.columns.count, "policy", "policies")
        return Summary(
            stem: "matrix", title: "Policy matrix",
            sentence: "The effect of each merge policy on each reported bug.",
            facts: ["\(size): \(counts.joined(separator: ", "))"]
                + (check.map { [$0.sentence] } ?? []))
    }

    private static func run(_ report: RunReport) -> Summary {
        Summary(
            stem: "scenarios", title: SiteContent.runTitle,
            sentence: "Every scenario file, run in every cell of its matrix.",
            facts: RunText(report).summary().components(separatedBy: " · "))
    }

    private static func bench(_ report: BenchReport) -> Summary {
        Summary(
            stem: "bench", title: "Fetch costs",
            sentence: "Statements, faults and time of each fetching strategy, compared with C.",
            facts: report.results.map { "\($0.workload): \(statements($0))" })
    }

    private static func history(_ history: BenchHistory) -> Summary {
        let runs = Figures.count(history.runs.count, "result")
        let ends = [history.runs.first, history.runs.last].compactMap { $0?.label }
        return Summary(
            stem: "history", title: "Trends",
            sentence: "Changes of counts and times between commits.",
            facts: ["\(runs), from \(ends.joined(separator: " to "))"]
                + history.changes.prefix(5), endings: ["html", "md"])
    }

    /// For example `4 to 54 statements`.
    private static func statements(_ result: BenchResult) -> String {
        let totals = result.strategies.map(\.counts.statementTotal)
        guard let least = totals.min(), let most = totals.max() else { return "nothing measured" }
        let high = Figures.count(most, "statement")
        return least == most ? high : "\(Figures.count(least)) to \(high)"
    }
}
