import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabScenario

extension StepRunner {
    func save(_ form: SaveForm) throws(Stop) -> String {
        do throws(Stop) {
            let name = world.recorder.context
            defer { world.recorder.begin(step: world.recorder.step, context: name) }
            for position in CellPlan.savers(context.index, form, world.plan.contexts) {
                let saver = StepRunner(world.contexts[position], for: self)
                world.recorder.begin(step: world.recorder.step, context: saver.context.plan.name)
                if position == context.index {
                    _ = try saver.save()
                } else {
                    try saver.context.queue.runAndWait { () throws(Stop) in _ = try saver.save() }
                }
            }
        } catch {
            guard let expected = form.expected, case .engine(let failure) = error else {
                throw error
            }
            if failure.cocoaCode == expected { return "error \(expected), as expected" }
            throw .unexpected("error \(failure.cocoaCode): \(Scrubbed.text(failure.message))")
        }
        if let expected = form.expected {
            throw .unexpected("the save succeeded, but error \(expected) was expected")
        }
        return "ok"
    }

    private func save() throws(Stop) -> String {
        context.conflicts = []
        do throws(Stop) {
            return try saveOnce()
        } catch {
            if case .engine(let failure) = error, world.plan.readsConflicts {
                context.conflicts = ConflictText(world: world).lines(of: failure)
            }
            throw error
        }
    }

    private func saveOnce() throws(Stop) -> String {
        try refuseDeletedUnsaved()
        if !world.watch.keepsHistory { return try saveUnwatched() }
        let recording = try engine { () throws(CoreDataError) in
            try context.context.checkConfined("save()")
            try context.context.processPending()
            world.watch.isLooking = true
            defer { world.watch.isLooking = false }
            return try SaveRecording(context, in: world)
        }
        world.touchSave(of: recording.objects, by: context)
        world.footprints?.saving(true)
        defer { world.footprints?.saving(false) }
        signHistory()
        let ending = SaveEnding(recording, of: context, in: world)
        context.endSave = { ending.run() }
        defer { context.endSave = nil }
        do throws(CoreDataError) {
            try context.context.saveChanges()
        } catch {
            recording.renameInserted()
            noteFailure(error, recording)
            throw .engine(error)
        }
        ending.run()
        if let failure = ending.failure { throw .engine(failure) }
        return "ok"
    }

    /// Makes the save fail if the quirk forbids deleting an unsaved object.
    private func refuseDeletedUnsaved() throws(Stop) {
        guard !context.deletedUnsaved.isEmpty else { return }
        let pending = context.context
        let unsaved =
            context.changed(pending.insertedObjects) + context.changed(pending.updatedObjects)
            + context.changed(pending.deletedObjects)
        let error = CoreDataError(
            .storeSave, "An object was deleted that had never been saved.")
        world.recorder.record(
            .saveFailed(
                SaveFailure(
                    code: error.cocoaCode,
                    culprits: context.deletedUnsaved.map { world.name($0.objectKey) },
                    pending: unsaved.map { world.name($0.objectKey) })))
        throw .engine(error)
    }

    private func noteFailure(_ error: CoreDataError, _ recording: SaveRecording) {
        if let remarks { remarks.add(below: ConflictText(world: world).lines(of: error)) }
        let culprits = error.culprits.map { world.name($0) }
        world.recorder.record(
            .saveFailed(
                SaveFailure(
                    code: error.cocoaCode, culprits: culprits, pending: recording.names)))
        let known = [133_020, 133_021].contains(error.cocoaCode)
        if !known, !(1550...1680).contains(error.cocoaCode), error.code != .wrongQueue {
            world.recorder.record(
                .failed(code: error.cocoaCode, message: Scrubbed.text(error.message)))
        }
    }

    func describeSave() {
        guard world.recorder.wantsLines,
            case .saved(let save)? = world.recorder.history.entries.last(where: { entry in
                if case .saved = entry.event { return true }
                return false
            })?.event
        else { return }
        for change in save.changes {
            if let text = Self.text(change, world.recorder.history.schema) {
                world.recorder.detail(text)
            }
        }
    }

    private static func text(_ change: Save.Change, _ schema: History.Schema) -> String? {
        guard let after = change.after else {
            return change.before == nil ? nil : "\(change.object.alias) is deleted"
        }
        let keys = schema.entities[change.object.entity].keys
        let values = zip(keys, after.values).map { "\($0) = \($1.quoted)" }
        let version = after.version > 0 ? " is version \(after.version)" : ""
        return "\(change.object.alias)\(version): \(values.joined(separator: ", "))"
    }

    func merge(_ choice: MergeChoice, from source: String) throws(Stop) -> String {
        let saver = world.plan.position(of: source)
        var taken = 0
        while let posted = context.take(choice, of: saver) {
            world.recordMerge(posted)
            try reportingChanges(of: context) { () throws(Stop) in
                try engine { () throws(CoreDataError) in
                    try context.context.checkConfined("mergeChanges(fromContextDidSave:)")
                    try world.merge(posted, into: context)
                }
            }
            taken += 1
            if choice != .all { break }
        }
        return taken == 0 ? "nothing to merge" : taken == 1 ? "1 save" : "\(taken) saves"
    }

    /// Merges by ids, like `mergeChanges(fromRemoteContextSave:into:)`. Parents merge before their
    /// children, because children read the values of their parents.
    func mergeRemote(
        _ source: Located<String>, _ targets: [Located<String>]
    ) throws(Stop) -> String {
        let saver = world.plan.position(of: source.value)
        var merged = 0
        let listeners = targets.map { world.contexts[world.plan.position(of: $0.value)] }
        for listener in listeners.sorted(by: { $0.context.depth < $1.context.depth }) {
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
            try reportingChanges(of: listener) { () throws(Stop) in
                try engine { () throws(CoreDataError) in
                    try NSManagedObjectContext.mergeRemote(
                        [
                            NSInsertedObjectIDsKey: ids(posted.keys.inserted),
                            NSUpdatedObjectIDsKey: ids(posted.keys.updated),
                            NSDeletedObjectIDsKey: ids(posted.keys.deleted),
                        ], into: [listener.context])
                }
            }
            merged += 1
        }
        return merged == 0 ? "nothing to merge" : "into \(merged)"
    }
}
