import BenchResults
import LabFiles
import ReportParts

/// The pages about results of the bench.
extension SitePage {
    /// The page of one result.
    package static func bench(_ report: BenchReport) throws -> SitePage {
        SitePage(
            Summary(
                title: "Fetch costs",
                sentence:
                    "Statements, faults and time of each fetching strategy, compared with C.",
                facts: report.results.map { "\($0.workload): \(statements($0))" }),
            page: BenchPage.page(report), markdown: BenchMarkdown.page(report),
            json: try ResultFile.text(report), footer: BenchText.label(report.environment))
    }

    /// The page of trends over saved results.
    package static func history(_ history: BenchHistory) -> SitePage {
        let runs = Figures.count(history.runs.count, "result")
        let ends = [history.runs.first, history.runs.last].compactMap { $0?.label }
        return SitePage(
            Summary(
                title: "Trends", sentence: "Changes of counts and times between commits.",
                facts: ["\(runs), from \(ends.joined(separator: " to "))"]
                    + history.changes.prefix(5)),
            page: HistoryPage.page(history), markdown: HistoryMarkdown.page(history))
    }

    /// For example `4 to 54 statements`.
    private static func statements(_ result: BenchResult) -> String {
        let totals = result.strategies.map(\.counts.statementTotal)
        guard let least = totals.min(), let most = totals.max() else { return "nothing measured" }
        let high = Figures.count(most, "statement")
        return least == most ? high : "\(Figures.count(least)) to \(high)"
    }
}
