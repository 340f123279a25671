import CSQLite

/// Transactions. Statements are counted under their own kinds.
extension Connection {
    /// When a transaction takes the write lock.
    package enum TransactionStart: String, Sendable {
        /// At the first read or write; the way to read several times from one state.
        case deferred = "BEGIN"
        /// At once, so that nobody else writes between the first read and the commit.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Begins a transaction.
    ///
    /// - Throws: as busy after the time-out; for one that is to write also where the file was
    ///   removed or replaced since it was opened, with nothing begun.
    package func begin(_ start: TransactionStart) throws(SQLiteError) {
        if isHeld { return try beginInside() }
        try statement(start.rawValue).run()
        assert(isInTransaction, "a transaction began, and none is open")
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

    /// Ends the transaction, if one is still open, and undoes what it did.
    package func rollback() throws(SQLiteError) {
        finishAll()
        // Some failures (a full disk, lack of memory) have rolled back already.
        guard isInTransaction else { return }
        if isHeld {
            try statement("ROLLBACK TO inside").run()
            return try releaseInside()
        }
        try statement("ROLLBACK").run()
        assert(!isInTransaction, "a transaction was undone and is still open")
    }

    /// Runs the body in the transaction that is open, or in one that reads.
    package func inTransaction<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        isInTransaction ? try body() : try transaction(.deferred, body)
    }

    /// Runs the body in one transaction; undoes all of it when the body throws.
    @discardableResult package func transaction<T>(
        _ start: TransactionStart, _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try begin(start)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            // The first error is the one that explains; a rollback fails only with the file gone.
            try? rollback()
            throw error
        }
    }
}

// Transactions inside of one that is kept open: each is a savepoint.
extension Connection {
    /// Takes the write lock and keeps it until ``endHold(isCommitted:)``; transactions that begin
    /// and end meanwhile are parts of one.
    ///
    /// - Throws: as ``begin(_:)``.
    package func hold() throws(SQLiteError) {
        try begin(.immediate)
        isHeld = true
    }

    /// Commits all that was done since ``hold()``, or undoes it.
    ///
    /// - Throws: what keeps it from being committed; then all is undone.
    package func endHold(isCommitted: Bool) throws(SQLiteError) {
        isHeld = false
        guard isCommitted else { return try rollback() }
        do {
            try commit()
        } catch {
            // The first error is the one that explains.
            try? rollback()
            throw error
        }
    }

    private func beginInside() throws(SQLiteError) {
        // A full disk may have undone the transaction around it; nothing may be kept without it.
        guard isInTransaction else {
            throw SQLiteError(
                extendedCode: SQLITE_ABORT,
                message: "the transaction around this one was undone")
        }
        try statement("SAVEPOINT inside").run()
    }

    private func releaseInside() throws(SQLiteError) {
        try statement("RELEASE inside").run()
    }
}
