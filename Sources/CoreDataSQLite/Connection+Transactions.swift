import CSQLite

extension Connection {
    /// Determines when a transaction takes the write lock.
    package enum TransactionStart: String, Sendable {
        /// The transaction begins at the first read or write. All reads in the transaction see the
        /// same state.
        case deferred = "BEGIN"
        /// The transaction takes the write lock when it begins, so no other connection writes
        /// between its first read and its commit.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Begins a transaction. If this throws, it has not begun.
    ///
    /// - Throws: the error of a busy database after the timeout. A write transaction also fails if
    ///   the file was removed or replaced since it was opened.
    package func begin(_ start: TransactionStart) throws(SQLiteError) {
        if isHeld { return try beginInside() }
        try statement(start.rawValue).run()
        assert(isInTransaction, "the transaction did not begin")
        guard start == .immediate else { return }
        do { try checkPlace() } catch {
            try? rollback()
            throw error
        }
    }

    package func commit() throws(SQLiteError) {
        if isHeld { return try releaseInside() }
        try statement("COMMIT").run()
        assert(!isInTransaction, "a committed transaction is still open")
    }

    package func rollback() throws(SQLiteError) {
        finishAll()
        // After some errors, such as a full disk, SQLite has already rolled back.
        guard isInTransaction else { return }
        if isHeld {
            try statement("ROLLBACK TO inside").run()
            return try releaseInside()
        }
        try statement("ROLLBACK").run()
        assert(!isInTransaction, "a rolled-back transaction is still open")
    }

    /// Runs the body in the open transaction, or in a new read transaction.
    package func inTransaction<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        isInTransaction ? try body() : try transaction(.deferred, body)
    }

    /// Runs the body in one transaction. If the body throws, the transaction is rolled back.
    @discardableResult package func transaction<T>(
        _ start: TransactionStart, _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try begin(start)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            // The first error is thrown, not an error of this rollback, which only fails if the
            // file is gone.
            try? rollback()
            throw error
        }
    }
}

// An outer transaction, in which each inner transaction is a savepoint.
extension Connection {
    /// Takes the write lock and keeps it until ``endHold(isCommitted:)``. All transactions until
    /// then are parts of one.
    ///
    /// - Throws: the errors of ``begin(_:)``.
    package func hold() throws(SQLiteError) {
        try begin(.immediate)
        isHeld = true
    }

    /// Commits all changes since ``hold()``, or rolls them back.
    ///
    /// - Throws: the error of the commit. All changes are then rolled back.
    package func endHold(isCommitted: Bool) throws(SQLiteError) {
        isHeld = false
        guard isCommitted else { return try rollback() }
        do {
            try commit()
        } catch {
            // The first error is thrown, not an error of this rollback.
            try? rollback()
            throw error
        }
    }

    private func beginInside() throws(SQLiteError) {
        // If a full disk has rolled back the outer transaction, nothing may be committed.
        guard isInTransaction else {
            throw SQLiteError(
                extendedCode: SQLITE_ABORT,
                message: "the outer transaction was rolled back")
        }
        try statement("SAVEPOINT inside").run()
    }

    private func releaseInside() throws(SQLiteError) {
        try statement("RELEASE inside").run()
    }
}
