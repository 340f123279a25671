/// A statement that was executed according to the log.
struct LogStatement: Sendable {
    /// The purpose of a statement.
    enum Role: Sendable, Equatable {
        case unknown
        case fetch
        case count
        case fault(LoggedObject)
        case toManyFault(LoggedObject, relationship: String)
        case prefetch(keyPath: String)
    }

    /// The position of the statement among the statements and faults of the log.
    var order: Int
    var line: Int
    var scope: LogScope
    /// The time stamp of the statement's line, in seconds; nil if the log has no time stamps.
    var seconds: Double?
    var shape: Int
    var role = Role.unknown
    /// The execution time of the SQL statement itself.
    var nanoseconds: UInt64?
    /// The total time of the fetch request.
    var totalNanoseconds: UInt64?
    /// A time that may belong to another statement. It is used only for totals.
    var guessedNanoseconds: UInt64?
    var rows: Int?
    /// The number of rows in an annotation that quotes the statement; nil without such an
    /// annotation.
    var reportedRows: Int?
    /// Whether `rows` was removed, because the annotation may belong to another statement.
    var hasGuessedRows = false
    /// Whether an annotation of a fault or a prefetch has completed the statement. No further
    /// annotation can then belong to it.
    var isClosed = false
    var entity: String?
    var isTruncated: Bool
    var parameterCount: Int
    var listCount: Int
    var limit: Int?
    var textHash: UInt64
    var firstValue: [UInt8]?
    var valueCount = 0
    var valuesHash: UInt64 = 0

    /// The execution time, or the total time if it is unknown.
    var time: UInt64? { nanoseconds ?? totalNanoseconds }

    /// A hash of the text and the values; nil if the values are unknown.
    var identity: UInt64? {
        guard parameterCount == 0 || valueCount > 0, !isTruncated else { return nil }
        return (textHash ^ valuesHash) &* 0x100_0000_01B3
    }

    mutating func add(value: [UInt8]) {
        if valueCount == 0 { firstValue = Array(value.prefix(64)) }
        valueCount += 1
        valuesHash = ByteText.hash(value, valuesHash &* 31 &+ UInt64(value.count) &+ 7)
    }
}

/// A fault whose statement is not in the log.
struct OrphanFault: Sendable {
    var order: Int
    var line: Int
    var scope: LogScope
    var role: LogStatement.Role
    var rows: Int
}

/// A record of the log: a statement with its annotations, or a fault whose statement is not in the
/// log.
enum LogRecord: Sendable {
    case statement(LogStatement)
    case orphan(OrphanFault)

    var order: Int {
        switch self {
        case .statement(let statement): statement.order
        case .orphan(let orphan): orphan.order
        }
    }
}
