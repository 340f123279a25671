import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// What the built-in policies do about objects that share a unique value.
///
/// Trumping by the object and overwriting write the new values into the row that is there, which
/// keeps its key; the other two let that row stand. Either way one object survives, and
/// relationships that led to the others lead to it.
struct ConstraintResolution {
    let type: NSMergePolicyType

    func resolve(_ conflict: NSConstraintConflict) throws(CoreDataError) {
        guard let context = conflict.conflictingObjects.first?.managedObjectContext else { return }
        let objects = conflict.conflictingObjects.filter {
            $0.registry != nil && !$0.state.contains(.deleted)
        }
        report(objects, in: context)
        if let survivor = conflict.databaseObject {
            for object in objects where object !== survivor {
                // Two rows cannot both have the value; the one that was not asked for gives way.
                try settle(object, survivor, loser: survivor, conflict.constraint, in: context)
            }
        } else if let survivor = objects.first(where: { !$0.state.contains(.inserted) })
            ?? objects.first
        {
            for object in objects where object !== survivor {
                try settle(object, survivor, loser: object, conflict.constraint, in: context)
            }
        }
    }

    /// A new object disappears in the survivor; of two rows that exist, one gives way or the object
    /// keeps the value it had.
    ///
    /// - Parameter loser: the row that gives way where the policy lets objects win.
    private func settle(
        _ object: NSManagedObject, _ survivor: NSManagedObject, loser: NSManagedObject,
        _ constraint: [String], in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        if object.state.contains(.inserted) {
            try fold(object, into: survivor, in: context)
        } else if objectWins {
            try letGo(loser)
            try context.deleteObject(loser)
        } else {
            revert(object, constraint)
        }
    }

    /// Cuts the links that would deny a deletion: the row goes in any case, and nothing is to name
    /// it.
    private func letGo(_ loser: NSManagedObject) throws(CoreDataError) {
        guard try loser.isReadable() else { return }
        let layout = loser.layout
        for slot in layout.values.indices
        where layout.target(ofToOne: slot)?.deleteBehavior == .deny {
            try loser.setToOne(slot, to: nil)
        }
        for slot in layout.toMany.indices
        where layout.target(ofToMany: slot).deleteBehavior == .deny {
            for member in try loser.toManyMembers(slot) { try loser.unlink(slot, member) }
        }
    }

    private func revert(_ object: NSManagedObject, _ constraint: [String]) {
        for name in constraint {
            if let slot = object.layout.valueSlot(named: name) { object.dropChange(of: slot) }
        }
    }

    private func report(_ objects: [NSManagedObject], in context: NSManagedObjectContext) {
        guard context.trace.isOn, let first = objects.first else { return }
        context.trace.record(
            .conflict(
                context: context.name ?? "", kind: "constraint", object: first.objectName,
                policy: type.label))
    }

    private var objectWins: Bool {
        type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
    }

    /// Makes one object of two: the duplicate disappears.
    private func fold(
        _ duplicate: NSManagedObject, into survivor: NSManagedObject,
        in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        assert(duplicate !== survivor, "one of two objects survives")
        assert(duplicate.state.contains(.inserted), "what has a row is deleted, not folded")
        if survivor.key > 0, !survivor.state.contains(.inserted) { try context.rebase(survivor) }
        let shared = SharedSlots(
            from: duplicate.layout, to: survivor.layout, context.binding.layout)
        if objectWins, !mutant(.foldDropsValues) {
            // A new object has "changed" every property, so what it left nil becomes nil.
            for slot in duplicate.layout.values.indices
            where duplicate.layout.values[slot].toOne == nil {
                guard let own = shared.value(slot) else { continue }
                if mutant(.foldKeepsFilledValues), duplicate.currentValue(at: slot) == .null {
                    continue
                }
                try survivor.setValue(duplicate.currentValue(at: slot), at: own)
            }
        }
        try repoint(from: duplicate, to: survivor, shared)
        context.changes.drop(duplicate)
        context.registry.dismiss(duplicate, foldedInto: survivor)
    }

    /// Whatever the duplicate was linked to is linked to the survivor, as far as that can have it.
    private func repoint(
        from duplicate: NSManagedObject, to survivor: NSManagedObject, _ shared: SharedSlots
    ) throws(CoreDataError) {
        for slot in duplicate.layout.values.indices
        where duplicate.layout.values[slot].toOne != nil {
            guard let destination = try duplicate.toOneDestination(slot) else { continue }
            try duplicate.setToOne(slot, to: nil)
            if objectWins, let own = shared.value(slot) {
                try survivor.setToOne(own, to: destination)
            }
        }
        for slot in duplicate.layout.toMany.indices {
            for member in try duplicate.toManyMembers(slot) {
                try duplicate.unlink(slot, member)
                if let own = shared.toMany(slot) { try survivor.link(own, member) }
            }
        }
    }
}

/// The slots that two objects of one table have in common: those of the entity that both are kinds
/// of. A constraint of a superentity holds between objects of different subentities.
private struct SharedSlots {
    private let from: EntityLayout
    private let to: EntityLayout
    private let ancestor: EntityLayout

    init(from: EntityLayout, to: EntityLayout, _ model: ModelLayout) {
        (self.from, self.to) = (from, to)
        var ancestor = from
        while !to.isKind(of: ancestor), let next = ancestor.superIndex {
            ancestor = model.entities[next]
        }
        self.ancestor = ancestor
    }

    /// The other object's slot of the same value; nil if its entity lacks the property.
    func value(_ slot: Int) -> Int? {
        let name = from.values[slot].name
        return ancestor.valueSlot(named: name) == nil ? nil : to.valueSlot(named: name)
    }

    /// The other object's slot of the same members; nil if its entity lacks the relationship.
    func toMany(_ slot: Int) -> Int? {
        let name = from.toMany[slot].name
        return ancestor.toManySlot(named: name) == nil ? nil : to.toManySlot(named: name)
    }
}
