import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Resolves conflicts of objects that share a unique value, for the built-in policies.
///
/// One object survives, and relationships to the other objects are redirected to it. Under "object
/// trump" and "overwrite", the existing row keeps its key and takes the new values. Under "store
/// trump" and "rollback" it is unchanged.
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
                // If both objects have rows, `survivor` is the object outside of the save. It is
                // deleted if the policy prefers the object in the save.
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

    /// Merges a new object into the survivor.
    ///
    /// If both objects have rows, they are not merged. The policy decides: the loser is deleted, or
    /// the saved object gets back its former values of the constraint's properties.
    ///
    /// - Parameter loser: the object to delete if the policy prefers the saved object.
    private func settle(
        _ object: NSManagedObject, _ survivor: NSManagedObject, loser: NSManagedObject,
        _ constraint: [String], in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        if object.state.contains(.inserted) {
            try fold(object, into: survivor, in: context)
        } else if objectWins {
            try cutDenyingLinks(loser)
            try context.deleteObject(loser)
        } else {
            revert(object, constraint)
        }
    }

    /// Removes links with a deny rule, which would prevent the deletion of the loser.
    private func cutDenyingLinks(_ loser: NSManagedObject) throws(CoreDataError) {
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

    private func fold(
        _ duplicate: NSManagedObject, into survivor: NSManagedObject,
        in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        assert(duplicate !== survivor, "the duplicate is the survivor itself")
        assert(duplicate.state.contains(.inserted), "the duplicate has a row")
        if survivor.key > 0, !survivor.state.contains(.inserted) { try context.rebase(survivor) }
        let shared = SharedSlots(
            from: duplicate.layout, to: survivor.layout, context.binding.layout)
        if objectWins, !mutant(.foldDropsValues) {
            // A new object counts as changed in all properties, so its nil values are copied, too.
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

    /// Redirects the links of the duplicate to the survivor, if both entities share the
    /// relationship. To-one links are redirected only if the policy prefers the saved object. All
    /// other links are removed.
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

/// Maps the slots of an object to those of another object in the same table. A constraint of a
/// superentity applies to objects of different subentities, which share only the superentity's
/// properties. So only these are mapped.
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

    /// The other object's slot for the same property; nil if the entities do not share the
    /// property.
    func value(_ slot: Int) -> Int? {
        let name = from.values[slot].name
        return ancestor.valueSlot(named: name) == nil ? nil : to.valueSlot(named: name)
    }

    /// The other object's slot for the same to-many relationship; nil if the entities do not share
    /// it.
    func toMany(_ slot: Int) -> Int? {
        let name = from.toMany[slot].name
        return ancestor.toManySlot(named: name) == nil ? nil : to.toManySlot(named: name)
    }
}
