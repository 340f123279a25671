import CoreDataModel
import CoreDataTrace
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
open class NSPersistentHistoryChange: NSObject, NSCopying {
    private let id: NSManagedObjectID?
    private let number: Int64
    private let type: NSPersistentHistoryChangeType
    private let properties: Set<NSPropertyDescription>?
    private let kept: [String: Any]?
    /// Set when the change is listed by its transaction, before anybody else has it.
    package final weak var owner: NSPersistentHistoryTransaction?

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

    /// Makes a change of nothing, for subclasses that stand in for one: they override
    /// ``changedObjectID`` and what else is asked for.
    public override init() {
        id = nil
        number = 0
        type = .update
        properties = nil
        kept = nil
        super.init()
    }

    /// The id of the object whose row changed.
    open var changedObjectID: NSManagedObjectID {
        guard let id else {
            trap("\(Self.self) must override changedObjectID: it has no row.")
        }
        return id
    }
    /// The change's own number.
    open var changeID: Int64 { number }
    /// What became of the row.
    open var changeType: NSPersistentHistoryChangeType { type }
    /// For a deletion, the values of the attributes whose `preservesValueInHistoryOnDeletion` is
    /// set.
    open var tombstone: [AnyHashable: Any]? { kept }
    /// The transaction, while somebody holds it.
    open var transaction: NSPersistentHistoryTransaction? { owner }
    /// For an update, the properties that changed.
    open var updatedProperties: Set<NSPropertyDescription>? { properties }

    /// Returns the receiver: changes are immutable.
    open func copy(with zone: NSZone?) -> Any { self }
}

@available(*, unavailable, message: "pass its changedObjectID instead")
extension NSPersistentHistoryChange: Sendable {}
