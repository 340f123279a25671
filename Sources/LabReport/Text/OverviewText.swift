import LabResults

/// A summary of the matrix, the catalogue of bugs and the benchmarks. The tool prints it when it is
/// run without a command.
package enum OverviewText {
    package static func text(
        _ content: SiteContent, terminal: Terminal = .plain
    ) -> String {
        var parts: [String] = []
        if let matrix = content.matrix {
            parts.append(MatrixText(matrix, terminal: terminal).short())
        }
        if let run = content.run {
            let title = terminal.paint("Scenarios", .bold)
            parts.append("\(title)\n\n" + RunText(run, terminal: terminal).problems())
        }
        if let bench = content.bench {
            let title = terminal.paint("Fetch costs", .bold)
            let table = BenchText.overview(bench).withoutEmptyColumns().text()
            let budget = BenchText.timeBudget(bench).map { $0 + "\n" } ?? ""
            parts.append(
                "\(title)\n\n\(table)\n\(BenchText.label(bench.environment))\n\(budget)")
        }
        return parts.joined(separator: "\n")
    }
}
