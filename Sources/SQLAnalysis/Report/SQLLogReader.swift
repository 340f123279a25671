import CoreDataModel
import LabResults

/// Reads SQLDebug logs, Core Data's and this engine's.
///
/// The command `sql` calls it, and nothing else of the log's side.
package struct SQLLogReader {
    /// From how many reads on a chain is one.
    package var chainMin = 5
    /// From how many rows on a fetch without limit or batches is told.
    package var unboundedRows = 1_000

    private var store: OpenedStore?

    package init() {}

    /// Names columns and relationships by a store's or a model's names, and asks it for plans.
    ///
    /// - Throws: what keeps them from being used. The store is copied and never written.
    package mutating func use(store: String?, model: String?) throws(InputErrors) {
        if let store {
            self.store = try OpenedStore.copy(of: store, model: model)
        } else if let model {
            self.store = try OpenedStore.empty(model: model)
        }
    }

    /// Reads a log.
    ///
    /// - Parameter name: the log as the user named it.
    /// - Throws: an error for a text in which Core Data says nothing.
    package func read(_ bytes: [UInt8], name: String) throws(InputError) -> SQLReport {
        let content = LogAssembly(bytes).content
        guard content.entryCount > 0 else {
            throw InputError(
                file: name,
                problem: bytes.isEmpty
                    ? "the log is empty"
                    : "none of its \(content.lineCount) lines is Core Data's",
                remedy: "run the app with -com.apple.CoreData.SQLDebug 1 (2 shows values too) and "
                    + "save what it writes to the console")
        }
        return report(content, name: name)
    }

    private func report(_ content: LogContent, name: String) -> SQLReport {
        let names = EntityNames(content, layout: store?.layout)
        let plans = self.plans(content)
        let summary = LogSummary(content, names: names, plans: plans)
        let accesses = Access.all(content, names: names)
        let chains = Chain.all(accesses, content, names)
        let long = chains.filter { $0.count >= chainMin }
        var findings = ChainFindings(content: content, names: names, chainMin: chainMin)
            .all(chains)
        findings += RepeatFindings(content: content, names: names, unboundedRows: unboundedRows)
            .all(accesses, inChains: Set(long.compactMap(\.shape)))
        findings += IndexFindings(content: content, names: names, plans: plans) { table in
            store?.rowCount(ofTable: table)
        }.all(summary.seen)
        return SQLReport(
            log: name, totals: summary.totals, shapes: summary.shapes,
            findings: Self.sorted(findings), notes: notes(content, plans))
    }

    private static func sorted(_ findings: [SQLFinding]) -> [SQLFinding] {
        findings.sorted { one, other in
            if one.statements != other.statements { return one.statements > other.statements }
            if one.kind != other.kind { return rank(one.kind) < rank(other.kind) }
            return (one.lines.first ?? 0, one.title) < (other.lines.first ?? 0, other.title)
        }
    }

    /// What cures comes before what it cures.
    private static func rank(_ kind: SQLFinding.Kind) -> Int {
        let order: [SQLFinding.Kind] = [
            .missingPrefetch, .nPlusOne, .missingIndex, .unboundedFetch, .repeatedFetch,
            .repeatedFault, .smallTransactions,
        ]
        return order.firstIndex(of: kind) ?? order.count
    }

    private func plans(_ content: LogContent) -> [Int: [String]] {
        var plans = content.plans.mapValues { lines in
            lines.map { line in
                let words = line.split(maxSplits: 3, whereSeparator: \.isWhitespace)
                return words.count == 4 ? String(words[3]) : line
            }
        }
        guard let store else { return plans }
        let cut = Set(content.statements.filter(\.isTruncated).map(\.shape))
        for (index, shape) in content.shapes.enumerated() where !cut.contains(index) {
            guard shape.kind == "select" || shape.isWrite else { continue }
            if let plan = store.plan(of: content.samples[index]) { plans[index] = plan }
        }
        return plans
    }

    private func notes(_ content: LogContent, _ plans: [Int: [String]]) -> [String] {
        var notes: [String] = []
        if content.statements.isEmpty {
            notes.append("The log has lines of Core Data, but no statement.")
        }
        let truncated = content.statements.count(where: \.isTruncated)
        if truncated > 0 {
            notes.append(
                "\(truncated) statements are cut off, so their conditions are unknown. The system "
                    + "log cuts at 1,024 characters; -com.apple.CoreData.Logging.stderr 1 writes "
                    + "whole lines to the standard error.")
        }
        if content.threads.isEmpty, !content.statements.isEmpty {
            notes.append(
                "The lines have no thread numbers; what threads did at one time is told apart by "
                    + "its content alone.")
        }
        if plans.isEmpty, !content.statements.isEmpty {
            notes.append(
                "No query plans: give --store or --model to see missing indexes, or log at level "
                    + "4.")
        }
        let hasValues = content.statements.contains { !$0.bindings.isEmpty }
        if !hasValues, content.shapes.contains(where: { $0.text.contains("?") }) {
            notes.append("No values: log at level 2 to see which fetches are repeated unchanged.")
        }
        return notes
    }
}
