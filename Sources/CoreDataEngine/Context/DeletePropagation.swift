import CoreDataModel
import CoreDataStore

/// Applies the delete rules of deleted objects, in waves. The first wave contains the objects that
/// the program has deleted. Each further wave contains the objects that the previous wave has
/// deleted.
///
/// Core Data loads each destination separately. Here one SELECT for each relationship reads the
/// destinations of a whole wave.
struct DeletePropagation {
    let context: NSManagedObjectContext

    func run() throws(CoreDataError) {
        try context.notifyingTogether { () throws(CoreDataError) in try runWaves() }
    }

    private func runWaves() throws(CoreDataError) {
        while true {
            let taken = context.changes.takeUnpropagated()
            let isDue = { (object: NSManagedObject) in
                !object.state.contains(.propagated) && object.state.contains(.deleted)
            }
            let wave = ContiguousArray(taken).keeping(isDue)
            if wave.isEmpty { return }
            do throws(CoreDataError) {
                try prepare(wave)
                try wave.eachUnretained { object throws(CoreDataError) in
                    if !mutant(.deletesDoNotPropagate) { try propagate(object) }
                    // The bit is set after `propagate`, because the lists of members that
                    // `propagate` reads omit objects with this bit.
                    object.state.insert(.propagated)
                }
            } catch {
                // The next event tries again to read the rows.
                for object in wave where isDue(object) { context.changes.noteUnpropagated(object) }
                throw error
            }
        }
    }

    /// Reads the rows and members that the wave needs, with one statement for many objects.
    private func prepare(_ wave: ContiguousArray<NSManagedObject>) throws(CoreDataError) {
        for objects in Self.groupsByEntity(wave, context.binding.layout.entities.count) {
            let layout = objects[0].layout
            try BulkReading.realise(objects, layout, in: context)
            try prepareDestinations(of: objects, layout)
            for slot in layout.toMany.indices where layout.toMany[slot].deleteBehavior != .noAction
            {
                try BulkReading.loadMembers(of: objects, layout, slot, in: context)
            }
        }
    }

    private static func groupsByEntity(
        _ wave: ContiguousArray<NSManagedObject>, _ entityCount: Int
    ) -> [[NSManagedObject]] {
        func entity(_ object: NSManagedObject) -> Int {
            object.layoutReference._withUnsafeGuaranteedRef { $0.index }
        }
        // A fast path: a wave usually consists of the destinations of one relationship.
        if let first = wave.first,
            wave.allMeet({ $0.key > 0 && entity($0) == entity(first) })
        {
            return [Array(wave)]
        }
        var groups = [[NSManagedObject]](repeating: [], count: entityCount)
        wave.eachUnretained { if $0.key > 0 { groups[entity($0)].append($0) } }
        return groups.filter { !$0.isEmpty }
    }

    /// Reads the rows of to-one destinations, because each of them changes: it loses the deleted
    /// object as a member or as its own destination.
    private func prepareDestinations(
        of objects: [NSManagedObject], _ layout: EntityLayout
    ) throws(CoreDataError) {
        for slot in layout.values.indices {
            guard let relationship = layout.target(ofToOne: slot),
                relationship.deleteBehavior == .nullify || relationship.deleteBehavior == .cascade
            else { continue }
            var seen = Set<ObjectIdentifier>()
            var faults: [NSManagedObject] = []
            // Objects with the same destination are often adjacent, so the last destination is
            // reused.
            var last: (key: ObjectKey, object: NSManagedObject)?
            for object in objects where !object.state.contains(.fault) {
                guard let key = object.destinationKey(at: slot) else { continue }
                if let last, last.key == key, object.knownDestination(slot) == nil {
                    object.setKnownDestination(slot, last.object)
                    continue
                }
                guard let found = object.destination(at: slot) else { continue }
                last = (key, found)
                if found.state.contains(.fault), found.key > 0,
                    seen.insert(ObjectIdentifier(found)).inserted
                {
                    faults.append(found)
                }
            }
            guard faults.count > 1 else { continue }
            try BulkReading.attachRows(
                to: faults, context.binding.layout[relationship.destinationIndex], in: context)
        }
    }

    private func propagate(_ object: NSManagedObject) throws(CoreDataError) {
        // An object whose row no longer exists can always be deleted.
        if object.state.contains(.inaccessible) { return }
        guard try object.isReadable() else { return }
        let layout = object.layout
        for slot in 0..<layout.values.count {
            if let relationship = layout.target(ofToOne: slot) {
                try propagate(object, toOne: slot, relationship)
            }
        }
        for slot in 0..<layout.toMany.count {
            try propagate(object, toMany: slot, layout.target(ofToMany: slot))
        }
    }

    private func propagate(
        _ object: NSManagedObject, toOne slot: Int, _ relationship: RelationshipTarget
    ) throws(CoreDataError) {
        guard let destination = object.destination(at: slot) else { return }
        switch relationship.deleteBehavior {
        case .noAction, .deny: return
        case .cascade:
            if !destination.state.contains(.deleted) { try context.deleteObject(destination) }
        case .nullify: break
        }
        try detach(destination, from: object, relationship.inverse)
    }

    private func propagate(
        _ object: NSManagedObject, toMany slot: Int, _ relationship: RelationshipTarget
    ) throws(CoreDataError) {
        switch relationship.deleteBehavior {
        case .noAction, .deny: return
        case .nullify, .cascade: break
        }
        let members = ContiguousArray(try object.toManyMembers(slot))
        try members.eachUnretained { destination throws(CoreDataError) in
            if relationship.deleteBehavior == .cascade, !destination.state.contains(.deleted),
                !mutant(.cascadeNullifies)
            {
                try context.deleteObject(destination)
            }
            try detach(destination, from: object, relationship.inverse)
        }
    }

    private func detach(
        _ destination: NSManagedObject, from object: NSManagedObject, _ inverse: InverseSlot
    ) throws(CoreDataError) {
        if destination.state.contains(.deleted) || destination.state.contains(.inaccessible) {
            return
        }
        switch inverse {
        case .none: return
        case .value(let slot):
            guard try destination.isReadable(), destination.destination(at: slot) === object else {
                return
            }
            destination.replaceDestination(slot, with: nil)
        case .toMany(let slot):
            guard try destination.isReadable() else { return }
            destination.removeMember(slot, object)
        }
    }
}
