import CoreDataModel
import Foundation

/// What became of a row.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The row is new.
    case insert = 0
    /// The row got other values.
    case update = 1
    /// The row is gone.
    case delete = 2
}

/// One changed row of a transaction in a store's history.
public final class NSPersistentHistoryChange: NSObject, NSCopying {
    private let id: NSManagedObjectID
    private let number: Int64
    private let type: NSPersistentHistoryChangeType
    private let properties: Set<NSPropertyDescription>?
    private let kept: [String: Any]?
    /// Set when the change is listed by its transaction, before anybody else has it.
    package weak var owner: NSPersistentHistoryTransaction?

    package init(
        id: NSManagedObjectID, number: Int64, type: NSPersistentHistoryChangeType,
        properties: Set<NSPropertyDescription>?, tombstone: [String: Any]?
    ) {
        self.id = id
        self.number = number
        self.type = type
        self.properties = properties
        kept = tombstone
    }

    /// The id of the object whose row changed.
    public var changedObjectID: NSManagedObjectID { id }
    /// The change's own number.
    public var changeID: Int64 { number }
    /// What became of the row.
    public var changeType: NSPersistentHistoryChangeType { type }
    /// For a deletion, the values of the attributes whose `preservesValueInHistoryOnDeletion` is
    /// set.
    public var tombstone: [AnyHashable: Any]? { kept }
    /// The transaction, while somebody holds it.
    public var transaction: NSPersistentHistoryTransaction? { owner }
    /// For an update, the properties that changed.
    public var updatedProperties: Set<NSPropertyDescription>? { properties }

    /// Returns the receiver: changes are immutable.
    public func copy(with zone: NSZone?) -> Any { self }
}

@available(*, unavailable, message: "pass its changedObjectID instead")
extension NSPersistentHistoryChange: Sendable {}
