/// Transactions.
extension Connection {
    /// The isolation level of a transaction.
    package enum Isolation: String, Sendable, CaseIterable {
        /// Each statement reads the newest committed rows.
        case readCommitted = "READ COMMITTED"
        /// All statements read the rows that were committed before the first statement.
        case repeatableRead = "REPEATABLE READ"
        /// As `repeatableRead`. In addition, transactions have the same results as if they ran one
        /// after another. The server refuses a transaction that would break this.
        case serializable = "SERIALIZABLE"

        /// The name in the option `isolation` of an address.
        package var word: String { rawValue.lowercased().replacing(" ", with: "-") }
    }

    /// The statement that begins a transaction.
    package static func beginStatement(
        _ isolation: Isolation, readsOnly: Bool = false
    ) -> String {
        "BEGIN ISOLATION LEVEL \(isolation.rawValue)\(readsOnly ? " READ ONLY" : "")"
    }

    /// The statement that begins a transaction, also within another one.
    package func beginStatement(_ isolation: Isolation) -> String {
        isHeld ? Self.heldMark : Self.beginStatement(isolation)
    }

    package func begin(
        _ isolation: Isolation = .readCommitted, readsOnly: Bool = false
    ) throws(ServerError) {
        try execute(isHeld ? Self.heldMark : Self.beginStatement(isolation, readsOnly: readsOnly))
    }

    /// Commits the transaction.
    ///
    /// - Throws: an error with `isOutcomeUnknown` if the connection is lost before the server's
    ///   answer.
    package func commit() throws(ServerError) { try execute(commitStatement) }

    /// The statement that commits the transaction.
    package var commitStatement: String { isHeld ? Self.heldMark : "COMMIT" }

    /// Rolls back the transaction if it is still open.
    package func rollback() throws(ServerError) {
        guard isInTransaction else { return }
        try execute(isHeld ? Self.heldUndo : "ROLLBACK")
    }

    // MARK: Transactions within one

    /// The statement that sets the savepoint to which an inner transaction rolls back.
    package static let heldMark = "SAVEPOINT held"

    package static let heldUndo = "ROLLBACK TO \(heldMark)"

    /// Begins an outer transaction. Until ``endHold(commits:)``, other transactions are savepoints
    /// in it.
    package func hold() throws(ServerError) {
        try begin()
        isHeld = true
        try execute(Self.heldMark)
    }

    package func endHold(commits: Bool) throws(ServerError) {
        guard isHeld else { return }
        isHeld = false
        if commits { try commit() } else { try rollback() }
    }

    /// Runs the body in one transaction. If the body throws, the transaction is rolled back.
    @discardableResult package func transaction<T>(
        _ isolation: Isolation = .readCommitted, readsOnly: Bool = false,
        _ body: () throws(ServerError) -> T
    ) throws(ServerError) -> T {
        try begin(isolation, readsOnly: readsOnly)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            // The first error is the relevant one; a rollback only fails if the connection is lost.
            try? rollback()
            throw error
        }
    }
}
