import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import LabCheck
import LabScenario

/// Runs the statements of one step on one context through the engine's throwing cores, so that
/// misuse ends the step with a finding and never the process. Worlds make one for each step.
struct StepRunner {
    let world: LabWorld
    let context: LabContext

    /// Why a step did not run to its end.
    enum Stop: Error {
        case engine(CoreDataError)
        case misuse(Misuse, String)
        /// The name stands for nothing in this schedule.
        case missing(String)
        /// A save did not end as its step expects.
        case unexpected(String)
        /// SQLite refused a statement of another process.
        case outside(code: Int, String)
    }

    /// - Returns: the step's status.
    mutating func run(_ step: Step) -> ObservedValue {
        var hasRun = false
        for statement in step.statements {
            if let condition = statement.condition, holds(condition.name.value) != condition.holds {
                world.recorder.line(statement.text, "skipped")
                continue
            }
            do throws(Stop) {
                if statement.isOffQueue {
                    try perform(statement)
                } else {
                    try context.queue.runAndWait { () throws(Stop) in try perform(statement) }
                }
                hasRun = true
            } catch {
                return stopped(error, statement)
            }
        }
        return .text(hasRun ? "ok" : "skipped")
    }

    private func holds(_ name: String) -> Bool {
        switch context.bindings[name] {
        case .object: true
        case .objects(let objects): !objects.isEmpty
        case .value(let value, _): value.holds
        case nil: world.status(of: name).map { $0 == .text("ok") } ?? (world.setupKey(name) != nil)
        }
    }

    private func stopped(_ stop: Stop, _ statement: Statement) -> ObservedValue {
        switch stop {
        case .missing(let name):
            world.recorder.line(statement.text, "skipped: there is no '\(name)'")
            return .text("skipped")
        case .unexpected(let text):
            world.recorder.line(statement.text, "unexpected: \(text)")
            return .text("unexpected")
        case .outside(let code, let text):
            world.recorder.line(statement.text, "SQLite error \(code): \(text)")
            return .integer(Int64(code))
        case .misuse(let misuse, let text):
            let message = Scrubbed.text(text)
            world.recorder.record(.misuse(misuse, message: message))
            world.recorder.line(statement.text, "\(misuse.rawValue): \(message)")
            return .text("misuse")
        case .engine(let error) where error.code == .wrongQueue:
            return stopped(.misuse(.queueConfinement, error.message), statement)
        case .engine(let error):
            let code = error.cocoaCode
            let message = Scrubbed.text(error.message)
            // A save tells of its failure itself, with the objects that are to blame.
            if case .save = statement.action {
            } else {
                world.recorder.record(.failed(code: code, message: message))
            }
            world.recorder.line(statement.text, "error \(code): \(message)")
            return .integer(Int64(code))
        }
    }

    private func perform(_ statement: Statement) throws(Stop) {
        let result: String
        switch statement.action {
        case .insert(let entity, let name, let values):
            result = try insert(entity.value, name?.value, values)
        case .set(let assignments):
            for assignment in assignments { try set(assignment) }
            result = ""
        case .relate(let path, let others):
            try relate(path, others, statement) { objects, key, owner throws(CoreDataError) in
                try Relating.add(objects, to: key, of: owner)
            }
            result = ""
        case .unrelate(let path, let others):
            try relate(path, others, statement) { objects, key, owner throws(CoreDataError) in
                try Relating.remove(objects, from: key, of: owner)
            }
            result = ""
        case .delete(let reference):
            let object = try object(reference)
            try crossing(reference) { () throws(CoreDataError) in
                try context.context.deleteObject(object)
            }
            result = ""
        case .fetch(let query, let name): result = try fetch(query, name?.value, statement)
        case .count(let query, let name): result = try count(query, name?.value, statement)
        case .read(let path, let name): result = try read(path, name?.value)
        case .object(let reference, let name): result = try adopt(reference, name.value)
        case .refresh(let reference, let keeps):
            let object = try object(reference)
            try engine { () throws(CoreDataError) in
                try context.context.checkConfined("refresh(_:mergeChanges:)")
                try context.context.refreshObject(object, mergeChanges: keeps)
            }
            if !keeps, !object.isInserted { context.named.forget(object) }
            result = ""
        case .detectConflicts(let reference):
            let object = try object(reference)
            try engine { () throws(CoreDataError) in try context.context.noteDetection(of: object) }
            result = ""
        case .enqueue(let block):
            world.enqueue(block.value)
            result = ""
        default: result = try performOnContext(statement.action)
        }
        world.recorder.line(statement.text, result)
        switch statement.action {
        case .save, .batch: describeSave()
        default: break
        }
    }

    private func performOnContext(_ action: Action) throws(Stop) -> String {
        switch action {
        case .save(let form): return try save(form)
        case .reset:
            try engine { () throws(CoreDataError) in try context.context.resetContext() }
            context.bindings.removeAll()
            context.named.removeAll()
            world.recorder.record(.dropped)
        case .rollback:
            try engine { () throws(CoreDataError) in try context.context.rollbackChanges() }
            context.named.removeAll()
            world.recorder.record(.dropped)
        case .processPending:
            try engine { () throws(CoreDataError) in try context.context.processPending() }
        case .merge(let choice, let source): return try merge(choice, from: source.value)
        default: return try performRare(action)
        }
        return ""
    }

    func engine<Result>(_ body: () throws(CoreDataError) -> Result) throws(Stop) -> Result {
        do throws(CoreDataError) { return try body() } catch { throw .engine(error) }
    }

    // MARK: Objects

    func insert(
        _ entity: String, _ name: String?, _ values: [Assignment]
    ) throws(Stop) -> String {
        let made = try engine { () throws(CoreDataError) in
            try context.context.insertObject(entityNamed: entity)
        }
        // Held by a binding, or it would be gone before the save where nobody else holds it.
        let alias = name ?? "\(entity)(\(world.recorder.step))"
        let objectName = world.name(made.objectKey, as: alias)
        context.bindings[name ?? "\u{0}\(objectName.alias)"] = .object(made)
        for assignment in values {
            try write(assignment.value, to: assignment.key.value, of: made)
        }
        return objectName.alias
    }

    private func set(_ assignment: PathAssignment) throws(Stop) {
        var object = try object(assignment.path.object)
        for key in assignment.path.keys.dropLast() {
            guard let next = try readProperty(key.value, of: object) as? NSManagedObject else {
                throw .missing(key.value)
            }
            object = next
        }
        try write(assignment.value, to: assignment.path.keys.last?.value ?? "", of: object)
    }

    func write(
        _ operand: StepValue, to key: String, of object: NSManagedObject
    ) throws(Stop) {
        if case .reference(let reference) = operand, isObject(reference) {
            let other = try self.object(reference)
            try crossing(reference) { () throws(CoreDataError) in
                try object.writeValue(other, forKey: key)
            }
            return
        }
        let (value, basis) = try Evaluation(runner: self).value(of: operand)
        try engine { () throws(CoreDataError) in
            guard let slot = object.layout.valueSlot(named: key),
                object.layout.values[slot].kind != .toOne
            else { return try object.writeValue(nil, forKey: key) }
            let kind = object.layout.values[slot].kind
            guard let stored = LiteralCoding.value(value, as: kind) else {
                throw CoreDataError(
                    .invalidArgument,
                    "Unacceptable type of value for attribute: property = \"\(key)\";"
                        + " value = \(value)"
                )
            }
            try object.setValue(stored, at: slot)
            context.named.note(slot, of: object)
        }
        // An object without a context has no key yet to be known by.
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
        _ path: ObjectPath, _ others: [ObjectReference], _ statement: Statement,
        _ change: ([NSManagedObject], String, NSManagedObject) throws(CoreDataError) -> Void
    ) throws(Stop) {
        var owner = try object(path.object)
        for key in path.keys.dropLast() {
            guard let next = try readProperty(key.value, of: owner) as? NSManagedObject else {
                throw .missing(key.value)
            }
            owner = next
        }
        var objects: [NSManagedObject] = []
        for other in others { objects.append(try object(other)) }
        let key = path.keys.last?.value ?? ""
        guard let foreign = others.first(where: { isForeign($0) }) else {
            return try engine { () throws(CoreDataError) in try change(objects, key, owner) }
        }
        try crossing(foreign) { () throws(CoreDataError) in try change(objects, key, owner) }
    }

    private func isForeign(_ reference: ObjectReference) -> Bool {
        reference.context.map { $0.value != context.plan.name } ?? false
    }

    /// An object of another context is refused by the engine; that is misuse with a name.
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

    /// The object that a name stands for: bound in the context, or a row of the setup.
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

    private func adopt(_ reference: ObjectReference, _ name: String) throws(Stop) -> String {
        let id = try takenID(reference)
        let object = try engine { () throws(CoreDataError) in
            try context.context.existing(id)
        }
        context.bindings[name] = .object(object)
        return world.alias(object.objectKey)
    }

    /// The id of an object, which another context may have given.
    func takenID(_ reference: ObjectReference) throws(Stop) -> NSManagedObjectID {
        let object = try object(reference)
        if isForeign(reference), object.objectID.isTemporaryID {
            world.recorder.record(
                .tookTemporary(
                    world.name(object.objectKey), from: reference.context?.value ?? ""))
        }
        return object.objectID
    }

    func readProperty(_ key: String, of object: NSManagedObject) throws(Stop) -> Any? {
        try engine { () throws(CoreDataError) in try object.readValue(forKey: key) }
    }
}
