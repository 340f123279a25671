import CoreDataEngine
import CoreDataModel
import CoreDataSQLite
import LabCheck
import LabScenario

// The statements that few scenarios need.
extension StepRunner {
    func performRare(_ action: Action) throws(Stop) -> String {
        switch action {
        case .make(let entity, let name, let values): return try make(entity, name, values)
        case .register(let reference): return try register(reference)
        case .lookUp(let reference, let name): return try lookUp(reference, name.value)
        case .release(let name): context.bindings[name.value] = nil
        case .fire(let reference): try fire(reference)
        case .undo: try engine { () throws(CoreDataError) in try context.context.undoChanges() }
        case .redo: try engine { () throws(CoreDataError) in try context.context.redoChanges() }
        case .refreshAll:
            try engine { () throws(CoreDataError) in try context.context.refreshAll() }
        case .obtainIDs(let references): try obtainIDs(references)
        case .state(let question, let name): return try state(question, name?.value)
        case .wait(let block): world.runBlock(block.value)
        case .mergeRemote(let source, let targets): return try mergeRemote(source, targets)
        case .batch(let batch): return try run(batch)
        case .hookSaw(let entity, let name):
            let value = HookedObject.seen(
                of: entity.value, in: context.context, name: world.alias)
            bind(name?.value, .value(value, .given), value)
            return value.quoted
        case .watch(let query, let sections, let name):
            return try watch(query, by: sections?.value, name.value)
        case .shown(let list, let isBySection, let name):
            return try shown(list.value, isBySection: isBySection, name?.value)
        case .migrate(let keys):
            try engine { () throws(CoreDataError) in
                try world.store.migrate(
                    unique: keys.map { (entity: $0.entity.value, key: $0.key.value) })
            }
        default: return try performSetting(action)
        }
        return ""
    }

    private func performSetting(_ action: Action) throws(Stop) -> String {
        switch action {
        case .policy(let setting):
            let name = setting.resolved(in: world.plan.cell) { Located(PolicyName($0)) }.value
            context.context.mergePolicy = world.plan.policies.policy(name) ?? .error
            context.policyName = name.description
        case .automerge(let isOn):
            context.context.automaticallyMergesChangesFromParent = isOn
            context.automerge = isOn
        case .staleness(let seconds): context.context.stalenessInterval = seconds
        case .outside(let sql, let name): return try outside(sql, name?.value)
        case .removeStore:
            let coordinator = world.store.coordinators[context.plan.coordinator]
            for store in coordinator?.persistentStores ?? [] { try? coordinator?.remove(store) }
        case .fail(let point):
            world.store.coordinators[context.plan.coordinator]?.fail(at: point)
        default: break
        }
        return ""
    }

    // MARK: Objects

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
        return world.name(object.objectKey, as: reference.name.value).alias
    }

    private func lookUp(_ reference: ObjectReference, _ name: String) throws(Stop) -> String {
        let id = try takenID(reference)
        let object = try engine { () throws(CoreDataError) in try context.context.fault(with: id) }
        context.bindings[name] = .object(object)
        return world.alias(object.objectKey)
    }

    private func fire(_ reference: ObjectReference) throws(Stop) {
        let object = try object(reference)
        guard let first = object.layout.values.indices.first else { return }
        try engine { () throws(CoreDataError) in _ = try object.value(at: first) }
    }

    private func obtainIDs(_ references: [ObjectReference]) throws(Stop) {
        var objects = context.changed(context.context.insertedObjects)
        if !references.isEmpty {
            objects = []
            for reference in references { objects.append(try object(reference)) }
        }
        let keys = objects.map(\.objectKey)
        try engine { () throws(CoreDataError) in
            try context.context.assignPermanentIDs(to: objects)
        }
        for (key, object) in zip(keys, objects) { world.move(key, to: object.objectKey) }
    }

    // MARK: Looking

    private func state(_ question: StateQuestion, _ name: String?) throws(Stop) -> String {
        let value: ObservedValue
        switch question.subject {
        case .context(let flag): value = try state(flag)
        case .object(let reference, let flag):
            let object = try object(reference)
            switch flag {
            case .isInserted: value = .flag(object.isInserted)
            case .isUpdated: value = .flag(object.isUpdated)
            case .isDeleted: value = .flag(object.isDeleted)
            case .isFault: value = .flag(object.isFault)
            case .hasChanges: value = .flag(object.hasChanges)
            case .hasTemporaryID: value = .flag(object.objectID.isTemporaryID)
            }
        }
        bind(name, .value(value, .given), value)
        return value.quoted
    }

    private func state(_ flag: StateQuestion.ContextFlag) throws(Stop) -> ObservedValue {
        let looked = context.context
        try engine { () throws(CoreDataError) in try looked.checkConfined("\(flag.rawValue)") }
        return switch flag {
        case .hasChanges: .flag(looked.hasChanges)
        case .inserted: .integer(Int64(looked.insertedObjects.count))
        case .updated: .integer(Int64(looked.updatedObjects.count))
        case .deleted: .integer(Int64(looked.deletedObjects.count))
        case .registered: .integer(Int64(looked.registeredObjects.count))
        }
    }

    private func outside(_ sql: String, _ name: String?) throws(Stop) -> String {
        let value: ObservedValue
        do throws(SQLiteError) {
            value = try world.store.runOutside(sql, by: context.index)
        } catch {
            throw .outside(code: Int(error.code), error.message)
        }
        try engine { () throws(CoreDataError) in try world.readMirror() }
        bind(name, .value(value, .given), value)
        return value == .none ? "" : value.quoted
    }

    // MARK: Merging by ids

    private func mergeRemote(
        _ source: Located<String>, _ targets: [Located<String>]
    ) throws(Stop) -> String {
        let saver = world.plan.position(of: source.value)
        var merged = 0
        for target in targets {
            let listener = world.contexts[world.plan.position(of: target.value)]
            guard let coordinator = world.store.coordinators[listener.plan.coordinator],
                let posted = listener.take(.next, of: saver)
            else { continue }
            let context = world.recorder.context
            world.recorder.begin(step: world.recorder.step, context: listener.plan.name)
            world.recordMerge(posted)
            world.recorder.begin(step: world.recorder.step, context: context)
            func ids(_ keys: [ObjectKey]) -> [NSManagedObjectID] {
                keys.map { LabWorld.id(of: $0, on: coordinator) }
            }
            try engine { () throws(CoreDataError) in
                try NSManagedObjectContext.mergeRemote(
                    [
                        NSInsertedObjectIDsKey: ids(posted.keys.inserted),
                        NSUpdatedObjectIDsKey: ids(posted.keys.updated),
                        NSDeletedObjectIDsKey: ids(posted.keys.deleted),
                    ], into: [listener.context])
            }
            merged += 1
        }
        return merged == 0 ? "nothing to merge" : "into \(merged)"
    }
}
