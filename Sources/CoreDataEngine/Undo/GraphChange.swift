import CoreDataModel
import CoreDataStore

/// One step that the graph of a context took, with what is needed to take it back.
///
/// Written down by the `UndoRecorder` where objects and change lists change, one side of a
/// relationship at a time, and taken back by an `UndoStep`. Holds its objects strongly.
enum GraphChange {
    case value(NSManagedObject, slot: Int, old: Value)
    case destination(NSManagedObject, slot: Int, old: NSManagedObject?)
    case added(NSManagedObject, slot: Int, member: NSManagedObject)
    case removed(NSManagedObject, slot: Int, member: NSManagedObject)
    case reordered(NSManagedObject, slot: Int, old: [NSManagedObject])
    case inserted(NSManagedObject)
    case deleted(NSManagedObject, KeptValues)
    /// A deletion was taken back.
    case restored(NSManagedObject)
}

/// What a deleted object was, for the day on which it is wanted back.
final class KeptValues {
    /// Whether the object was never saved, so that no row has ever had its key.
    let isUnsaved: Bool
    private var values: [Value]?
    private var destinations: [(slot: Int, object: NSManagedObject)] = []
    private var members: [(slot: Int, objects: [NSManagedObject])] = []

    init(of object: NSManagedObject) { isUnsaved = object.state.contains(.inserted) }

    /// Copies the values of a realised object that still has its relationships, once.
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

    /// Gives an object that left its context these values, as those of a new object.
    ///
    /// - Returns: whether there were any.
    func restore(_ object: NSManagedObject) -> Bool {
        guard let values else { return false }
        assert(values.count == object.layout.values.count, "another object's values were kept")
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
