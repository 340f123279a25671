import LabFiles

/// The report on an SQL log: the statements, grouped by their form, and the problems.
package struct SQLReport: SavedResult, Sendable, Hashable {
    package static let kind = ResultKind.sql

    package var header = ResultHeader(.sql)
    /// The log, as the user named it.
    package var log: String
    package var totals: SQLTotals
    /// The forms of statements. The most expensive come first, by total time and then by count.
    package var shapes: [SQLShape]
    /// The problems. The worst comes first.
    package var findings: [SQLFinding]
    /// Sentences about information that the log lacks, and about options that add it.
    package var notes: [String]
    package var comparison: SQLComparison?
    /// The limits of the command line, with the values of the log.
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

    /// Whether no limit is exceeded.
    package var holdsLimits: Bool { limits.allSatisfy(\.holds) }
}

package struct SQLTotals: Codable, Sendable, Hashable {
    package var lines = 0
    /// The number of lines that do not belong to Core Data's log.
    package var otherLines = 0
    package var statements = 0
    package var selects = 0
    /// The number of INSERT, UPDATE and DELETE statements.
    package var writes = 0
    package var rows = 0
    /// The total time of all statements.
    package var nanoseconds: UInt64 = 0
    package var transactions = 0
    /// The time from the first to the last time stamp; nil without time stamps.
    package var spanNanoseconds: UInt64?
    package var transactionsPerSecond: Double?
    package var faults = 0
    /// The number of threads that the prefixes of lines name; 0 if they name none.
    package var threads = 0
    package var truncated = 0

    package init() {}
}

/// A group of statements that differ only in values.
package struct SQLShape: Codable, Sendable, Hashable {
    package var kind: String
    /// The SQL text with `?` in place of every value.
    package var text: String
    /// The name of the entity, or of the table if the entity is unknown.
    package var entity: String
    package var count: Int
    package var rows: Int
    /// The number of these statements whose number of rows is in the log.
    package var rowsKnown: Int
    package var nanoseconds: UInt64
    /// The number of these statements whose time is in the log.
    package var timesKnown: Int
    package var worstNanoseconds: UInt64
    /// The log line of the slowest statement. If no time is known, that of the first statement.
    package var line: Int
    package var isTruncated: Bool
    /// The query plan, from a log of level 4, or from the store or model of the command line.
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

/// A problem and its remedy.
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
    package var title: String
    package var statements: Int
    package var nanoseconds: UInt64
    package var lines: [Int]
    /// The fetch whose objects caused the statements.
    package var origin: Origin?
    package var advice: String
    package var code: String?
    package var keyPaths: [String]
    package var statement: String?
    package var plan: [String]

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

package struct SQLComparison: Codable, Sendable, Hashable {
    /// The earlier log, as the user named it.
    package var before: String
    package var totals: SQLTotals
    /// The groups of statements that differ. Groups with another count come first, the largest
    /// difference first. Then come groups whose count is equal and whose time halved or doubled.
    package var changes: [Change]
    /// The titles of findings in only one of the two logs.
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
