import CoreDataModel

/// A store that keeps a history of its transactions.
package protocol HistoryStore: ObjectStore {
    /// Whether writes are recorded.
    var tracksHistory: Bool { get }
    /// The number of the last transaction ever recorded; 0 before the first. One SELECT.
    func lastTransactionNumber() throws(CoreDataError) -> Int64
    /// The number of the oldest transaction that still exists; nil if none does.
    func firstTransactionNumber() throws(CoreDataError) -> Int64?
    /// Transactions from the oldest on. One SELECT, two with changes.
    func transactions(
        _ range: HistoryRange, withChanges: Bool
    ) throws(CoreDataError) -> [HistoryTransaction]
    /// Deletes transactions and their changes, and returns the number of deleted transactions.
    func deleteTransactions(_ range: HistoryRange) throws(CoreDataError) -> Int
}
