import CSQLite

package enum StatementKind: Int, Sendable, CaseIterable {
    case select, insert, update, delete, begin, commit, rollback, pragma, schema, other

    init(sql: String) {
        // Compares bytes, because keywords are ASCII. Unicode properties of characters would cost
        // more than preparing a short statement.
        let isSpace = { (byte: UInt8) in byte == 0x20 || (9...13).contains(byte) }
        let upper = sql.utf8.drop(while: isSpace).lazy.map { $0 & 0xDF }
        let word = upper.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        switch String(decoding: Array(word), as: UTF8.self) {
        case "SELECT", "WITH", "VALUES", "EXPLAIN": self = .select
        case "INSERT", "REPLACE": self = .insert
        case "UPDATE": self = .update
        case "DELETE": self = .delete
        case "BEGIN", "SAVEPOINT": self = .begin
        case "COMMIT", "END", "RELEASE": self = .commit
        case "ROLLBACK": self = .rollback
        case "PRAGMA": self = .pragma
        case "CREATE", "DROP", "ALTER": self = .schema
        default: self = .other
        }
    }

    /// Whether a run counts changed rows instead of returned rows.
    var changesRows: Bool { self == .insert || self == .update || self == .delete }
}

package struct ConnectionStatistics: Sendable, Equatable {
    package internal(set) var statements: [StatementKind: Int] = [:]
    package internal(set) var rows = 0
    /// The number of instructions that SQLite's virtual machine has run.
    package internal(set) var vmSteps = 0
    package internal(set) var prepares = 0
}

/// One run of a statement, from its first step to its reset.
package struct StatementRun: Sendable {
    package let kind: StatementKind
    package let sql: String
    /// The bound values as text, in order; empty unless the connection reports bound values.
    package let bindings: [String]
    /// The number of returned rows, or of changed rows for a statement that changes rows.
    package let rows: Int
    package let vmSteps: Int
    package let nanoseconds: UInt64
}

/// Counters of one connection and its statements, in plain memory, because every step and every
/// bind reads them.
@usableFromInline struct RunCounters {
    @usableFromInline var isObserved = false
    @usableFromInline var recordsBindings = false
    var rows = 0
    var vmSteps = 0
    var prepares = 0
    var statements: [10 of Int] = .init(repeating: 0)
}

/// Owns the counters' memory, the memory for packed rows, and the hook. The connection and its
/// statements keep it alive.
final class RunRecorder {
    let counters: UnsafeMutablePointer<RunCounters>
    let rowBuffer: UnsafeMutablePointer<csqlite_row_buffer>
    var hook: ((StatementRun) -> Void)?

    init() {
        counters = .allocate(capacity: 1)
        counters.initialize(to: RunCounters())
        rowBuffer = .allocate(capacity: 1)
        rowBuffer.initialize(to: csqlite_row_buffer())
    }

    deinit {
        counters.deallocate()
        csqlite_free_rows(rowBuffer)
        rowBuffer.deallocate()
    }

    /// Frees memory that was allocated for a few large rows.
    @inline(__always)
    func releaseLargeRows() {
        if rowBuffer.pointee.capacity > 1 << 20 { csqlite_free_rows(rowBuffer) }
    }

    var statistics: ConnectionStatistics {
        var result = ConnectionStatistics()
        for kind in StatementKind.allCases where counters.pointee.statements[kind.rawValue] > 0 {
            result.statements[kind] = counters.pointee.statements[kind.rawValue]
        }
        result.rows = counters.pointee.rows
        result.vmSteps = counters.pointee.vmSteps
        result.prepares = counters.pointee.prepares
        return result
    }
}
