import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Receives the program's operations on the objects of a context, on the context's queue.
///
/// The lab derives the history of ordinary code from these events. Objects only ask for a watcher
/// if each access is checked (`NSManagedObjectContext.checksAccess`), so no other program pays for
/// it.
package protocol ContextWatcher: AnyObject, Sendable {
    /// Receives an event that has happened or is about to happen.
    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext)
}

/// An operation of the program on a context. Slots are positions among an entity's values.
package enum WatchedEvent {
    /// An attribute or a to-one relationship was read.
    case read(NSManagedObject, slot: Int)
    /// A to-many relationship was read; its slot counts such relationships.
    case readMembers(NSManagedObject, slot: Int, count: Int)
    /// An attribute or a to-one relationship was set; `equalsNull` says whether the accessor reads
    /// nil as the same value, as a `Bool` reads nil as false.
    case wrote(NSManagedObject, slot: Int, equalsNull: Bool)
    /// A fetch or count came back; a count and dictionaries name no objects.
    case fetched(FetchRequestOptions, found: [ObjectKey], count: Int)
    /// A save has determined its changes, and has written nothing yet.
    case saving
    /// A save is about to write, or to write again after a policy has decided.
    case writing
    /// A child's save runs on its parent's queue, and is about to store its values in the parent.
    case pushing(NSManagedObjectContext)
    /// The child's save has stored its values in the parent; the save still runs on the parent's
    /// queue.
    case pushed(NSManagedObjectContext)
    /// A save has written: into the store, or into the parent.
    case saved(SavedKeys)
    case saveFailed(CoreDataError)
    /// Changes that another context has saved are about to be merged.
    case merging(SavedKeys)
    case merged(SavedKeys)
    /// An object is about to ask for its newest row.
    case refreshing(NSManagedObject)
    case refreshed(NSManagedObject, keepsChanges: Bool)
    /// Unsaved changes were dropped, and all objects, too, if the flag is set.
    case dropped(forgetsObjects: Bool)
    /// A batch request is about to write past every context.
    case batching(BatchPlan)
    /// A batch request has written these rows.
    case batched(BatchPlan, keys: [ObjectKey])
    /// The context is about to look for an object's row, wherever the row is then found.
    case firing(ObjectKey)
    /// Rows that were read are about to be used or read again, which depends on later saves.
    case comparesGenerations
    /// The context now has a parent.
    case attached(NSManagedObjectContext)
    /// Automatic merging was turned on or off.
    case mergesChanged
    /// The context was pinned to a state of the stores, or unpinned.
    case pinned
}

extension NSManagedObjectContext {
    /// Reports the event to the watcher.
    @inline(__always)
    final func notifyWatcher(_ event: @autoclosure () -> WatchedEvent) {
        if let watcher { watcher.hear(event(), in: self) }
    }

    /// The newest row of an object, nil if it does not exist; at most one SELECT.
    ///
    /// The watcher is notified before the lookup, because the reads of others decide whether the
    /// row cache contains the row. A parent notifies the watcher of its children's lookups.
    final func newestRow(
        of key: ObjectKey, notBefore: Double?
    ) throws(CoreDataError) -> (row: RowReference, source: Event.FaultSource)? {
        if parent == nil { notifyWatcher(.firing(key)) }
        return try source.row(key, notBefore: notBefore)
    }

    /// The objects whose rows the next save compares without writing them:
    /// ``detectConflicts(for:)``.
    package final var objectsToCompare: [NSManagedObject] { changes.locked }
}

extension NSManagedObject {
    /// Reports the event to the watcher of the object's context.
    @inline(__always)
    final func notifyWatcher(_ event: @autoclosure () -> WatchedEvent) {
        if state.contains(.checked) { notifyContextWatcher(event()) }
    }

    @inline(never)
    private final func notifyContextWatcher(_ event: WatchedEvent) {
        guard let context = registry?.context, let watcher = context.watcher else { return }
        watcher.hear(event, in: context)
    }
}
