import LabResults
import ReportParts

/// A matrix as a Markdown page.
package enum MatrixMarkdown {
    /// Shows the table, the result of each scenario, and the transcripts to which cells link.
    package static func page(_ matrix: MatrixResult) -> String {
        """
        # \(matrix.title)

        \(table(matrix))
        Each cell shows the effect of the policy on the bug, and the observed values at the end:

        \(legend)
        \(variants(matrix))## The scenarios

        \(matrix.rows.map(row).joined(separator: "\n"))
        ## Transcripts

        \(matrix.transcripts.map { transcript($0, of: matrix) }.joined(separator: "\n"))
        """
    }

    static let legend = """
        - **prevented**: the bug did not happen, and the words in brackets name the prevention;
        - **silently lost**: a change is gone without an error;
        - **silently wrong**: nothing is gone, but something is wrong, without an error;
        - **error**: a save or a read failed with this code of `NSCocoaErrorDomain`;
        - **correct**: nothing was lost, and nothing had to be prevented.

        """

    private static func variants(_ matrix: MatrixResult) -> String {
        guard let variants = matrix.variants, !variants.isEmpty else { return "" }
        let policies = matrix.columns.map(\.title).joined(separator: ", ")
        return """
            ## \(MatrixText.variantTitle)

            \(MatrixText.variantTable(matrix).markdown())
            A letter for each of \(policies). \(MatrixText.legend).


            """
    }

    private static func table(_ matrix: MatrixResult) -> String {
        let head = ["scenario"] + matrix.columns.map(\.title)
        let rule = head.map { _ in "---" }
        let rows = matrix.rows.map { row in
            [row.id]
                + row.cells.map { cell in
                    Markdown.link(Markdown.cell(cell.summary), cell.transcript.map { "#\($0)" })
                }
        }
        return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    private static func row(_ row: MatrixResult.Row) -> String {
        let sources = row.references.map { "<\($0)>" }.joined(separator: ", ")
        return """
            ### \(row.id) \(row.scenario)

            \(Markdown.text(row.sentence))

            File: `\(row.file)`.\(sources.isEmpty ? "" : " Sources: \(sources).")

            """
    }

    private static func transcript(
        _ transcript: Transcript, of matrix: MatrixResult
    ) -> String {
        """
        ### <a id="\(transcript.id)"></a>\(Markdown.text(transcript.title))

        `\(matrix.replayLine(transcript))`

        \(Markdown.block(transcript.text, language: "text"))
        """
    }
}
