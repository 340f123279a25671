import Foundation

/// One transaction in a store's history: a save or a batch request.
public final class NSPersistentHistoryTransaction: NSObject, NSCopying {
    private let values: HistoryTransaction
    private let store: String
    private let listed: [NSPersistentHistoryChange]?

    /// - Parameter changes: nil where they were not asked for.
    package init(
        _ values: HistoryTransaction, store: String, changes: [NSPersistentHistoryChange]?
    ) {
        self.values = values
        self.store = store
        listed = changes
        super.init()
        for change in changes ?? [] { change.owner = self }
    }

    /// The `transactionAuthor` of the context that saved.
    public var author: String? { values.author }
    /// The bundle of the process that saved.
    public var bundleID: String { values.bundle }
    /// What changed; nil where the request did not ask for changes.
    public var changes: [NSPersistentHistoryChange]? { listed }
    /// The name of the context that saved.
    public var contextName: String? { values.contextName }
    /// The name of the process that saved.
    public var processID: String { values.process }
    /// The UUID of the store.
    public var storeID: String { store }
    /// When the transaction was written.
    public var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }
    /// The place of this transaction in the store's history.
    public var token: NSPersistentHistoryToken {
        NSPersistentHistoryToken(numbers: [store: values.number])
    }
    /// The transaction's number in its store.
    public var transactionNumber: Int64 { values.number }

    /// The changes as a notification that `mergeChanges(fromContextDidSave:)` takes, and whose
    /// user info `mergeChanges(fromRemoteContextSave:into:)` takes: sets of ids.
    public func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in listed ?? [] {
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
    public func copy(with zone: NSZone?) -> Any { self }
}

@available(*, unavailable, message: "pass its token, or the ids of its changes, instead")
extension NSPersistentHistoryTransaction: Sendable {}
