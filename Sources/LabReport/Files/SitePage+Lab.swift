import Foundation
import LabFiles
import LabResults
import ReportParts

/// The pages about results of the lab.
extension SitePage {
    /// The page of a matrix, and of its comparison with the expected matrix.
    package static func matrix(
        _ matrix: MatrixResult, check: ExpectationCheck? = nil
    ) throws -> SitePage {
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
        return SitePage(
            Summary(
                title: "Policy matrix",
                sentence: "The effect of each merge policy on each reported bug.",
                facts: ["\(size): \(counts.joined(separator: ", "))"]
                    + (check.map { [$0.sentence] } ?? [])),
            page: MatrixPage.page(matrix, check: check), markdown: MatrixMarkdown.page(matrix),
            json: try ResultFile.text(matrix))
    }

    /// The page of a run over scenario files.
    package static func run(_ report: RunReport) throws -> SitePage {
        let title = "Scenarios"
        return SitePage(
            Summary(
                title: title, sentence: "Every scenario file, run in every cell of its matrix.",
                facts: RunText(report).summary().components(separatedBy: " · ")),
            page: RunPage.page(report, title: title),
            markdown: RunMarkdown.page(report, title: title), json: try ResultFile.text(report))
    }
}
