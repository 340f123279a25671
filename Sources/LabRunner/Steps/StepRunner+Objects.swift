import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabScenario

extension StepRunner {
    func perform(_ action: ObjectAction) throws(Stop) -> String {
        switch action {
        case .insert(let entity, let name, let values):
            return try insert(entity.value, name?.value, values)
        case .make(let entity, let name, let values): return try make(entity, name, values)
        case .register(let reference): return try register(reference)
        case .set(let assignments): for assignment in assignments { try set(assignment) }
        case .relate(let path, let others):
            try relate(path, others) { objects, key, owner throws(CoreDataError) in
                try Relating.add(objects, to: key, of: owner)
            }
        case .unrelate(let path, let others):
            try relate(path, others) { objects, key, owner throws(CoreDataError) in
                try Relating.remove(objects, from: key, of: owner)
            }
        case .order(let path, let members):
            try relate(path, members) { objects, key, owner throws(CoreDataError) in
                try owner.writeValue(objects, forKey: key)
            }
        case .delete(let reference): try delete(reference)
        case .read(let path, let name): return try read(path, name?.value)
        case .adopt(let reference, let name): return try adopt(reference, name.value)
        case .lookUp(let reference, let name): return try lookUp(reference, name.value)
        case .release(let name): context.bindings[name.value] = nil
        case .fire(let reference): try fire(reference)
        case .refresh(let reference, let keeps): try refresh(reference, keepsChanges: keeps)
        case .detectConflicts(let reference):
            let object = try object(reference)
            try engine { () throws(CoreDataError) in try context.context.noteDetection(of: object) }
        case .obtainIDs(let references): try obtainIDs(references)
        case .state(let reference, let flag, let name):
            let value = ObservedValue.flag(try state(of: object(reference), flag))
            bind(name?.value, value)
            return value.quoted
        }
        return ""
    }

    // MARK: Making

    func insert(
        _ entity: String, _ name: String?, _ values: [Assignment]
    ) throws(Stop) -> String {
        let made = try engine { () throws(CoreDataError) in
            try context.context.insertObject(entityNamed: entity)
        }
        // The binding retains the object, which could otherwise be released before the save.
        let alias = name ?? "\(entity)(\(world.recorder.step))"
        let objectName = world.notes.name(made.objectKey, as: alias)
        context.bindings[name ?? "\u{0}\(objectName.alias)"] = .object(made)
        for assignment in values {
            try write(assignment.value, to: assignment.key.value, of: made)
        }
        return objectName.alias
    }

    private func make(
        _ entity: Located<String>, _ name: Located<String>, _ values: [Assignment]
    ) throws(Stop) -> String {
        let description = try engine { () throws(CoreDataError) in
            try context.context.entityDescription(named: entity.value)
        }
        let nowhere: NSManagedObjectContext? = nil
        let object = NSManagedObject(entity: description, insertInto: nowhere)
        context.bindings[name.value] = .object(object)
        for assignment in values {
            try write(assignment.value, to: assignment.key.value, of: object)
        }
        return ""
    }

    private func register(_ reference: ObjectReference) throws(Stop) -> String {
        let object = try object(reference)
        try engine { () throws(CoreDataError) in try context.context.insertObject(object) }
        return world.notes.name(object.objectKey, as: reference.name.value).alias
    }

    // MARK: Changing

    private func set(_ assignment: PathAssignment) throws(Stop) {
        let (object, key) = try end(of: assignment.path)
        try write(assignment.value, to: key, of: object)
    }

    func end(of path: ObjectPath) throws(Stop) -> (owner: NSManagedObject, key: String) {
        var owner = try object(path.object)
        for key in path.keys.dropLast() {
            guard let next = try readProperty(key.value, of: owner) as? NSManagedObject else {
                throw .missing(key.value)
            }
            owner = next
        }
        return (owner, path.keys.last?.value ?? "")
    }

    func write(
        _ operand: StepValue, to key: String, of object: NSManagedObject
    ) throws(Stop) {
        if case .reference(let reference) = operand, isObject(reference) {
            let other = try self.object(reference)
            try crossing(reference) { () throws(CoreDataError) in
                try object.writeValue(other, forKey: key)
            }
            return noteWrite(.object(world.alias(other.objectKey)), .given, to: key, of: object)
        }
        let (value, basis) = try Evaluation(runner: self).value(of: operand)
        try engine { () throws(CoreDataError) in
            guard let slot = object.layout.valueSlot(named: key),
                object.layout.values[slot].kind != .toOne
            else { return try object.writeValue(nil, forKey: key) }
            let attribute = object.layout.values[slot]
            guard let stored = LiteralCoding.value(value, as: attribute.kind) else {
                throw CoreDataError(
                    .invalidArgument,
                    "Unacceptable type of value for attribute: property = \"\(key)\";"
                        + " value = \(value)"
                )
            }
            try object.setValue(stored, at: slot)
            // An app reads a required Boolean attribute as `Bool`, for which nil equals false.
            let isBool = attribute.kind == .boolean && !attribute.isOptional
            context.named.note(slot, of: object, equalsNull: isBool && value == .flag(false))
        }
        noteWrite(value, basis, to: key, of: object)
        // An object without a context has no name yet.
        let owner = object.managedObjectContext == nil ? "" : "\(world.alias(object.objectKey))."
        remarks?.noteValue(value, basis, of: owner + key, givenAs: operand)
    }

    private func noteWrite(
        _ value: ObservedValue, _ basis: WriteBasis, to key: String, of object: NSManagedObject
    ) {
        // An object without a context has no key yet.
        if object.managedObjectContext == nil { return }
        world.recorder.record(
            .write(world.name(object.objectKey), key: key, value: value, basis: basis))
    }

    private func isObject(_ reference: ObjectReference) -> Bool {
        if reference.context != nil { return true }
        switch context.bindings[reference.name.value] {
        case .object, .objects: return true
        case .value: return false
        case nil: return true
        }
    }

    private func relate(
        _ path: ObjectPath, _ others: [ObjectReference],
        _ change: ([NSManagedObject], String, NSManagedObject) throws(CoreDataError) -> Void
    ) throws(Stop) {
        let (owner, key) = try end(of: path)
        var objects: [NSManagedObject] = []
        for other in others { objects.append(try object(other)) }
        guard let foreign = others.first(where: { isForeign($0) }) else {
            return try engine { () throws(CoreDataError) in try change(objects, key, owner) }
        }
        try crossing(foreign) { () throws(CoreDataError) in try change(objects, key, owner) }
    }

    private func isForeign(_ reference: ObjectReference) -> Bool {
        reference.context.map { $0.value != context.plan.name } ?? false
    }

    /// Reports as misuse that the engine refuses an object of another context.
    private func crossing(
        _ reference: ObjectReference, _ body: () throws(CoreDataError) -> Void
    ) throws(Stop) {
        do throws(CoreDataError) {
            try body()
        } catch {
            if isForeign(reference), error.code == .invalidArgument {
                let owner = reference.context?.value ?? "another context"
                throw .misuse(
                    .crossedContexts,
                    "'\(reference.name.value)' is an object of \(owner) and was used in"
                        + " \(context.plan.name); pass its id, as in"
                        + " 'object \(reference.name.value)@\(owner) as NAME'.")
            }
            throw .engine(error)
        }
    }

    private func delete(_ reference: ObjectReference) throws(Stop) {
        let object = try object(reference)
        let isNew = object.isInserted
        try crossing(reference) { () throws(CoreDataError) in
            try context.context.deleteObject(object)
        }
        if isNew, world.plan.quirk == .deletingUnsavedRaises, context.plan.parent == nil {
            context.deletedUnsaved.append(object)
        }
    }

    private func refresh(_ reference: ObjectReference, keepsChanges keeps: Bool) throws(Stop) {
        let object = try object(reference)
        try reportingChanges(of: context) { () throws(Stop) in
            try engine { () throws(CoreDataError) in
                try context.context.checkConfined("refresh(_:mergeChanges:)")
                try context.context.refreshObject(object, mergeChanges: keeps)
            }
        }
        if !keeps, !object.isInserted { context.named.forget(object) }
        world.recorder.record(.refreshed(world.name(object.objectKey), keepsChanges: keeps))
    }

    private func obtainIDs(_ references: [ObjectReference]) throws(Stop) {
        var objects = context.changed(context.context.insertedObjects)
        if !references.isEmpty {
            objects = []
            for reference in references { objects.append(try object(reference)) }
        }
        let keys = objects.map(\.objectKey)
        // Undo may have inserted an object without a name. The name must be created from the
        // temporary key, because the permanent key differs between stores.
        for key in keys { _ = world.name(key) }
        try engine { () throws(CoreDataError) in
            try context.context.assignPermanentIDs(to: objects)
        }
        for (key, object) in zip(keys, objects) { world.notes.move(key, to: object.objectKey) }
    }

    // MARK: Looking

    private func state(of object: NSManagedObject, _ flag: ObjectFlag) -> Bool {
        switch flag {
        case .isInserted: object.isInserted
        case .isUpdated: object.isUpdated
        case .isDeleted: object.isDeleted
        case .isFault: object.isFault
        case .hasChanges: object.hasChanges
        case .hasTemporaryID: object.objectID.isTemporaryID
        }
    }

    private func fire(_ reference: ObjectReference) throws(Stop) {
        let object = try object(reference)
        guard let first = object.layout.values.indices.first else { return }
        try engine { () throws(CoreDataError) in _ = try object.value(at: first) }
    }

    func readProperty(_ key: String, of object: NSManagedObject) throws(Stop) -> Any? {
        try engine { () throws(CoreDataError) in try object.readValue(forKey: key) }
    }
}

extension StepRunner {
    /// The object of a name: an object that the context has bound, or a row of the setup.
    func object(_ reference: ObjectReference) throws(Stop) -> NSManagedObject {
        let name = reference.name.value
        let owner = reference.context.map { world.contexts[world.plan.position(of: $0.value)] }
        let place = owner ?? context
        switch place.bindings[name] {
        case .object(let object): return object
        case .objects(let objects):
            guard let first = objects.first else { throw .missing(name) }
            return first
        case .value: throw .missing(name)
        case nil: return try setupObject(name, in: place)
        }
    }

    private func setupObject(
        _ name: String, in place: LabContext
    ) throws(Stop) -> NSManagedObject {
        let coordinator = world.store.coordinators[place.plan.coordinator] ?? world.store.main
        guard let id = world.setupID(name, on: coordinator) else { throw .missing(name) }
        let object = try engine { () throws(CoreDataError) in
            if place !== context {
                return try place.queue.runAndWait { () throws(CoreDataError) in
                    try place.context.fault(with: id)
                }
            }
            return try place.context.fault(with: id)
        }
        place.bindings[name] = .object(object)
        return object
    }

    private func lookUp(_ reference: ObjectReference, _ name: String) throws(Stop) -> String {
        let id = try takenID(reference)
        if id.isTemporaryID, try !isWithinReach(id) { noteEscape(of: id, reference) }
        let object = try engine { () throws(CoreDataError) in try context.context.fault(with: id) }
        context.bindings[name] = .object(object)
        return world.alias(object.objectKey)
    }

    private func adopt(_ reference: ObjectReference, _ name: String) throws(Stop) -> String {
        let id = try takenID(reference)
        let isLost = try losesID(of: reference)
        let object: NSManagedObject
        do throws(CoreDataError) {
            if isLost {
                throw CoreDataError(.referentialIntegrity, "The row of \(id) was never saved.")
            }
            object = try context.context.existing(id)
        } catch {
            noteEscape(of: id, reference)
            throw .engine(error)
        }
        context.bindings[name] = .object(object)
        return world.alias(object.objectKey)
    }

    /// Whether the scenario's quirk prevents other contexts from using the object's id.
    private func losesID(of reference: ObjectReference) throws(Stop) -> Bool {
        guard world.plan.quirk == .unsavedIDsAreLost else { return false }
        let object = try object(reference)
        return object.isInserted && !object.objectID.isTemporaryID
    }

    private func takenID(_ reference: ObjectReference) throws(Stop) -> NSManagedObjectID {
        try object(reference).objectID
    }

    /// Whether an object with a temporary id is in this context or one of its ancestors, where a
    /// fault finds its values.
    private func isWithinReach(_ id: NSManagedObjectID) throws(Stop) -> Bool {
        world.watch.isLooking = true
        defer { world.watch.isLooking = false }
        var place: LabContext? = context
        while let holder = place {
            let isHeld = holder.queue.runAndWait { () throws(Never) in
                holder.context.registeredObjects.contains {
                    $0.objectKey == id.objectKey && !$0.isFault
                }
            }
            if isHeld { return true }
            place = holder.plan.parent.map { world.contexts[$0] }
        }
        return false
    }

    /// Records that a temporary id of another context was used and cannot be resolved.
    private func noteEscape(of id: NSManagedObjectID, _ reference: ObjectReference) {
        guard isForeign(reference), id.isTemporaryID else { return }
        world.recorder.record(
            .tookTemporary(world.name(id.objectKey), from: reference.context?.value ?? ""))
    }
}
