import LabResults

/// Finds reads that are larger than necessary: fetches without a limit, long lists of values, and
/// fetches whose rows are only counted.
struct LargeReads: Sendable {
    /// A fetch without limit and batches is reported from this number of rows.
    let unboundedRows: Int

    /// A list is reported from this number of values. On old systems, SQLite's default limit is
    /// 999.
    static let listMin = 1_000

    private struct Entry {
        /// The largest number of rows or, for lists, of values.
        var size = 0
        var count = 0
        var nanoseconds: UInt64 = 0
        var lines = FirstLines()

        mutating func add(_ size: Int, _ line: Int, _ nanoseconds: UInt64) {
            self.size = max(self.size, size)
            count += 1
            self.nanoseconds &+= nanoseconds
            lines.add(line)
        }
    }

    private var unbounded: [Int: Entry] = [:]
    private var lists: [Int: Entry] = [:]
    private var unread: [Int: Entry] = [:]
    private var keyFetches: [Int: Int] = [:]
    /// Tables from which single objects or pages were read.
    private var readTables: Set<String> = []

    init(unboundedRows: Int) { self.unboundedRows = unboundedRows }

    // MARK: Taking

    mutating func take(_ statement: LogStatement, _ shape: StatementShape) {
        let isRead = shape.isByKey || shape.readsArray || shape.kind == "delete"
        if isRead, let table = shape.table { readTables.insert(table) }
        let time = statement.time ?? 0
        if statement.role == .fetch, let rows = statement.rows, rows >= unboundedRows,
            !isLimited(statement, shape), !shape.isGrouped, !shape.readsArray, !shape.isHistory
        {
            if shape.isKeysOnly {
                keyFetches[statement.shape, default: 0] += 1
            } else {
                unbounded[statement.shape, default: Entry()].add(rows, statement.line, time)
            }
        }
        if statement.listCount >= Self.listMin, isOwnList(statement, shape) {
            lists[statement.shape, default: Entry()].add(statement.listCount, statement.line, time)
        }
    }

    /// Whether a limit restricts the rows. `LIMIT -1`, which SQL requires for an offset, does not.
    private func isLimited(_ statement: LogStatement, _ shape: StatementShape) -> Bool {
        shape.hasLimit && statement.limit ?? 0 >= 0
    }

    /// Whether the list comes from the program's predicate. Core Data itself writes lists of keys
    /// for batches and prefetches.
    private func isOwnList(_ statement: LogStatement, _ shape: StatementShape) -> Bool {
        if case .prefetch = statement.role { return false }
        return shape.kind == "select" && !shape.readsArray
            && shape.conditions.contains { $0.comparison.hasSuffix("IN") }
    }

    /// Counts a fetch whose objects were never read.
    mutating func take(unread access: Access, _ catalog: ShapeCatalog) {
        guard let shape = access.shape, catalog[shape].isKeysOnly, !catalog[shape].hasLimit,
            let rows = access.rows, rows >= unboundedRows
        else { return }
        unread[shape, default: Entry()].add(rows, access.line, access.nanoseconds)
    }

    // MARK: Findings

    func findings(_ catalog: ShapeCatalog, _ names: EntityNames) -> [SQLFinding] {
        let all =
            sorted(unbounded).map { ($0, $1, finding(unbounded: catalog[$0], $1, names)) }
            + sorted(lists).map { ($0, $1, finding(list: $1)) }
            + sorted(unread).filter { isUnread($0, $1, catalog) }
            .map { ($0, $1, finding(unread: catalog[$0], $1, names)) }
        return all.map { shape, entry, finding in
            var finding = finding
            finding.statements = entry.count
            finding.nanoseconds = entry.nanoseconds
            finding.lines = entry.lines.lines
            finding.statement = catalog[shape].text
            return finding
        }
    }

    private func sorted(_ entries: [Int: Entry]) -> [(Int, Entry)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func finding(
        unbounded shape: StatementShape, _ entry: Entry, _ names: EntityNames
    ) -> SQLFinding {
        let name = names.shown(table: shape.table)
        let narrow =
            shape.hasWhere
            ? "" : " The fetch has no predicate: fetch only the rows that are used."
        let title = "A fetch of \(name) without limit or batch size returned \(entry.size) rows"
        guard shape.givesObjects else {
            return SQLFinding(
                kind: .unboundedFetch, title: title, statements: 0, lines: [],
                advice:
                    "A batch size does nothing for dictionaries: let SQLite compute totals with "
                    + "NSExpressionDescription and propertiesToGroupBy, or set a fetchLimit."
                    + narrow,
                code: "request.fetchLimit = \(ChainFindings.batchSize)")
        }
        return SQLFinding(
            kind: .unboundedFetch, title: title, statements: 0, lines: [],
            advice: "Set a batch size, so that rows are read when they are used, or a fetchLimit "
                + "if the first rows are enough; count with count(for:), and compute totals with a "
                + "dictionary result." + narrow,
            code: "request.fetchBatchSize = \(ChainFindings.batchSize)")
    }

    private func finding(list entry: Entry) -> SQLFinding {
        SQLFinding(
            kind: .largeList,
            title: "A fetch used a list of \(entry.size) values",
            statements: 0, lines: [],
            advice: "SQLite compiles a separate statement for each length of a list, and refuses"
                + " lists of more than 32,766 values (999 on old systems). Fetch by a relationship"
                + " or a range, or fetch once with propertiesToFetch and match in memory.")
    }

    /// Whether no thread read any of the objects that the fetch returned.
    private func isUnread(_ shape: Int, _ entry: Entry, _ catalog: ShapeCatalog) -> Bool {
        entry.count >= 2 && entry.count == keyFetches[shape]
            && catalog[shape].table.map { !readTables.contains($0) } ?? false
    }

    private func finding(
        unread shape: StatementShape, _ entry: Entry, _ names: EntityNames
    ) -> SQLFinding {
        SQLFinding(
            kind: .countByFetch,
            title: "A fetch of \(names.shown(table: shape.table)) returned up to \(entry.size) "
                + "keys, and none of the objects was read in this log",
            statements: 0, lines: [],
            advice: "If the code needs only the number of objects, let SQLite count.",
            code: "let count = try context.count(for: request)")
    }
}
