import LabFiles
import LabResults
import ReportParts

/// A report of the stress tests as text. The command `torture` prints it.
package struct TortureText {
    private let report: TortureReport

    package init(_ report: TortureReport) { self.report = report }

    /// A line for each test with its failures. If the time was limited, the total number of
    /// attempts follows.
    package func text() -> String {
        report.parts.map(Self.text).joined() + (budget.map { $0 + "\n" } ?? "")
    }

    private static func text(_ part: TorturePartResult) -> String {
        let floor = part.floor.map { ", minimum \(Figures.count($0))" } ?? ""
        let facts =
            [
                "\(Figures.count(part.completed, "attempt"))\(floor) in "
                    + Figures.seconds(part.seconds)
            ] + counts(part) + [Figures.count(part.failures.count, "failure")]
        return "\(part.name): \(facts.joined(separator: " · "))\n"
            + part.failures.map(text).joined()
    }

    private static func counts(_ part: TorturePartResult) -> [String] {
        let counts = part.counts.sorted { $0.key < $1.key }
            .map { "\(Figures.count($0.value)) \($0.key)" }
        return counts.isEmpty ? [] : [counts.joined(separator: ", ")]
    }

    private static func text(_ failure: TortureFailure) -> String {
        let input = failure.input ?? ""
        return "  attempt \(failure.attempt): \(failure.what)\n"
            + (input.isEmpty ? "" : "    \(input)\n")
    }

    /// For example `60 s budget; 41,200 attempts; minimum 9,000; 60.3 s spent.`
    private var budget: String? {
        guard let seconds = report.timeBudgetSeconds else { return nil }
        let facts = [
            "\(Figures.seconds(seconds)) budget",
            Figures.count(report.parts.map(\.completed).total, "attempt"),
            "minimum \(Figures.count(report.parts.compactMap(\.floor).total))",
            "\(Figures.seconds(report.spentSeconds)) spent",
        ]
        let isAtFloor = report.parts.contains { $0.completed <= $0.floor ?? 0 }
        let why =
            isAtFloor && report.spentSeconds > seconds
            ? ", because the minimum takes longer than the budget" : ""
        return facts.joined(separator: "; ") + why + "."
    }
}
