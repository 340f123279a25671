import CoreDataModel
import CoreDataTrace
import Foundation

/// The kind of a row's change.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The row was inserted.
    case insert = 0
    /// The row was updated.
    case update = 1
    /// The row was deleted.
    case delete = 2
}

/// One changed row of a transaction in a store's history.
open class NSPersistentHistoryChange: NSObject, NSCopying {
    private final var id: NSManagedObjectID?
    private final var number: Int64 = 0
    private final var type = NSPersistentHistoryChangeType.update
    private final var properties: Set<NSPropertyDescription>?
    private final var kept: [String: Any]?
    /// Set when the change is added to its transaction, before other code uses the change.
    package final weak var owner: NSPersistentHistoryTransaction?

    package convenience init(
        id: NSManagedObjectID, number: Int64, type: NSPersistentHistoryChangeType,
        properties: Set<NSPropertyDescription>?, tombstone: [String: Any]?
    ) {
        self.init()
        self.id = id
        self.number = number
        self.type = type
        self.properties = properties
        kept = tombstone
    }

    /// Creates an empty change. Subclasses use it for tests, and override ``changedObjectID`` and
    /// other members as needed.
    public override init() { super.init() }

    /// The id of the object whose row changed.
    open var changedObjectID: NSManagedObjectID {
        guard let id else {
            trap("\(Self.self) must override changedObjectID: it has no row.")
        }
        return id
    }
    /// The number of the change.
    open var changeID: Int64 { number }
    /// The kind of the change.
    open var changeType: NSPersistentHistoryChangeType { type }
    /// For a deletion, the values of the attributes whose `preservesValueInHistoryOnDeletion` is
    /// set.
    open var tombstone: [AnyHashable: Any]? { kept }
    /// The transaction that lists the change; nil once the transaction has been released.
    open var transaction: NSPersistentHistoryTransaction? { owner }
    /// For an update, the properties that changed.
    open var updatedProperties: Set<NSPropertyDescription>? { properties }

    /// Returns the receiver: changes are immutable.
    open func copy(with zone: NSZone?) -> Any { self }
}

@available(*, unavailable, message: "pass its changedObjectID instead")
extension NSPersistentHistoryChange: Sendable {}
