import CoreDataModel

package protocol HistoryStore: ObjectStore {
    var tracksHistory: Bool { get }
    /// The number of the last recorded transaction; 0 if no transaction was recorded. Runs one
    /// SELECT.
    func lastTransactionNumber() throws(CoreDataError) -> Int64
    /// The number of the oldest transaction that still exists; nil if the history is empty.
    func firstTransactionNumber() throws(CoreDataError) -> Int64?
    /// The transactions of a range, the oldest first. Runs one SELECT, or two with changes.
    func transactions(
        _ range: HistoryRange, withChanges: Bool
    ) throws(CoreDataError) -> [HistoryTransaction]
    /// Deletes transactions and their changes, and returns the number of deleted transactions.
    func deleteTransactions(_ range: HistoryRange) throws(CoreDataError) -> Int
}
