import CoreDataModel
import LabFiles
import LabResults

/// Reads SQLDebug logs of Core Data and of this engine, for the command `sql`.
package struct SQLLogReader {
    /// A chain is reported from this number of reads.
    package var chainMin = 5
    /// A fetch without limit and batches is reported from this number of rows.
    package var unboundedRows = 1_000

    private var store: OpenedStore?

    package init() {}

    /// Opens a copy of a store, or a model. It provides the names of columns and relationships, and
    /// query plans.
    ///
    /// - Throws: an error if the store or the model cannot be used.
    package mutating func use(store: String?, model: String?) throws(InputErrors) {
        if let store {
            self.store = try OpenedStore.copy(of: store, model: model)
        } else if let model {
            self.store = try OpenedStore.empty(model: model)
        }
    }

    /// Reads a log in memory.
    ///
    /// - Parameter name: the user's name for the log.
    /// - Throws: an error if the text contains no line of Core Data.
    package func read(_ bytes: [UInt8], name: String) throws(InputError) -> SQLReport {
        var rest: [UInt8]? = bytes
        return try read(name: name) { () throws(InputError) in
            defer { rest = nil }
            return rest
        }
    }

    /// Reads a log in chunks. The memory use does not grow with the length of the log.
    ///
    /// - Parameters:
    ///   - name: the user's name for the log.
    ///   - next: returns the next bytes, of any number; nil at the end.
    /// - Throws: an error of `next`, or an error if the log contains no line of Core Data.
    package func read(
        name: String, _ next: () throws(InputError) -> [UInt8]?
    ) throws(InputError) -> SQLReport {
        var pipeline = LogPipeline()
        var digest = LogDigest(
            chainMin: chainMin, unboundedRows: unboundedRows, layout: store?.layout)
        var isEmpty = true
        while let chunk = try next() {
            isEmpty = isEmpty && chunk.isEmpty
            let records = pipeline.feed(chunk)
            for record in records { digest.take(record, pipeline.assembly.catalog) }
        }
        for record in pipeline.finish() { digest.take(record, pipeline.assembly.catalog) }
        digest.finish(pipeline.assembly.catalog)
        digest.note(pipeline)
        guard pipeline.entryCount > 0 else {
            throw InputError(
                file: name,
                problem: isEmpty
                    ? "the log is empty"
                    : "none of its \(pipeline.lineCount) lines is from Core Data",
                remedy: "run the app with -com.apple.CoreData.SQLDebug 1 (2 shows values too) and "
                    + "save its console output")
        }
        return report(pipeline, digest, name: name)
    }

    private func report(
        _ pipeline: LogPipeline, _ digest: LogDigest, name: String
    ) -> SQLReport {
        let catalog = pipeline.assembly.catalog
        let names = digest.names
        let plans = self.plans(catalog, digest.shapes)
        let inChains = Set(digest.groups.all.compactMap(\.chain.shape))
        var findings = ChainFindings(catalog: catalog, names: names).all(digest.groups)
        findings += digest.findings(catalog, inChains: inChains)
        findings += IndexFindings(catalog: catalog, names: names, plans: plans, store: store)
            .all(digest.shapes.sums)
        return SQLReport(
            log: name, totals: digest.totals,
            shapes: digest.shapes.shapes(catalog, names, plans: plans),
            findings: Self.sorted(findings),
            notes: ReportNotes(pipeline: pipeline, digest: digest, hasPlans: !plans.isEmpty).all)
    }

    private static func sorted(_ findings: [SQLFinding]) -> [SQLFinding] {
        findings.sorted { one, other in
            if one.statements != other.statements { return one.statements > other.statements }
            if one.kind != other.kind { return rank(one.kind) < rank(other.kind) }
            return (one.lines.first ?? 0, one.title) < (other.lines.first ?? 0, other.title)
        }
    }

    /// The rank of a finding in the report. A missing prefetch comes before the loops that it
    /// causes.
    private static func rank(_ kind: SQLFinding.Kind) -> Int {
        let order: [SQLFinding.Kind] = [
            .missingPrefetch, .nPlusOne, .missingIndex, .unboundedFetch, .largeList, .countByFetch,
            .repeatedFetch, .repeatedFault, .smallTransactions,
        ]
        return order.firstIndex(of: kind) ?? order.count
    }

    private func plans(_ catalog: ShapeCatalog, _ sums: ShapeSums) -> [Int: [String]] {
        var plans = catalog.plans.mapValues { lines in
            lines.map { line in
                let words = line.split(maxSplits: 3, whereSeparator: \.isWhitespace)
                return words.count == 4 ? String(words[3]) : line
            }
        }
        guard let store else { return plans }
        for (index, shape) in catalog.shapes.enumerated()
        where index < sums.sums.count && !sums.sums[index].isTruncated {
            guard shape.kind == "select" || shape.isWrite else { continue }
            let sample = String(decoding: catalog.samples[index], as: UTF8.self)
            if let plan = store.plan(of: sample) { plans[index] = plan }
        }
        return plans
    }
}
