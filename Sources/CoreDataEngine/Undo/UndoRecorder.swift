import CoreDataModel
import CoreDataStore

/// Records the changes in one context, so that its undo manager can undo them.
///
/// Each context with an undo manager has a recorder. Objects and change lists find it through their
/// registry, and call it before they change. When pending changes are processed, the changes of one
/// event become one action.
final class UndoRecorder {
    let manager: UndoManager
    private var journal: [GraphChange] = []
    /// The ordered relationships whose old order the journal already contains.
    private var ordered: Set<Place> = []
    private var pauses = 0

    private struct Place: Hashable {
        let object: ObjectIdentifier
        let slot: Int
    }

    init(manager: UndoManager) { self.manager = manager }

    // MARK: Notes

    func noteValue(_ object: NSManagedObject, _ slot: Int, old: Value) {
        append(.value(object, slot: slot, old: old))
    }

    func noteDestination(_ object: NSManagedObject, _ slot: Int) {
        append(.destination(object, slot: slot, old: object.destination(at: slot)))
    }

    func noteAdded(_ member: NSManagedObject, to object: NSManagedObject, _ slot: Int) {
        append(.added(object, slot: slot, member: member))
    }

    func noteRemoved(_ member: NSManagedObject, from object: NSManagedObject, _ slot: Int) {
        append(.removed(object, slot: slot, member: member))
    }

    /// Records the order of an ordered relationship before it changes. The position of a member can
    /// be restored only with the whole order.
    func noteOrder(_ object: NSManagedObject, _ slot: Int) {
        guard pauses == 0, object.layout.toMany[slot].isOrdered,
            ordered.insert(Place(object: ObjectIdentifier(object), slot: slot)).inserted,
            let members = try? object.loadedMembers(slot).members.array
        else { return }
        append(.reordered(object, slot: slot, old: members))
    }

    func noteInserted(_ object: NSManagedObject) { append(.inserted(object)) }

    func noteDeleted(_ object: NSManagedObject) {
        append(.deleted(object, DeletedValues(of: object)))
    }

    /// Records that the object has left the context. `kept` contains the object's values.
    func noteWithdrawn(_ object: NSManagedObject, _ kept: DeletedValues) {
        append(.deleted(object, kept))
    }

    func noteRestored(_ object: NSManagedObject) { append(.restored(object)) }

    private func append(_ change: GraphChange) {
        if pauses == 0 { journal.append(change) }
    }

    // MARK: The event

    /// Copies the values and relationships of deleted objects, before they are lost.
    func keepDeleted() {
        for change in journal {
            if case .deleted(let object, let kept) = change { kept.keep(object) }
        }
    }

    /// Throws an error if the action of the current event could not be registered.
    func checkGroup() throws(CoreDataError) {
        if !journal.isEmpty { try manager.checkGroup() }
    }

    /// Registers the event as one action. Does nothing if registration is disabled.
    ///
    /// - Throws: `invalidArgument` if the manager has no open group and opens none itself.
    func register(for context: NSManagedObjectContext) throws(CoreDataError) {
        if journal.isEmpty { return }
        let step = UndoStep(changes: journal)
        try manager.register(context) { (context) throws(CoreDataError) in
            try step.takeBack(in: context)
        }
        discard()
    }

    func discard() {
        journal = []
        ordered = []
    }

    /// Runs changes that cannot be undone, such as those of a merge or a merge policy.
    func pausing<T>(_ work: () throws(CoreDataError) -> T) throws(CoreDataError) -> T {
        pauses += 1
        defer {
            assert(pauses > 0, "a pause ended twice")
            pauses -= 1
        }
        return try work()
    }
}
