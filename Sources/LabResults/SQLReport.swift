/// A read SQLDebug log: statements by shape, and what is wrong with them.
///
/// The tool prints it or writes it as JSON.
package struct SQLReport: Codable, Sendable, Hashable {
    package var header = ResultHeader(.sql)
    /// The log as the user named it.
    package var log: String
    package var totals: SQLTotals
    /// By total time, then by count; the dearest first.
    package var shapes: [SQLShape]
    /// The worst first.
    package var findings: [SQLFinding]
    /// What the log did not show and how to see it, as sentences.
    package var notes: [String]
    /// The same against an earlier log, where one was given.
    package var comparison: SQLComparison?
    /// The limits that were given, each with what was seen.
    package var limits: [SQLLimit]

    package init(
        log: String, totals: SQLTotals, shapes: [SQLShape] = [], findings: [SQLFinding] = [],
        notes: [String] = [], comparison: SQLComparison? = nil, limits: [SQLLimit] = []
    ) {
        self.log = log
        self.totals = totals
        self.shapes = shapes
        self.findings = findings
        self.notes = notes
        self.comparison = comparison
        self.limits = limits
    }

    /// Whether every limit holds.
    package var holdsLimits: Bool { limits.allSatisfy(\.holds) }
}

/// Sums over a log.
package struct SQLTotals: Codable, Sendable, Hashable {
    package var lines = 0
    /// Lines that are no part of Core Data's log.
    package var otherLines = 0
    package var statements = 0
    package var selects = 0
    /// Inserts, updates and deletes.
    package var writes = 0
    package var rows = 0
    /// The time that the log tells of.
    package var nanoseconds: UInt64 = 0
    /// Commits.
    package var transactions = 0
    /// From the first to the last time stamp; nil in a log without them.
    package var spanNanoseconds: UInt64?
    package var transactionsPerSecond: Double?
    package var faults = 0
    /// Threads that the lines' prefixes tell apart; zero where they tell none.
    package var threads = 0
    /// Statements whose text was cut off.
    package var truncated = 0

    package init() {}
}

/// Statements that differ in values alone.
package struct SQLShape: Codable, Sendable, Hashable {
    package var kind: String
    /// The text with `?` for every value.
    package var text: String
    /// The entity, where the log, the model or the store tells it; the table elsewhere.
    package var entity: String
    package var count: Int
    package var rows: Int
    /// How many of the statements tell their rows.
    package var rowsKnown: Int
    package var nanoseconds: UInt64
    /// How many of the statements tell their time.
    package var timesKnown: Int
    package var worstNanoseconds: UInt64
    /// The line of the worst, or of the first where no time is known.
    package var line: Int
    package var isTruncated: Bool
    /// The query plan, from a log of level 4 or from the store or model that was given.
    package var plan: [String]

    package init(
        kind: String, text: String, entity: String, count: Int = 0, rows: Int = 0,
        rowsKnown: Int = 0, nanoseconds: UInt64 = 0, timesKnown: Int = 0,
        worstNanoseconds: UInt64 = 0, line: Int = 0,
        isTruncated: Bool = false, plan: [String] = []
    ) {
        self.kind = kind
        self.text = text
        self.entity = entity
        self.count = count
        self.rows = rows
        self.rowsKnown = rowsKnown
        self.nanoseconds = nanoseconds
        self.timesKnown = timesKnown
        self.worstNanoseconds = worstNanoseconds
        self.line = line
        self.isTruncated = isTruncated
        self.plan = plan
    }
}

/// Something to mend, with how.
package struct SQLFinding: Codable, Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case nPlusOne = "n-plus-one"
        case missingPrefetch = "missing-prefetch"
        case repeatedFault = "repeated-fault"
        case repeatedFetch = "repeated-fetch"
        case unboundedFetch = "unbounded-fetch"
        case missingIndex = "missing-index"
        case smallTransactions = "small-transactions"
        case largeList = "large-list"
        case countByFetch = "count-by-fetch"
    }

    package var kind: Kind
    /// What was seen, as a sentence.
    package var title: String
    /// How many statements it cost.
    package var statements: Int
    package var nanoseconds: UInt64
    /// Where it is in the log: the first lines.
    package var lines: [Int]
    /// The fetch that it started from.
    package var origin: Origin?
    /// What to do, as a sentence.
    package var advice: String
    /// The line to write.
    package var code: String?
    /// The key paths to prefetch.
    package var keyPaths: [String]
    package var statement: String?
    package var plan: [String]

    /// A fetch in the log.
    package struct Origin: Codable, Sendable, Hashable {
        package var line: Int
        package var entity: String
        package var rows: Int?
        package var text: String

        package init(line: Int, entity: String, rows: Int?, text: String) {
            self.line = line
            self.entity = entity
            self.rows = rows
            self.text = text
        }
    }

    package init(
        kind: Kind, title: String, statements: Int, nanoseconds: UInt64 = 0, lines: [Int],
        origin: Origin? = nil, advice: String, code: String? = nil, keyPaths: [String] = [],
        statement: String? = nil, plan: [String] = []
    ) {
        self.kind = kind
        self.title = title
        self.statements = statements
        self.nanoseconds = nanoseconds
        self.lines = lines
        self.origin = origin
        self.advice = advice
        self.code = code
        self.keyPaths = keyPaths
        self.statement = statement
        self.plan = plan
    }
}

/// Two logs side by side.
package struct SQLComparison: Codable, Sendable, Hashable {
    /// The earlier log as the user named it.
    package var before: String
    package var totals: SQLTotals
    /// Shapes whose count differs, the largest difference first, and those that ran as often in
    /// half the time or twice of it.
    package var changes: [Change]
    /// Titles of findings that one log alone has.
    package var appeared: [String]
    package var vanished: [String]

    package struct Change: Codable, Sendable, Hashable {
        package var kind: String
        package var text: String
        package var before: Int
        package var after: Int
        package var nanosecondsBefore: UInt64
        package var nanosecondsAfter: UInt64

        package init(
            kind: String, text: String, before: Int, after: Int, nanosecondsBefore: UInt64,
            nanosecondsAfter: UInt64
        ) {
            self.kind = kind
            self.text = text
            self.before = before
            self.after = after
            self.nanosecondsBefore = nanosecondsBefore
            self.nanosecondsAfter = nanosecondsAfter
        }
    }

    package init(
        before: String, totals: SQLTotals, changes: [Change], appeared: [String],
        vanished: [String]
    ) {
        self.before = before
        self.totals = totals
        self.changes = changes
        self.appeared = appeared
        self.vanished = vanished
    }
}

/// A limit from the command line.
package struct SQLLimit: Codable, Sendable, Hashable {
    package var name: String
    package var limit: Double
    package var seen: Double

    package init(name: String, limit: Double, seen: Double) {
        self.name = name
        self.limit = limit
        self.seen = seen
    }

    package var holds: Bool { seen <= limit }
}
