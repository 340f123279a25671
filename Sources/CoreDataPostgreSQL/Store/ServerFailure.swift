import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Converts errors of the server and of the connection to errors of Core Data.
extension CoreDataError {
    init(_ failure: ServerError, _ address: ServerAddress) {
        let (code, advice) = Self.advice(failure)
        var info = ["reason": failure.message]
        if !failure.sqlState.isEmpty { info["SQLState"] = failure.sqlState }
        if !failure.sql.isEmpty { info["sql"] = failure.sql }
        self.init(code, "\(address.description): \(advice) (\(failure))", info: info)
    }

    private static func advice(_ failure: ServerError) -> (Code, String) {
        if failure.isMissingDatabase {
            return (
                .readOnlyFileMissing,
                "The database does not exist. Create it with createdb, or correct the URL"
            )
        }
        if failure.isAuthenticationFailure {
            return (
                .fileReadNoPermission,
                "The server refused the login. Check the user in the URL, and the password in"
                    + " PGPASSWORD or in the file .pgpass"
            )
        }
        if failure.isMissingSchema || failure.isMissingTable {
            return (
                .storeOperation,
                "The tables of the store were removed or renamed while it was open. Remove the"
                    + " store from its coordinator, and add it again"
            )
        }
        if failure.isPermissionDenied {
            return (
                .fileWriteNoPermission,
                "The user of the URL lacks a permission. Grant it, or use the owner of the schema"
            )
        }
        if failure.isReadOnly {
            return (
                .fileWriteNoPermission,
                "The server is read-only, such as a standby. Use the address of the primary server"
            )
        }
        if failure.isLockNotAvailable || failure.isCancelled {
            return (
                .storeTimeout,
                "Another transaction held a lock for too long, or the statement took too long. Try"
                    + " again, or raise NSPersistentStoreTimeoutOption"
            )
        }
        if failure.isOutOfResources {
            return (.storeOperation, "The server has no disk space, memory or connections left")
        }
        if let refused = refusedRow(failure) { return refused }
        if failure.isConnectionLost {
            return (
                .storeOpen,
                "The server cannot be reached. Check that it runs, and the host and port in the URL"
            )
        }
        return (.storeOperation, "The statement failed")
    }

    /// The advice for a row that the server refuses; nil for another error.
    private static func refusedRow(_ failure: ServerError) -> (Code, String)? {
        if failure.isForeignKeyViolation {
            return (
                .referentialIntegrity,
                "A row refers to a row that another transaction has deleted, or the other way"
                    + " round. Nothing was written; refresh the objects, and save again"
            )
        }
        if failure.isUniqueViolation {
            return (
                .storeOperation,
                "A row would have the unique values of another row of \(failure.table):"
                    + " \(failure.detail) Nothing was written; change the values"
            )
        }
        if failure.isTooLongForIndex {
            return (
                .storeOperation,
                "The unique values of a row have more bytes than an index contains, which is about"
                    + " 2,700. Nothing was written; shorten the values"
            )
        }
        return nil
    }
}
