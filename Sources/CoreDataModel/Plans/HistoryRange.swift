/// A range of a history.
package enum HistoryRange: Sendable {
    case all
    /// Transactions with a greater number.
    case after(number: Int64)
    case afterDate(Double)
    /// Transactions with a lesser number.
    case before(number: Int64)
    case beforeDate(Double)
}
