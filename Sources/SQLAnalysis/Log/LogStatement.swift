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

    var line: Int
    var thread: String?
    /// The index of its shape.
    var shape: Int
    var role = Role.unknown
    /// The time of the statement alone.
    var nanoseconds: UInt64?
    /// The time of the whole fetch.
    var totalNanoseconds: UInt64?
    var rows: Int?
    var entity: String?
    var isTruncated: Bool
    /// The values of the first parameters.
    var bindings: [String] = []
    var bindingCount = 0

    /// What is known of its time.
    var time: UInt64? { nanoseconds ?? totalNanoseconds }
}

/// A fault that no statement of the log can be found for.
struct OrphanFault: Sendable {
    var line: Int
    var thread: String?
    var role: LogStatement.Role
    var rows: Int
}

/// Everything that was read out of a log.
struct LogContent: Sendable {
    var statements: [LogStatement] = []
    var shapes: [StatementShape] = []
    /// By shape: a statement of that shape as the log has it.
    var samples: [String] = []
    /// By shape: the query plan, in a log of level 4.
    var plans: [Int: [String]] = [:]
    var orphans: [OrphanFault] = []
    var lineCount = 0
    var otherLineCount = 0
    var entryCount = 0
    var threads: Set<String> = []
    var firstSecond: Double?
    var lastSecond: Double?
}
