import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Receives the program's operations on the objects of a context, on the context's queue.
///
/// The concurrency lab derives the history of the program from these events. Objects look up the
/// watcher only if accesses are checked (`NSManagedObjectContext.checksAccess`), so other programs
/// do not pay for the look-up.
package protocol ContextWatcher: AnyObject, Sendable {
    /// Receives an event that has happened or is about to happen.
    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext)
}

/// An operation of the program on a context. Slots are positions among an entity's values.
package enum WatchedEvent {
    /// An attribute or a to-one relationship was read.
    case read(NSManagedObject, slot: Int)
    /// A to-many relationship was read; `slot` is its position among the to-many relationships.
    case readMembers(NSManagedObject, slot: Int, count: Int)
    /// An attribute or a to-one relationship was set; `equalsNull` is true if the accessor returns
    /// the same value for nil, as an accessor of type `Bool` returns false for nil.
    case wrote(NSManagedObject, slot: Int, equalsNull: Bool)
    /// A fetch or a count has ended; `found` is empty for a count and for dictionaries.
    case fetched(FetchRequestOptions, found: [ObjectKey], count: Int)
    /// A save has collected its changes and has not written them yet.
    case saving
    /// A save is about to write, or to write again after a merge policy has resolved conflicts.
    case writing
    /// A child's save runs on its parent's queue, and is about to store its values in the parent.
    case pushing(NSManagedObjectContext)
    /// The child's save has stored its values in the parent; the save still runs on the parent's
    /// queue.
    case pushed(NSManagedObjectContext)
    /// A save has written its changes to the store or to the parent.
    case saved(SavedKeys)
    case saveFailed(CoreDataError)
    /// Changes that another context has saved are about to be merged.
    case merging(SavedKeys)
    case merged(SavedKeys)
    /// The newest row of an object is about to be read for a refresh.
    case refreshing(NSManagedObject)
    case refreshed(NSManagedObject, keepsChanges: Bool)
    /// A rollback is about to drop all unsaved changes. If `forgetsObjects` is true, a reset is
    /// about to drop all objects as well.
    case dropped(forgetsObjects: Bool)
    /// A batch request is about to write rows directly to the store, without updating any context.
    case batching(BatchPlan)
    /// A batch request has written these rows.
    case batched(BatchPlan, keys: [ObjectKey])
    /// The context is about to look up an object's row, in the row cache or in the store.
    case firing(ObjectKey)
    /// The context is about to check whether later saves have replaced rows that it has read.
    case comparesGenerations
    /// The parent of the context was set.
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

    /// The newest row of an object, or nil if the row does not exist. Runs at most one SELECT.
    ///
    /// The watcher is notified before the lookup, because reads by other contexts determine whether
    /// the row cache contains the row. A child's lookup is reported by its root context.
    final func newestRow(
        of key: ObjectKey, notBefore: Double?
    ) throws(CoreDataError) -> (row: RowReference, source: Event.FaultSource)? {
        if parent == nil { notifyWatcher(.firing(key)) }
        return try row(of: key, notBefore: notBefore)
    }

    /// Looks up a row without notifying the watcher. A root context reports a row that does not
    /// exist, because no other event shows that the lookup has read the store.
    final func row(
        of key: ObjectKey, notBefore: Double?
    ) throws(CoreDataError) -> (row: RowReference, source: Event.FaultSource)? {
        let found = try source.row(key, notBefore: notBefore)
        if found == nil, parent == nil, trace.isOn {
            let entity = binding.layout[Int(key.entity)]
            trace.record(.noRow(object: ObjectName(entity: entity.name, key: key.key)))
        }
        return found
    }

    /// ``detectConflicts(for:)`` was called for these objects: the next save checks their rows for
    /// conflicts without writing them.
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
