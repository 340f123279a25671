import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabScenario

extension StepRunner {
    func perform(_ action: ContextAction) throws(Stop) -> String {
        switch action {
        case .save(let form): return try save(form)
        case .refreshAll:
            try reportingChanges(of: context) { () throws(Stop) in
                try engine { () throws(CoreDataError) in try context.context.refreshAll() }
            }
            world.recorder.record(.refreshed(nil, keepsChanges: true))
        case .reset:
            try engine { () throws(CoreDataError) in try context.context.resetContext() }
            context.bindings.removeAll()
            noteDropped()
            world.recorder.record(.refreshed(nil, keepsChanges: false))
        case .rollback:
            try engine { () throws(CoreDataError) in try context.context.rollbackChanges() }
            noteDropped()
        case .undo:
            try engine { () throws(CoreDataError) in try context.context.undoChanges() }
            context.deletedUnsaved = []
        case .redo: try engine { () throws(CoreDataError) in try context.context.redoChanges() }
        case .processPending:
            try engine { () throws(CoreDataError) in try context.context.processPending() }
        case .merge(let choice, let source): return try merge(choice, from: source.value)
        case .mergeRemote(let source, let targets): return try mergeRemote(source, targets)
        case .mergeHistory(let token): return try mergeHistory(since: token?.value)
        case .pin(let other): try pin(to: other?.value)
        case .unpin: try engine { () throws(CoreDataError) in try context.context.pin(to: nil) }
        case .state(let flag, let name):
            let value = try state(flag)
            bind(name?.value, value)
            return value.quoted
        case .hookSaw(let entity, let name):
            let value = HookedObject.seen(
                of: entity.value, in: context.context, name: world.alias)
            bind(name?.value, value)
            return value.quoted
        }
        return ""
    }

    private func pin(to other: String?) throws(Stop) {
        var token: NSQueryGenerationToken? = .current
        if let other {
            let holder = world.contexts[world.plan.position(of: other)]
            token = holder.queue.runAndWait { () throws(Never) in
                holder.context.queryGenerationToken
            }
        }
        try engine { () throws(CoreDataError) in try context.context.pin(to: token) }
    }

    private func noteDropped() {
        context.named.removeAll()
        context.deletedUnsaved = []
        world.recorder.record(.dropped)
    }

    private func state(_ flag: ContextFlag) throws(Stop) -> ObservedValue {
        let looked = context.context
        try engine { () throws(CoreDataError) in try looked.checkConfined("\(flag.rawValue)") }
        return switch flag {
        case .hasChanges: .flag(looked.hasChanges)
        case .isPinned: .flag(looked.queryGenerationToken != nil)
        case .inserted: .integer(Int64(looked.insertedObjects.count))
        case .updated: .integer(Int64(looked.updatedObjects.count))
        case .deleted: .integer(Int64(looked.deletedObjects.count))
        case .registered: .integer(Int64(looked.registeredObjects.count))
        }
    }

    func perform(_ action: SettingAction) -> String {
        switch action {
        case .policy(let setting):
            let name = setting.resolved(in: world.plan.cell) { Located(PolicyName($0)) }.value
            context.context.mergePolicy = world.plan.policy(name)
            context.policyName = name.description
        case .automerge(let isOn):
            context.context.automaticallyMergesChangesFromParent = isOn
            context.automerge = isOn
        case .staleness(let seconds): context.context.stalenessInterval = seconds
        case .deletesInaccessible(let isOn): context.context.shouldDeleteInaccessibleFaults = isOn
        }
        return ""
    }
}
