import CoreDataStore
import Foundation

/// The type of a history request's result.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether the request succeeded: a Bool.
    case statusOnly = 0
    /// The ids of the changed objects: an array of `NSManagedObjectID`.
    case objectIDs = 1
    /// The number of transactions: an Int.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes: an array of `NSPersistentHistoryChange`.
    case changesOnly = 4
    /// Transactions with their changes; the default.
    case transactionsAndChanges = 5
}

/// The result of a history request.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    private final var value: Any?
    private final var type = NSPersistentHistoryResultType.transactionsAndChanges
    /// The transactions of a result that contains only changes. They are kept alive here, because
    /// changes refer to their transactions weakly.
    private final var transactions: [NSPersistentHistoryTransaction] = []

    /// Creates an empty result, for subclasses that are used in tests.
    public override init() { super.init() }

    convenience init(
        result: Any, resultType: NSPersistentHistoryResultType,
        transactions: [NSPersistentHistoryTransaction] = []
    ) {
        self.init()
        value = result
        type = resultType
        self.transactions = transactions
    }

    /// A Bool, an Int or an array, depending on the type; arrays begin with the oldest.
    open var result: Any? { value }

    /// The result type that was set in the request.
    open var resultType: NSPersistentHistoryResultType { type }
}
