import CoreDataModel
import LabResults

/// Computes the totals and findings of a log while it is being read.
///
/// The memory depends on the numbers of different statements and objects, not on the length of the
/// log.
struct LogDigest {
    private(set) var totals = SQLTotals()
    private(set) var shapes = ShapeSums()
    private(set) var names: EntityNames
    private(set) var groups: ChainGroups
    private(set) var repeats = RepeatedReads()
    private var large: LargeReads
    private var transactions = SmallTransactions()
    private var walks: [LogScope: ChainWalk] = [:]
    private var writes: [String: Int] = [:]
    /// Whether a statement has parameters, whose values a higher log level would show.
    private(set) var hasParameters = false
    private var order = 0
    /// The number of statements whose row count or time may be that of another statement, because
    /// the log does not distinguish threads.
    private(set) var guessedCount = 0

    /// The maximum number of threads whose reads are followed.
    private static let walksMax = 64

    init(chainMin: Int, unboundedRows: Int, layout: ModelLayout?) {
        names = EntityNames(layout: layout)
        groups = ChainGroups(chainMin: chainMin)
        large = LargeReads(unboundedRows: unboundedRows)
    }

    /// Processes a statement or a fault, in the order of the log.
    mutating func take(_ record: LogRecord, _ catalog: ShapeCatalog) {
        order += 1
        switch record {
        case .statement(let statement): take(statement, catalog)
        case .orphan(let orphan):
            totals.faults += 1
            let access = Access(orphan, names)
            repeats.take(fault: access, writes: changes([access.table]), orphan.scope.process)
            walk(access, orphan.scope, catalog)
        }
    }

    /// Ends all walks at the end of the log.
    mutating func finish(_ catalog: ShapeCatalog) {
        let scopes = walks.sorted { $0.value.lastUse < $1.value.lastUse }.map(\.key)
        for scope in scopes { endWalk(scope, catalog) }
    }

    /// The findings about single reads and transactions, without chains and query plans.
    func findings(_ catalog: ShapeCatalog, inChains shapes: Set<Int>) -> [SQLFinding] {
        repeats.findings(catalog, names, except: shapes) + large.findings(catalog, names)
            + [transactions.finding].compactMap(\.self)
    }

    // MARK: Statements

    private mutating func take(_ statement: LogStatement, _ catalog: ShapeCatalog) {
        let shape = catalog[statement.shape]
        names.learn(statement, shape)
        count(statement, shape)
        shapes.add(statement)
        large.take(statement, shape)
        transactions.take(statement, shape)
        if shape.isWrite, let table = shape.table {
            writes[table, default: 0] += 1
            walks[statement.scope]?.takeWrite(table: table)
        }
        if statement.parameterCount > 0, !shape.isHousekeeping { hasParameters = true }
        let isFetch = statement.role == .fetch || statement.role == .count
        // A read after a change to its table is not a repeated read.
        let changes = changes(shape.tables)
        if isFetch, shape.kind == "select", !shape.isByKey, !shape.readsArray, !shape.isHistory {
            repeats.take(fetch: statement, writes: changes)
        }
        guard let access = Access(statement, shape, names) else { return }
        if access.object != nil {
            repeats.take(fault: access, writes: changes, statement.scope.process)
        }
        walk(access, statement.scope, catalog)
    }

    /// The number of writes to the tables so far.
    private func changes(_ tables: [String?]) -> Int {
        tables.reduce(0) { $0 + ($1.flatMap { writes[$0] } ?? 0) }
    }

    private mutating func count(_ statement: LogStatement, _ shape: StatementShape) {
        totals.statements += 1
        totals.rows += statement.rows ?? 0
        totals.nanoseconds &+= statement.time ?? statement.guessedNanoseconds ?? 0
        if statement.isTruncated { totals.truncated += 1 }
        if statement.hasGuessedRows || statement.guessedNanoseconds != nil { guessedCount += 1 }
        switch shape.kind {
        case "select": totals.selects += 1
        case "commit": totals.transactions += 1
        default: if shape.isWrite { totals.writes += 1 }
        }
        switch statement.role {
        case .fault, .toManyFault: totals.faults += 1
        default: break
        }
    }

    // MARK: Chains

    private mutating func walk(_ access: Access, _ scope: LogScope, _ catalog: ShapeCatalog) {
        let known = ChainWalk.Knowledge(catalog: catalog, names: names)
        walks[scope, default: ChainWalk()].take(access, known)
        walks[scope]?.lastUse = order
        if let found = walks[scope]?.drain() { take(found, catalog) }
        guard walks.count > Self.walksMax,
            let oldest = walks.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
        else { return }
        endWalk(oldest, catalog)
    }

    private mutating func endWalk(_ scope: LogScope, _ catalog: ShapeCatalog) {
        guard var walk = walks.removeValue(forKey: scope) else { return }
        walk.finish()
        if let found = walk.drain() { take(found, catalog) }
    }

    private mutating func take(_ found: ChainWalk.Findings, _ catalog: ShapeCatalog) {
        for chain in found.chains { groups.add(chain) }
        for access in found.unread { large.take(unread: access, catalog) }
    }

    // MARK: Totals

    /// Adds the facts of the log that are not about statements.
    mutating func note(_ pipeline: LogPipeline) {
        let facts = pipeline.assembly.facts
        totals.lines = pipeline.lineCount
        totals.otherLines = pipeline.otherLineCount
        totals.threads = facts.threads.count
        guard let first = facts.firstSecond, let last = facts.lastSecond, last > first else {
            return
        }
        // If the clock was changed while the log was written, the time span is unknown.
        let span = last - first
        guard span < 1e9 else { return }
        totals.spanNanoseconds = UInt64(span * 1_000_000_000)
        totals.transactionsPerSecond =
            (Double(totals.transactions) / span * 100).rounded() / 100
    }
}
