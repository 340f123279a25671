import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Hears what a program does with the objects of a context, on the context's queue.
///
/// The lab writes the history of ordinary code from it. Objects ask for a listener only where each
/// access is checked (`NSManagedObjectContext.checksAccess`), so no other program pays for it.
package protocol ContextWatcher: AnyObject, Sendable {
    /// Takes what has happened, or is about to.
    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext)
}

/// What a program does with a context. Slots are positions among an entity's values.
package enum WatchedEvent {
    /// An attribute or a to-one relationship was read.
    case read(NSManagedObject, slot: Int)
    /// A to-many relationship was read; its slot counts such relationships.
    case readMembers(NSManagedObject, slot: Int, count: Int)
    /// An attribute or a to-one relationship was set.
    case wrote(NSManagedObject, slot: Int)
    /// A fetch or count came back; a count and dictionaries name no objects.
    case fetched(FetchRequestOptions, found: [ObjectKey], count: Int)
    /// A save has settled what it is about, and has written nothing yet.
    case saving
    /// A save is about to write, or to write again after a policy has decided.
    case writing
    /// A child's save has its parent's queue, and is about to put its values there.
    case pushing(NSManagedObjectContext)
    /// The values are there; the parent's queue is still the child's.
    case pushed(NSManagedObjectContext)
    /// A save has written: into the store, or into the parent.
    case saved(SavedKeys)
    case saveFailed(CoreDataError)
    /// What another context has saved is about to be merged.
    case merging(SavedKeys)
    case merged(SavedKeys)
    /// An object is about to ask for its newest row.
    case refreshing(NSManagedObject)
    case refreshed(NSManagedObject, keepsChanges: Bool)
    /// Unsaved changes were dropped, and with them all objects where it says so.
    case dropped(forgetsObjects: Bool)
    /// A batch request is about to write past every context.
    case batching(BatchPlan)
    /// A batch request has written these rows.
    case batched(BatchPlan, keys: [ObjectKey])
    /// The row of an object is about to be looked for, wherever it is then found.
    case firing(ObjectKey)
    /// Rows that were read are about to be used or read anew, by whether anybody has saved since.
    case comparesGenerations
    /// The context has got a parent.
    case attached(NSManagedObjectContext)
    /// The context merges by itself from now on, or no more.
    case mergesChanged
    /// The context reads from a state of the stores of its own from now on, or no more.
    case pinned
}

extension NSManagedObjectContext {
    /// Tells who listens.
    @inline(__always)
    final func tellWatcher(_ event: @autoclosure () -> WatchedEvent) {
        if let watcher { watcher.hear(event(), in: self) }
    }

    /// The newest row of an object, nil where there is none; at most one SELECT.
    ///
    /// Who watches is told before anybody looks: whether the row cache has the row depends on what
    /// others have read. A parent tells of what its children look for.
    final func newestRow(
        of key: ObjectKey, notBefore: Double?
    ) throws(CoreDataError) -> (row: RowReference, source: Event.FaultSource)? {
        if parent == nil { tellWatcher(.firing(key)) }
        return try source.row(key, notBefore: notBefore)
    }

    /// The objects whose rows the next save compares without writing them:
    /// ``detectConflicts(for:)``.
    package final var objectsToCompare: [NSManagedObject] { changes.locked }
}

extension NSManagedObject {
    /// Tells who listens to the object's context.
    @inline(__always)
    final func tellWatcher(_ event: @autoclosure () -> WatchedEvent) {
        if state.contains(.checked) { tellContext(event()) }
    }

    @inline(never)
    private final func tellContext(_ event: WatchedEvent) {
        guard let context = registry?.context, let watcher = context.watcher else { return }
        watcher.hear(event, in: context)
    }
}
