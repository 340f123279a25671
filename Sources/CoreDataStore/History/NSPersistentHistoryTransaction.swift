import Foundation

/// One transaction in a store's history: a save or a batch request.
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
    private final var values: HistoryTransaction
    private final var store = ""
    private final var listed: [NSPersistentHistoryChange]?

    package convenience init(
        _ values: HistoryTransaction, store: String, changes: [NSPersistentHistoryChange]?
    ) {
        self.init()
        self.values = values
        self.store = store
        listed = changes
        for change in changes ?? [] { change.owner = self }
    }

    /// Creates an empty transaction, for subclasses that are used in tests.
    public override init() {
        values = HistoryTransaction(
            number: 0, timestamp: 0, author: nil, bundle: "", contextName: nil, process: "")
        super.init()
    }

    /// The `transactionAuthor` of the context that saved.
    open var author: String? { values.author }
    /// The bundle of the process that saved.
    open var bundleID: String { values.bundle }
    /// The changes; nil if the request did not ask for them.
    open var changes: [NSPersistentHistoryChange]? { listed }
    /// The name of the context that saved.
    open var contextName: String? { values.contextName }
    /// The name of the process that saved.
    open var processID: String { values.process }
    /// The UUID of the store.
    open var storeID: String { store }
    /// The time at which the transaction was written.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }
    /// The position of this transaction in the store's history.
    open var token: NSPersistentHistoryToken {
        NSPersistentHistoryToken(numbers: [storeID: transactionNumber])
    }
    /// The transaction's number in its store.
    open var transactionNumber: Int64 { values.number }

    /// The changes as a notification for `mergeChanges(fromContextDidSave:)`. The user info
    /// contains sets of ids and can also be passed to `mergeChanges(fromRemoteContextSave:into:)`.
    open func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in changes ?? [] {
            ids[change.changeType, default: []].insert(change.changedObjectID)
        }
        var info: [AnyHashable: Any] = [:]
        info[NSInsertedObjectIDsKey] = ids[.insert]
        info[NSUpdatedObjectIDsKey] = ids[.update]
        info[NSDeletedObjectIDsKey] = ids[.delete]
        return Notification(
            name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: info)
    }

    /// Returns the receiver: transactions are immutable.
    open func copy(with zone: NSZone?) -> Any { self }
}

@available(*, unavailable, message: "pass its token, or the ids of its changes, instead")
extension NSPersistentHistoryTransaction: Sendable {}
