import CoreDataModel
import CoreDataStore

/// A change of the object graph, with the information to undo it.
///
/// The `UndoRecorder` records a change whenever an object is changed, inserted or deleted. An
/// `UndoStep` undoes it. The two ends of a relationship are recorded separately. The objects are
/// retained.
enum GraphChange {
    case value(NSManagedObject, slot: Int, old: Value)
    case destination(NSManagedObject, slot: Int, old: NSManagedObject?)
    case added(NSManagedObject, slot: Int, member: NSManagedObject)
    case removed(NSManagedObject, slot: Int, member: NSManagedObject)
    case reordered(NSManagedObject, slot: Int, old: [NSManagedObject])
    case inserted(NSManagedObject)
    case deleted(NSManagedObject, DeletedValues)
    /// A deletion was undone.
    case restored(NSManagedObject)
}

/// The values of a deleted object, with which its deletion can be undone.
final class DeletedValues {
    /// Whether the object was never saved, so its key was never the key of a row.
    let isUnsaved: Bool
    private var values: [Value]?
    private var destinations: [(slot: Int, object: NSManagedObject)] = []
    private var members: [(slot: Int, objects: [NSManagedObject])] = []

    init(of object: NSManagedObject) { isUnsaved = object.state.contains(.inserted) }

    /// Copies the values and relationships of a realised object, unless they were copied before.
    func keep(_ object: NSManagedObject) {
        guard values == nil, !object.state.contains(.fault), !object.state.contains(.inaccessible)
        else { return }
        values = object.layout.values.indices.map { object.currentValue(at: $0) }
        for slot in object.layout.values.indices where object.layout.values[slot].toOne != nil {
            if let found = object.destination(at: slot) { destinations.append((slot, found)) }
        }
        for slot in object.layout.toMany.indices {
            guard let found = try? object.loadedMembers(slot).members.array, !found.isEmpty else {
                continue
            }
            members.append((slot, found))
        }
    }

    /// Restores the values of an object that has left its context, as the unsaved values of a new
    /// object.
    ///
    /// - Returns: whether values were copied before.
    func restore(_ object: NSManagedObject) -> Bool {
        guard let values else { return false }
        assert(
            values.count == object.layout.values.count, "the kept values belong to another entity")
        object.take(nil)
        object.batch = nil
        object.dropPending()
        object.relationships = nil
        let pending = object.ensurePending()
        for (slot, value) in values.enumerated() { pending[slot] = value }
        for (slot, destination) in destinations {
            object.setKnownDestination(slot, destination)
        }
        let relationships = object.ensureRelationships()
        for (slot, objects) in members {
            let storage = relationships.makeMembers(slot, of: object.layout)
            for member in objects { storage.add(member) }
        }
        return true
    }
}
