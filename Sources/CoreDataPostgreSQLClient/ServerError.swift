import CPostgreSQL

/// An error of the server, of the connection to it, or of the client.
package struct ServerError: Error, Sendable, Equatable {
    /// The five characters of the server's error code; empty if the server did not report the
    /// error.
    package var sqlState = ""
    package var message: String
    package var detail = ""
    package var hint = ""
    package var schema = ""
    package var table = ""
    package var column = ""
    package var constraint = ""
    /// The position of the error in the statement, in characters from 1.
    package var position: Int?
    /// The statement's text; empty without a statement.
    package var sql = ""
    /// The index of the failed statement in a pipeline.
    package var statementIndex: Int?
    /// Whether the connection is lost. It must be closed, because no statement can use it.
    package var isConnectionLost = false
    /// Whether the connection was lost while the server may have been committing. The changes may
    /// be in the database or not.
    package var isOutcomeUnknown = false

    /// Creates an error of the client.
    package init(client message: String, sql: String = "") {
        self.message = message
        self.sql = sql
    }

    /// Creates the error of a lost connection.
    init(lost message: String, sql: String = "") {
        self.init(client: message, sql: sql)
        isConnectionLost = true
    }

    /// Reads the error of a result.
    init(_ result: OpaquePointer, _ library: Library, sql: String) {
        let field = { (code: Character) in
            let number = Int32(code.asciiValue ?? 0)
            let text = library.table.pointee.PQresultErrorField(result, number)
            return text.map { String(cString: $0) } ?? ""
        }
        sqlState = field("C")
        message = field("M")
        detail = field("D")
        hint = field("H")
        schema = field("s")
        table = field("t")
        column = field("c")
        constraint = field("n")
        position = Int(field("P"))
        self.sql = sql
        if message.isEmpty {
            let text = library.table.pointee.PQresultErrorMessage(result)
            message = Self.oneLine(text.map { String(cString: $0) } ?? "unknown error")
        }
        isConnectionLost = Self.lossStates.contains(sqlState) || sqlState.hasPrefix("08")
    }

    /// The states with which the server ends a connection.
    private static let lossStates: Set = ["57P01", "57P02", "57P03", "57P05", "25P03", "25P04"]

    /// Joins the lines of a message of libpq.
    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline)
            .map { $0.trimmingPrefix { $0.isWhitespace } }.joined(separator: " ")
    }
}

extension ServerError: CustomStringConvertible {
    package var description: String {
        var text = sqlState.isEmpty ? "PostgreSQL: " : "PostgreSQL \(sqlState): "
        text += message
        if !detail.isEmpty { text += " (\(detail))" }
        if !hint.isEmpty { text += "; \(hint)" }
        if isOutcomeUnknown { text += "; it is unknown whether the changes were committed" }
        return sql.isEmpty ? text : "\(text) in \(shownSQL)"
    }

    /// The beginning of the statement. A script creates all tables of a store.
    private var shownSQL: String {
        let longest = 400
        return sql.count > longest ? "\(sql.prefix(longest))…" : sql
    }
}

/// The kinds of errors that callers distinguish.
extension ServerError {
    /// Whether the transaction conflicted with another one and may succeed if it is repeated.
    package var isTransactionConflict: Bool { isSerializationFailure || isDeadlock }
    package var isSerializationFailure: Bool { sqlState == "40001" }
    package var isDeadlock: Bool { sqlState == "40P01" }
    package var isLockNotAvailable: Bool { sqlState == "55P03" }
    /// Whether the statement was cancelled, by a request or because it took too long.
    package var isCancelled: Bool { sqlState == "57014" }
    package var isConstraintViolation: Bool { sqlState.hasPrefix("23") }
    package var isUniqueViolation: Bool { sqlState == "23505" }
    package var isForeignKeyViolation: Bool { sqlState == "23503" }
    package var isNotNullViolation: Bool { sqlState == "23502" }
    package var isCheckViolation: Bool { sqlState == "23514" }
    package var isMissingTable: Bool { sqlState == "42P01" }
    package var isMissingSchema: Bool { sqlState == "3F000" }
    package var isMissingDatabase: Bool { sqlState == "3D000" }
    package var isPermissionDenied: Bool { sqlState == "42501" }
    package var isReadOnly: Bool { sqlState == "25006" }
    /// Whether the values of an index have more bytes than an index can contain.
    package var isTooLongForIndex: Bool { sqlState == "54000" }
    /// Whether no connection could be opened.
    package var isUnreachable: Bool { sqlState == "08001" }
    /// Whether the server's disk, its memory or its connections are exhausted.
    package var isOutOfResources: Bool { sqlState.hasPrefix("53") }
    package var isTooManyConnections: Bool { sqlState == "53300" }
    /// Whether user name or password were refused.
    package var isAuthenticationFailure: Bool { sqlState.hasPrefix("28") }
    /// Whether a prepared statement does not exist, for example because a connection pooler
    /// changed the server's connection between two transactions.
    var isMissingStatement: Bool { sqlState == "26000" }
    /// Whether a prepared statement no longer fits the tables.
    var isOutdatedPlan: Bool { sqlState == "0A000" && message.contains("cached plan") }
}
