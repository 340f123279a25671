import CoreDataStore
import Foundation

/// What a request for history comes back with.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded: a Bool.
    case statusOnly = 0
    /// The ids of the changed objects: an array of `NSManagedObjectID`.
    case objectIDs = 1
    /// How many transactions there are: an Int.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes: an array of `NSPersistentHistoryChange`.
    case changesOnly = 4
    /// Transactions with their changes; the default.
    case transactionsAndChanges = 5
}

/// What a request for history came back with.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    private let value: Any
    private let type: NSPersistentHistoryResultType
    /// Transactions of changes that were asked for alone, which hold theirs weakly.
    private let transactions: [NSPersistentHistoryTransaction]

    init(
        result: Any, resultType: NSPersistentHistoryResultType,
        transactions: [NSPersistentHistoryTransaction] = []
    ) {
        value = result
        type = resultType
        self.transactions = transactions
    }

    /// A Bool, an Int or an array, as the type says; arrays from the oldest on.
    open var result: Any? { value }

    /// What the request asked for.
    open var resultType: NSPersistentHistoryResultType { type }
}
