import CoreDataSQL
import CoreDataSQLite

/// Converts errors of SQLite to errors of Core Data. Used for every call of a connection.
extension CoreDataError {
    /// - Parameter path: the file, or nil for a database in memory.
    package init(_ failure: SQLiteError, path: String?) {
        let code: Code
        let advice: String
        if failure.isNotADatabase || failure.isCorrupt {
            code = .fileReadCorrupt
            advice = "The file is not a database or is damaged; restore it from a copy"
        } else if failure.fileIsGone {
            code = .storeSave
            advice =
                "Nothing was written, because the store's file was removed or replaced since it"
                + " was opened. Put it back, or remove the store from its coordinator and add it"
                + " again"
        } else if failure.isReadOnly {
            code = .fileWriteNoPermission
            advice = "The store cannot be written; open a copy in a writable folder"
        } else if failure.cannotOpen {
            code = .fileReadUnknown
            advice = "The file cannot be opened; \(failure.systemAdvice ?? "check the path")"
        } else if failure.isBusy {
            code = .sqlite
            advice = "Another connection held the lock for too long; try again or raise the timeout"
        } else if failure.isFull {
            code = .sqlite
            advice = "The disk is full; free some space and save again"
        } else if failure.isTriggerViolation,
            failure.message.hasPrefix(BatchDeletionRefusal.beginning)
        {
            code = .saveConflicts
            advice = BatchDeletionRefusal(problem: failure.message).message
        } else {
            code = .sqlite
            advice =
                failure.systemAdvice.map { "The file cannot be read or written; \($0)" }
                ?? "The statement failed"
        }
        var info = ["NSSQLiteErrorDomain": String(failure.code), "reason": failure.message]
        if let path { info["NSFilePath"] = path }
        if !failure.sql.isEmpty { info["sql"] = failure.sql }
        self.init(code, "\(advice) (\(failure))", info: info)
    }
}

extension SQLiteError {
    /// The suggested remedy for the system error of a failure, as in all file errors.
    fileprivate var systemAdvice: String? {
        systemError == 0 ? nil : FileFailure(systemError, .writing).advice
    }
}

extension CoreDataError {
    package init(_ refusal: QueryRefusal) { self.init(.invalidArgument, refusal.message) }
}
