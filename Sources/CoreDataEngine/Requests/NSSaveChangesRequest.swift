import Foundation

/// The changed objects of one save, for an incremental store.
///
/// A request without objects only writes metadata.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    private let inserted: Set<NSManagedObject>?
    private let updated: Set<NSManagedObject>?
    private let deleted: Set<NSManagedObject>?
    private let locked: Set<NSManagedObject>?

    /// Creates a request from sets of objects; nil for none.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?,
        updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        inserted = insertedObjects
        updated = updatedObjects
        deleted = deletedObjects
        locked = lockedObjects
    }

    /// The new objects.
    open var insertedObjects: Set<NSManagedObject>? { inserted }
    /// The changed objects.
    open var updatedObjects: Set<NSManagedObject>? { updated }
    /// The objects to delete.
    open var deletedObjects: Set<NSManagedObject>? { deleted }
    /// Unchanged objects whose version is checked; see `detectConflicts(for:)`.
    open var lockedObjects: Set<NSManagedObject>? { locked }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(
            inserted: inserted, updated: updated, deleted: deleted, locked: locked)
        copy.affectedStores = affectedStores
        return copy
    }

    final var isEmpty: Bool {
        [inserted, updated, deleted, locked].allSatisfy { $0?.isEmpty ?? true }
    }
}

@available(*, unavailable, message: "its objects belong to the queue of their context")
extension NSSaveChangesRequest: Sendable {}
