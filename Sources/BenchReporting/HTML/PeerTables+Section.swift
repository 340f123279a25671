import BenchResults
import ReportParts

extension PeerTables {
    /// Empty if no other program was measured.
    static func section(_ report: BenchReport) -> HTML {
        guard let table = table(report) else { return .empty }
        return HTML([
            .text("h2", "Peers in the same rounds"),
            .paragraph(
                "Time as a multiple of C's in the same round, and peak memory, of each program "
                    + "that did the same work on the same file with the same result."),
            HTMLTable.render(table, caption: "Other programs and the engine"),
        ])
    }
}
