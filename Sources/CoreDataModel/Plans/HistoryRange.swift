/// A range of transactions in a store's history.
package enum HistoryRange: Sendable {
    case all
    /// Transactions with a greater transaction number.
    case after(number: Int64)
    case afterDate(Double)
    /// Transactions with a smaller transaction number.
    case before(number: Int64)
    case beforeDate(Double)
}
