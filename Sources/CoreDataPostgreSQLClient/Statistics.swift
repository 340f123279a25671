/// The kind of a statement, determined by its first word.
package enum StatementKind: Int, Sendable, CaseIterable {
    case select, insert, update, delete, begin, commit, rollback, copy, schema, other

    init(sql: String) {
        // Compares bytes, because keywords are ASCII.
        let isSpace = { (byte: UInt8) in byte == 0x20 || (9...13).contains(byte) }
        let upper = sql.utf8.drop(while: isSpace).lazy.map { $0 & 0xDF }
        let word = upper.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        switch String(decoding: Array(word), as: UTF8.self) {
        case "SELECT", "WITH", "VALUES", "EXPLAIN", "SHOW": self = .select
        case "INSERT", "MERGE": self = .insert
        case "UPDATE": self = .update
        case "DELETE": self = .delete
        case "BEGIN", "START", "SAVEPOINT": self = .begin
        case "COMMIT", "END", "RELEASE": self = .commit
        case "ROLLBACK": self = .rollback
        case "COPY": self = .copy
        case "CREATE", "DROP", "ALTER", "TRUNCATE": self = .schema
        default: self = .other
        }
    }
}

/// A connection's statistics since it was opened.
package struct ConnectionStatistics: Sendable, Equatable {
    package internal(set) var statements: [StatementKind: Int] = [:]
    /// The number of rows that statements returned or changed.
    package internal(set) var rows = 0
    /// The number of times that the client waited for answers to what it had sent.
    package internal(set) var roundTrips = 0
    /// The number of statements that the server prepared.
    package internal(set) var prepares = 0
    package internal(set) var notifications = 0

    /// Adds the statistics of another connection.
    package static func += (sum: inout Self, other: Self) {
        sum.statements.merge(other.statements, uniquingKeysWith: +)
        sum.rows += other.rows
        sum.roundTrips += other.roundTrips
        sum.prepares += other.prepares
        sum.notifications += other.notifications
    }
}

/// One run of a statement.
package struct StatementRun: Sendable {
    package let kind: StatementKind
    package let sql: String
    /// The parameters as text, in order; empty unless the connection reports them.
    package let bindings: [String]
    /// The number of returned rows, or of changed rows if the statement changes rows.
    package let rows: Int
    /// The duration of the run. All statements of a pipeline have the duration of the pipeline.
    package let nanoseconds: UInt64
}
