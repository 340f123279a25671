import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// One save of one context, as a list of named steps.
///
/// `NSManagedObjectContext.save()` creates a pipeline for each save, on the context's queue. If the
/// save fails, all changes stay unsaved, and the keys that it has reserved stay reserved.
struct SavePipeline {
    /// The maximum number of rounds of changes by callbacks and observers, as in Core Data.
    private static let roundsMax = 1000
    /// The number of refusals by the store after which the save fails.
    private static let refusalsMax = 10

    let context: NSManagedObjectContext
    private var rounds = 0

    init(context: NSManagedObjectContext) {
        self.context = context
    }

    mutating func run() throws(CoreDataError) {
        context.isSaving = true
        defer {
            context.isSaving = false
            context.announced = []
        }
        announceSave()
        try settleChanges()
        if context.parent != nil { try realiseChanged() }
        try validate()
        try encodeTransformed()
        context.notifyWatcher(.saving)
        let saved: SavedObjects
        if context.parent != nil {
            saved = try pushToParent()
        } else {
            try assignPermanentIDs()
            saved = try writeResolvingConflicts()
        }
        context.notifyWatcher(.saved(saved.keys))
        try context.persistentStoreCoordinator?.faultPoints.reach(.didSave)
        finish(saved)
    }

    // MARK: Steps

    private func announceSave() {
        step("willSave notification")
        NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: context)
    }

    private mutating func settleChanges() throws(CoreDataError) {
        step("process changes")
        try context.processPending()
        var lists = changedObjects
        for list in lists {
            list.eachUnretained { if !$0.state.contains(.deletedByMerge) { $0.willSave() } }
        }
        if !context.changes.needsProcessing { return }
        var told = Set(lists.joined().map { ObjectIdentifier($0) })
        while context.changes.needsProcessing {
            try countRound()
            // `willSave` is called again on objects that were changed after the previous call.
            let event = context.changes.event
            for list in [event.inserted, event.updated, event.deleted] {
                for object in list { told.remove(ObjectIdentifier(object)) }
            }
            try context.processPending()
            lists = changedObjects
            for object in lists.joined() where !object.state.contains(.deletedByMerge) {
                guard told.insert(ObjectIdentifier(object)).inserted else { continue }
                object.willSave()
            }
        }
    }

    /// - Throws: an error if callbacks and observers still change objects after the last round.
    private mutating func countRound() throws(CoreDataError) {
        rounds += 1
        guard rounds <= Self.roundsMax else {
            throw CoreDataError(
                .invalidArgument,
                "The context still has changes to process after \(Self.roundsMax) rounds. Look for"
                    + " a willSave(), a validation method or an observer that changes objects each"
                    + " time, and for a save inside of prepareForDeletion().")
        }
    }

    private var changedObjects: [ContiguousArray<NSManagedObject>] {
        [context.changes.inserted, context.changes.updated, context.changes.deleted]
    }

    /// Reads the rows of changed objects that are faults. A merge in a child context must not send
    /// requests to the parent. So it marks such objects as changed without reading them.
    private mutating func realiseChanged() throws(CoreDataError) {
        for object in context.changes.updated where object.state.contains(.fault) {
            try object.prepareAccess()
        }
        if context.changes.needsProcessing { try settleChanges() }
    }

    private mutating func validate() throws(CoreDataError) {
        step("validate")
        while true {
            var failures: [CoreDataError] = []
            collect(context.changes.deleted, &failures) { try $0.validateForDelete() }
            collect(context.changes.inserted, &failures) { try $0.validateForInsert() }
            collect(context.changes.updated, &failures) { try $0.validateForUpdate() }
            if let failure = CoreDataError.combined(failures) { throw failure }
            if !context.changes.needsProcessing { return }
            try countRound()
            try settleChanges()
        }
    }

    private func collect(
        _ objects: ContiguousArray<NSManagedObject>, _ failures: inout [CoreDataError],
        _ check: (NSManagedObject) throws -> Void
    ) {
        objects.eachUnretained { object in
            guard object.state.isDisjoint(with: [.deletedByMerge, .inaccessible]) else { return }
            do { try check(object) } catch { failures.append(CoreDataError(error)) }
        }
    }

    private func encodeTransformed() throws(CoreDataError) {
        for list in [context.changes.inserted, context.changes.updated] {
            try list.eachUnretained { object throws(CoreDataError) in
                if object.hasTransformedValues { try object.encodeTransformed() }
            }
        }
    }

    private func assignPermanentIDs() throws(CoreDataError) {
        step("permanent ids")
        var inserted = context.changes.inserted
        if !context.changes.deleted.isEmpty {
            inserted.removeAll { $0.state.contains(.deleted) }
        }
        try PermanentIDs.assign(to: inserted, in: context)
    }

    /// Writes, lets the merge policy resolve conflicts, and writes again, until the save succeeds.
    /// A save that the store refuses is repeated a few times.
    private func writeResolvingConflicts() throws(CoreDataError) -> SavedObjects {
        guard let coordinator = context.persistentStoreCoordinator else {
            throw CoreDataError(
                .storeOperation,
                "The context has no coordinator to save to. Set persistentStoreCoordinator first.")
        }
        var rounds = 0
        var refusals = 0
        while true {
            step("write")
            let plan = try SavePlanBuilder(context: context).build()
            if plan.plan.isEmpty && coordinator.persistentStores.isEmpty {
                if context.changes.hasChanges {
                    _ = try coordinator.requireStore(for: context.binding.layout[0])
                }
                return plan.saved
            }
            emitWriting(plan.saved)
            var written = plan.plan
            written.origin = WriteOrigin(
                author: context.transactionAuthor, contextName: context.name)
            if StoreClasses.areOpen { RequestingContext.note(context) }
            context.notifyWatcher(.writing)
            switch try coordinator.write(
                written, rows: plan.rows, deleted: plan.deletedKeys,
                in: context.queryPin.generation)
            {
            case .committed(let receipt):
                plan.attachRows()
                context.takeComputed(receipt.computed, coordinator)
                var saved = plan.saved
                saved.historyToken = receipt.historyToken
                emitWrites(saved)
                return saved
            case .conflicts(let conflicts):
                try deciding { () throws(CoreDataError) in
                    try ConflictResolution(context: context).resolve(conflicts)
                }
            case .constraintViolations(let violations):
                try deciding { () throws(CoreDataError) in
                    try ConflictResolution(context: context).resolve(violations)
                }
            case .refused(let refusal):
                // Other transactions may have changed the rows, so the next round checks them
                // again.
                refusals += 1
                guard refusals < Self.refusalsMax else { throw refusal }
                continue
            }
            rounds += 1
            try context.withoutUndo { () throws(CoreDataError) in try afterResolution(rounds) }
        }
    }

    /// Runs a merge policy. Its changes cannot be undone, and observers are notified after all
    /// conflicts are resolved.
    private func deciding(_ work: () throws(CoreDataError) -> Void) throws(CoreDataError) {
        try context.unheard { () throws(CoreDataError) in
            try context.withoutUndo { () throws(CoreDataError) in
                try context.notifyingTogether(work)
            }
        }
    }

    private func emitWriting(_ saved: SavedObjects) {
        context.emit(
            .writes(
                inserted: saved.inserted, updated: saved.updated, deleted: saved.deleted))
    }

    private func emitWrites(_ saved: SavedObjects) {
        context.emit(
            .wrote(
                inserted: saved.inserted, updated: saved.updated, deleted: saved.deleted))
    }

    /// Processes the changes of a merge policy, which may have changed, deleted and created
    /// objects.
    private func afterResolution(_ rounds: Int) throws(CoreDataError) {
        guard rounds < 100 else {
            throw CoreDataError(
                .mergeConflict,
                "The merge policy was asked 100 times and the save still conflicts. A custom policy"
                    + " must call super, or refresh the objects in conflict.")
        }
        try context.processPending()
        try encodeTransformed()
        try assignPermanentIDs()
    }

    private func pushToParent() throws(CoreDataError) -> SavedObjects {
        step("push to parent")
        let plan = try SavePlanBuilder(context: context).build()
        guard let parent = context.parent else { return plan.saved }
        let built = plan.plan
        emitWriting(plan.saved)
        let assigned = context.assignedStores
        context.assignedStores = [:]
        try parent.queue.runAndWait { () throws(CoreDataError) in
            context.notifyWatcher(.pushing(parent))
            defer { context.notifyWatcher(.pushed(parent)) }
            try parent.unheard { () throws(CoreDataError) in
                try ChildChanges(parent: parent).apply(built)
            }
            parent.assignedStores.merge(assigned) { $1 }
            try context.renewArrivals(built, from: parent)
        }
        plan.attachRows()
        emitWrites(plan.saved)
        return plan.saved
    }

    private func finish(_ saved: SavedObjects) {
        step("didSave")
        assert(saved.inserted.allMeet { $0.cells != nil }, "a saved object has no row")
        assert(
            context.parent != nil || saved.inserted.allMeet { $0.key > 0 },
            "a saved object has a temporary key")
        saved.commit(in: context)
        context.advanceGeneration()
        assert(
            context.changes.locked.isEmpty,
            "the save did not release the locks of its conflict checks")
        let isAnnounced = !saved.isEmpty && !mutant(.saveIsNotAnnounced)
        if isAnnounced { context.sendToChildren(saved) }
        for list in [saved.inserted, saved.updated, saved.deleted] {
            list.eachUnretained { $0.didSave() }
        }
        // The merges are enqueued before an observer of the save can enqueue blocks. On Apple's
        // systems, a context is itself an observer from the moment at which automatic merging is
        // enabled.
        if isAnnounced { context.announceToSiblings(saved) }
        // Observers may save again.
        context.isSaving = false
        NotificationOnDemand.didSave.post(from: context, objects(of: saved))
        context.announced = []
        NotificationOnDemand.didSaveObjectIDs.post(from: context, saved.identifiers)
        saved.dismissDeleted(in: context)
        context.changes.noteSaved()
        context.changes.cleanUp()
        context.checkInvariants()
    }

    private func objects(of saved: SavedObjects) -> [AnyHashable: Any] {
        var info = NotificationInfo.objects(
            [
                (NSInsertedObjectsKey, saved.inserted), (NSUpdatedObjectsKey, saved.updated),
                (NSDeletedObjectsKey, saved.deleted),
            ], known: context.announced)
        if let generation = context.queryPin.generation {
            info[NSManagedObjectContextQueryGenerationKey] = NSQueryGenerationToken(generation)
        }
        if let token = saved.historyToken { info[historyChangeTokenKey] = token }
        return info
    }

    private func step(_ name: String) {
        let trace = context.trace
        if trace.isOn { trace.record(.saveStep(context: context.name ?? "", step: name)) }
    }
}

/// The objects that a save has written.
struct SavedObjects {
    var inserted = ContiguousArray<NSManagedObject>()
    var updated = ContiguousArray<NSManagedObject>()
    var deleted = ContiguousArray<NSManagedObject>()
    /// The token of the save in the history of the stores; nil for the save of a child context,
    /// which writes to no store.
    var historyToken: NSPersistentHistoryToken?

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    var keys: SavedKeys {
        SavedKeys(
            inserted: inserted.map(\.objectKey), updated: updated.map(\.objectKey),
            deleted: deleted.map(\.objectKey))
    }

    func commit(in context: NSManagedObjectContext) {
        for list in [inserted, updated] {
            list.eachUnretained { object in
                object.state.subtract([.inserted, .updated, .resurrected])
                object.dropSavedValues()
                object.relationships?.commit()
            }
        }
        deleted.eachUnretained { $0.state.subtract([.inserted, .updated, .deleted]) }
        context.changes.releaseLocks()
        context.changes.noteCleared()
    }

    /// Removes deleted objects from their context. Called after observers have been notified.
    func dismissDeleted(in context: NSManagedObjectContext) {
        let registry = context.registry
        let address = Unmanaged.passUnretained(registry).toOpaque()
        var origins = NotificationInfo.Origins()
        deleted.eachUnretained { object in
            guard object.registryReference?.toOpaque() == address else { return }
            // The object's id refers to the store, which can be found only while the object is
            // registered.
            origins.keep(in: object)
            registry.dismiss(object)
        }
    }
}

extension NSManagedObjectContext {

    package final func saveChanges() throws(CoreDataError) {
        try checkConfined("save()")
        if isSaving {
            throw CoreDataError(
                .recursiveSave, "save() was called while the context is saving. Save afterwards.",
                info: ["message": "attempt to recursively call -save: on the context aborted"])
        }
        _ = try requireRegistry()
        if mutant(.failedSaveDropsChanges) {
            do throws(CoreDataError) { try runSave() } catch {
                try rollbackChanges()
                throw error
            }
            return
        }
        try runSave()
    }

    private func runSave() throws(CoreDataError) {
        emit(.saveBegins)
        var pipeline = SavePipeline(context: self)
        do throws(CoreDataError) { try pipeline.run() } catch {
            emit(.saveEnded(error))
            notifyWatcher(.saveFailed(error))
            throw error
        }
        emit(.saveEnded(nil))
    }

    final func announceToSiblings(_ saved: SavedObjects) {
        guard parent == nil, let coordinator = persistentStoreCoordinator else { return }
        let mergers = coordinator.mergers(beside: self)
        guard !mergers.isEmpty else { return }
        let keys = saved.keys
        for merger in mergers { merger.enqueueMerge(of: keys, from: name) }
    }
}
