import CoreDataModel
import CoreDataStore
import Foundation

/// Applies a child's save to its parent, as unsaved changes of the parent.
///
/// The child's values replace those of the parent, without a check for conflicts. The save pipeline
/// of the child calls this on the parent's queue, and passes values but no objects.
struct ChildChanges {
    private let parent: NSManagedObjectContext
    private let registry: ObjectRegistry

    init(parent: NSManagedObjectContext) {
        self.parent = parent
        registry = parent.registry
    }

    func apply(_ plan: SavePlan) throws(CoreDataError) {
        assert(parent.queue.isCurrent, "the parent's objects are changed off its queue")
        try parent.notifyingTogether { () throws(CoreDataError) in try applyEach(plan) }
        parent.checkInvariants()
    }

    private func applyEach(_ plan: SavePlan) throws(CoreDataError) {
        try applyInserts(plan.inserts)
        for update in plan.updates where !mutant(.childSaveLosesUpdates) {
            for (row, key) in update.keys.enumerated() {
                let object = registry.object(
                    for: ObjectKey(entity: update.entity.index, key: key))
                guard try object.isReadable() else { continue }
                for (offset, slot) in update.slots.enumerated() {
                    let value = update.values[row * update.slots.count + offset]
                    try set(slot, of: object, to: value)
                }
                parent.changes.noteUpdated(object)
            }
        }
        for membership in plan.memberships { try apply(membership) }
        for delete in plan.deletes where !mutant(.childSaveLosesDeletes) {
            for key in delete.keys {
                try self.delete(ObjectKey(entity: delete.entity.index, key: key))
            }
        }
        try parent.processPending()
    }

    /// An object of the parent for a row that the child has inserted.
    private struct Inserted {
        let object: NSManagedObject
        let isFresh: Bool
    }

    /// All objects are created before any is filled, because rows refer to each other.
    private func applyInserts(_ inserts: [SavePlan.Insert]) throws(CoreDataError) {
        var inserted = ContiguousArray<Inserted>()
        inserted.reserveCapacity(inserts.reduce(0) { $0 + $1.keys.count })
        for insert in inserts {
            registry.reserve(insert.keys.count, for: insert.entity)
            for key in insert.keys { inserted.append(try makeObject(insert.entity, key)) }
        }
        var next = 0
        for insert in inserts {
            var columns = Columns(insert.entity)
            for row in insert.keys.indices {
                try fill(inserted[next], from: insert.cells(row), &columns)
                next += 1
            }
        }
        assert(next == inserted.count, "the plan has an object without a new row")
    }

    private func makeObject(
        _ entity: EntityLayout, _ key: Int64
    ) throws(CoreDataError) -> Inserted {
        if let known = registry.registered(ObjectKey(entity: entity.index, key: key)) {
            if try !hasValues(known) { insert(known) }
            return Inserted(object: known, isFresh: false)
        }
        let object = registry.makeFault(entity: entity.index, key: key)
        object.state = registry.objectState
        _ = object.ensurePending()
        registry.register(object)
        parent.changes.noteInserted(object)
        return Inserted(object: object, isFresh: true)
    }

    /// The slots of an entity, and the destinations of the previous row. New objects with the same
    /// destination are usually adjacent, so the destination often needs no look-up.
    private struct Columns {
        let kinds: ContiguousArray<ValueKind>
        /// The to-many slot at the other end of a to-one slot, and its entity.
        let inverses: ContiguousArray<(slot: Int, entity: Int)?>
        var neighbours: ContiguousArray<(key: ObjectKey, object: NSManagedObject)?>

        init(_ entity: EntityLayout) {
            let slots = entity.values.indices
            kinds = ContiguousArray(slots.map { entity.values[$0].kind })
            inverses = ContiguousArray(
                slots.map { slot in
                    guard let target = entity.target(ofToOne: slot),
                        case .toMany(let inverse) = target.inverse
                    else { return nil }
                    return (inverse, target.destinationIndex)
                })
            neighbours = ContiguousArray(repeating: nil, count: slots.count)
        }
    }

    private func fill(
        _ inserted: Inserted, from cells: UnsafeRawPointer, _ columns: inout Columns
    ) throws(CoreDataError) {
        let object = inserted.object
        // The attributes of a new object are stored directly. This is not possible if an observer,
        // a listener or a check needs the changes.
        let isQuiet =
            inserted.isFresh && object.state.isDisjoint(with: [.observed, .heard, .checked])
        for (slot, kind) in columns.kinds.enumerated() {
            let isNull = RowFormat.isNull(cells, slot: slot)
            if isNull, inserted.isFresh, object.pending?.isSet(slot) != true { continue }
            let value = RowFormat.value(cells, slot: slot, kind: kind)
            if isQuiet {
                if kind != .toOne {
                    object.storePending(value, at: slot)
                    continue
                }
                if try link(object, slot, to: value, &columns) { continue }
            }
            try set(slot, of: object, to: value)
        }
    }

    /// Links a new object to a destination by adding it to the members of the destination.
    ///
    /// - Returns: false if the link needs more than that, for example the removal of a previous
    ///   link. Nothing was changed in this case.
    private func link(
        _ object: NSManagedObject, _ slot: Int, to value: Value, _ columns: inout Columns
    ) throws(CoreDataError) -> Bool {
        guard case .reference(let key) = value, let inverse = columns.inverses[slot],
            object.pending?.isSet(slot) != true, object.recorder == nil
        else { return false }
        let owner: NSManagedObject
        if let neighbour = columns.neighbours[slot], neighbour.key == key {
            owner = neighbour.object
        } else {
            owner = registry.object(for: key)
            columns.neighbours[slot] = (key, owner)
        }
        guard owner.takesMembersQuietly, owner.layout.index == inverse.entity else { return false }
        object.replaceDestination(slot, with: owner)
        if !mutant(.skipInverse) { owner.addMember(inverse.slot, object) }
        return true
    }

    /// Whether the object is inserted in the parent or has a row. If false, the parent may know
    /// only the id: it may have registered a fault before the child inserted the object.
    private func hasValues(_ object: NSManagedObject) throws(CoreDataError) -> Bool {
        if object.state.contains(.inaccessible) { return false }
        if !object.state.contains(.fault) || object.cells != nil { return true }
        guard object.key > 0 || parent.parent != nil,
            let found = try parent.newestRow(of: object.objectKey, notBefore: nil)
        else { return false }
        object.realise(with: found.row, in: parent, source: found.source)
        return true
    }

    private func insert(_ object: NSManagedObject) {
        if object.state.contains(.deleted) { parent.changes.noteRestored(object) }
        object.state.subtract([.fault, .inaccessible])
        object.relationships = nil
        _ = object.ensurePending()
        parent.changes.noteInserted(object)
    }

    private func set(
        _ slot: Int, of object: NSManagedObject, to value: Value
    ) throws(CoreDataError) {
        guard object.layout.isToOne(slot) else {
            if object.currentValue(at: slot) != value { try object.setValue(value, at: slot) }
            return
        }
        var destination: NSManagedObject?
        if case .reference(let key) = value {
            destination = registry.object(for: key)
        }
        if object.destination(at: slot) !== destination {
            try object.setToOne(slot, to: destination)
        }
    }

    private func apply(_ membership: SavePlan.Membership) throws(CoreDataError) {
        let owner = registry.object(
            for: ObjectKey(entity: membership.entity.index, key: membership.owner))
        guard try owner.isReadable() else { return }
        for key in membership.removed {
            let object = registry.object(for: key)
            if try owner.loadedMembers(membership.slot).members.contains(object) {
                try owner.unlink(membership.slot, object)
            }
        }
        for key in membership.added {
            let object = registry.object(for: key)
            if try !owner.loadedMembers(membership.slot).members.contains(object) {
                try owner.link(membership.slot, object)
            }
        }
        if let order = membership.order {
            // Members that only the parent knows follow the members in the child's order.
            let storage = try owner.loadedMembers(membership.slot)
            let known = order.map { registry.object(for: $0) }
            let ordered = ObjectList(known.filter(storage.members.contains))
            let others = storage.members.array.filter { !ordered.contains($0) }
            owner.recorder?.noteOrder(owner, membership.slot)
            let newOrder = ordered.array + others
            if storage.members.elementsEqual(newOrder) {
                return parent.changes.noteUpdated(owner)
            }
            owner.noticing(values: [], toMany: [membership.slot]) {
                storage.setOrder(newOrder)
                parent.changes.noteUpdated(owner)
            }
        }
    }

    private func delete(_ key: ObjectKey) throws(CoreDataError) {
        let object = registry.object(for: key)
        // A merge may have deleted the object in the parent. The child's deletion is then applied
        // as usual.
        if object.state.contains(.deletedByMerge) { parent.changes.noteRestored(object) }
        if !object.state.contains(.deleted) { try parent.deleteObject(object) }
    }
}
