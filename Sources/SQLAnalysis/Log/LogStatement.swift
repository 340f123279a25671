/// A statement that ran.
struct LogStatement: Sendable {
    /// What a statement was for.
    enum Role: Sendable, Equatable {
        case unknown
        case fetch
        case count
        case fault(LoggedObject)
        case toManyFault(LoggedObject, relationship: String)
        case prefetch(keyPath: String)
    }

    /// Its place among all statements and faults of the log.
    var order: Int
    var line: Int
    var scope: LogScope
    /// By the console's clock, where it tells the time.
    var seconds: Double?
    /// The number of its shape.
    var shape: Int
    var role = Role.unknown
    /// The time of the statement alone.
    var nanoseconds: UInt64?
    /// The time of the whole fetch.
    var totalNanoseconds: UInt64?
    /// A time that may be another statement's, good for sums alone.
    var guessedNanoseconds: UInt64?
    var rows: Int?
    /// Rows that the log tells together with the statement's own text.
    var toldRows: Int?
    /// Whether its rows may be another statement's, and are left unknown for that.
    var hasGuessedRows = false
    /// Whether nothing is to come for it: it was a part of what another annotation told.
    var isClosed = false
    var entity: String?
    var isTruncated: Bool
    var parameterCount: Int
    var listCount: Int
    var limit: Int?
    /// Equal for equal texts.
    var textHash: UInt64
    /// The value of the first parameter.
    var firstValue: [UInt8]?
    var valueCount = 0
    /// Equal for equal values.
    var valuesHash: UInt64 = 0

    /// What is known of its time.
    var time: UInt64? { nanoseconds ?? totalNanoseconds }

    /// Equal for equal texts with equal values; nil where the log does not tell the values.
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

/// A fault that no statement of the log can be found for.
struct OrphanFault: Sendable {
    var order: Int
    var line: Int
    var scope: LogScope
    var role: LogStatement.Role
    var rows: Int
}

/// What the assembly gives: a statement with all that was said about it, or a fault alone.
enum LogRecord: Sendable {
    case statement(LogStatement)
    case orphan(OrphanFault)

    /// Its place among all statements and faults of the log.
    var order: Int {
        switch self {
        case .statement(let statement): statement.order
        case .orphan(let orphan): orphan.order
        }
    }
}
