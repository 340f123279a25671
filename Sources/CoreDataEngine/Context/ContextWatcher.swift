import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Receives the program's operations on the objects of a context, on the context's queue.
///
/// The concurrency lab derives the history of a program from these events. Objects look up the
/// watcher only if accesses are checked (`NSManagedObjectContext.checksAccess`), so other programs
/// do not pay for it.
package protocol ContextWatcher: AnyObject, Sendable {
    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext)
}

/// An operation of the program on a context. Slots are positions among an entity's values.
package enum WatchedEvent {
    case read(NSManagedObject, slot: Int)
    /// A to-many relationship was read; `slot` is its position among the to-many relationships.
    case readMembers(NSManagedObject, slot: Int, count: Int)
    /// An attribute or a to-one relationship was set. `equalsNull` is true if the accessor would
    /// return the same value for nil: an accessor of type `Bool` returns false for nil.
    case wrote(NSManagedObject, slot: Int, equalsNull: Bool)
    /// A fetch or a count has ended; `found` is empty for a count and for dictionaries.
    case fetched(FetchRequestOptions, found: [ObjectKey], count: Int)
    /// A save has collected its changes and has not written them yet.
    case saving
    /// A save is about to write, or to write again after a merge policy has resolved conflicts.
    case writing
    /// A child's save is about to store its values in this parent. It runs on the parent's queue.
    case pushing(NSManagedObjectContext)
    /// The child's save has stored its values in the parent. It still runs on the parent's queue.
    case pushed(NSManagedObjectContext)
    case saved(SavedKeys)
    case saveFailed(CoreDataError)
    /// Changes that another context has saved are about to be merged.
    case merging(SavedKeys)
    case merged(SavedKeys)
    /// The newest row of an object is about to be read for a refresh.
    case refreshing(NSManagedObject)
    case refreshed(NSManagedObject, keepsChanges: Bool)
    /// A rollback is about to drop all unsaved changes. If `forgetsObjects` is true, a reset is
    /// about to drop all objects, too.
    case dropped(forgetsObjects: Bool)
    /// A batch request is about to write rows directly to the store, without updating any context.
    case batching(BatchPlan)
    case batched(BatchPlan, keys: [ObjectKey])
    /// The context is about to look up an object's row, in the row cache or in the store.
    case firing(ObjectKey)
    /// The context is about to check whether later saves have replaced the rows that it has read.
    case comparesGenerations
    case attached(NSManagedObjectContext)
    case mergesChanged
    case pinned
}

extension NSManagedObjectContext {
    @inline(__always)
    final func notifyWatcher(_ event: @autoclosure () -> WatchedEvent) {
        if let watcher { watcher.hear(event(), in: self) }
    }

    /// The newest row of an object, or nil if the row does not exist. Runs at most one SELECT.
    ///
    /// The watcher is notified before the look-up, because reads by other contexts decide whether
    /// the row cache contains the row. If a child looks up the row, its root context notifies the
    /// watcher.
    final func newestRow(
        of key: ObjectKey, notBefore: Double?
    ) throws(CoreDataError) -> (row: RowReference, source: Event.FaultSource)? {
        if parent == nil { notifyWatcher(.firing(key)) }
        return try row(of: key, notBefore: notBefore)
    }

    /// Looks up a row without notifying the watcher. If the row does not exist, a root context
    /// records this in the event stream, because no other event shows that the store was read.
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

    /// The objects for which ``detectConflicts(for:)`` was called. The next save checks their rows
    /// for conflicts without writing them.
    package final var objectsToCompare: [NSManagedObject] { changes.locked }
}

extension NSManagedObject {
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
