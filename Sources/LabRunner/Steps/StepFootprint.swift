import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabScenario
import LabSchedule

// The resources that a step uses according to its source. For a new verb, call
// `footprints.touchEverything()` until its resources are known. This call only makes the reduced
// exploration slower.
extension LabWorld {
    /// Records the context that a step uses, and its ancestors, which answer its requests.
    func touch(context index: Int) {
        guard let footprints else { return }
        var next: Int? = index
        while let context = next {
            footprints.touch(.context(context), .write)
            next = plan.contexts[context].parent
        }
        // With several coordinators, the row cache of one coordinator may contain older rows than
        // the store.
        guard store.coordinators.count > 1 else { return }
        let name = plan.contexts[index].coordinator
        let number = store.coordinators.keys.sorted().firstIndex(of: name) ?? 0
        footprints.touch(.rowCache(number), .write)
    }

    func touch(_ step: Step, in context: Int) {
        guard let footprints else { return }
        footprints.touch(.status(step.name.value), .write)
        for statement in step.statements {
            if let condition = statement.condition {
                footprints.touch(.status(condition.name.value), .read)
            }
            touch(statement.action, in: context)
        }
    }

    private func touch(_ action: Action, in context: Int) {
        switch action {
        case .object(let action): touch(action)
        case .context(let action): touch(action, in: context)
        case .list(let action): touch(action)
        case .look(let action): touch(action)
        case .batch: footprints?.touchEverything()
        case .setting(let action): touch(action)
        case .stack(let action): touch(action)
        }
    }

    private func touch(_ action: ObjectAction) {
        guard let footprints else { return }
        switch action {
        case .insert(_, let name, let values):
            // Transcripts show this name. If two objects have the same name, a number distinguishes
            // them.
            if let name { footprints.touch(.alias(name.value), .write) }
            for assignment in values { touch(assignment.value) }
        case .set(let assignments):
            for assignment in assignments {
                touch(assignment.path.object)
                touch(assignment.value)
            }
        case .relate(let path, let others), .unrelate(let path, let others),
            .order(let path, let others):
            touch(path.object)
            for other in others { touch(other) }
        case .delete(let reference), .detectConflicts(let reference), .fire(let reference),
            .lookUp(let reference, _):
            touch(reference)
        case .make(_, _, let values):
            for assignment in values { touch(assignment.value) }
        case .register(let reference):
            touch(reference)
            footprints.touch(.alias(reference.name.value), .write)
        case .read(let path, let name):
            touch(path.object)
            touch(name)
        case .state(let reference, _, let name):
            touch(reference)
            touch(name)
        case .adopt(let reference, _), .refresh(let reference, _):
            touch(reference)
            footprints.touchAllRows()
        case .release: break
        case .obtainIDs: footprints.touchEverything()
        }
    }

    private func touch(_ action: ContextAction, in context: Int) {
        guard let footprints else { return }
        switch action {
        case .state(_, let name): touch(name)
        case .reset, .rollback, .refreshAll, .undo, .redo: footprints.touchAllRows()
        case .merge(_, let source):
            footprints.touchAllRows()
            let saver = plan.position(of: source.value)
            footprints.touch(.unmerged(target: context, saver: saver), .write)
        // The save itself records its resources.
        case .processPending, .save: break
        case .mergeRemote, .mergeHistory, .hookSaw, .pin, .unpin: footprints.touchEverything()
        }
    }

    private func touch(_ action: ListAction) {
        switch action {
        case .fetch(_, let name), .count(_, let name): touch(name)
        case .watch, .shown: footprints?.touchEverything()
        }
    }

    private func touch(_ action: LookAction) {
        switch action {
        case .committed(let path, let name), .members(let path, let name):
            touch(path.object)
            touch(name)
        case .changed(let reference, let name), .contextOf(let reference, let name):
            touch(reference)
            touch(name)
        case .sameID(let one, let other, let name):
            touch(one)
            touch(other)
            touch(name)
        case .conflicts(let name): touch(name)
        case .history, .historyToken: footprints?.touchEverything()
        }
    }

    private func touch(_ action: SettingAction) {
        switch action {
        case .policy, .deletesInaccessible: break
        case .automerge, .staleness: footprints?.touchEverything()
        }
    }

    private func touch(_ action: StackAction) {
        switch action {
        // Enqueuing and running a block record their own resources.
        case .enqueue, .wait: break
        case .outside, .migrate, .removeStore, .fail: footprints?.touchEverything()
        }
    }

    private func touch(_ name: Located<String>?) {
        guard let name, plan.isObserved(value: name.value) else { return }
        footprints?.touch(.value(name.value), .write)
    }

    private func touch(_ reference: ObjectReference) {
        guard let owner = reference.context else { return }
        touch(context: plan.position(of: owner.value))
    }

    private func touch(_ value: StepValue) {
        switch value {
        case .reference(let reference): touch(reference)
        case .path(let path): touch(path.object)
        case .sum(let left, let right), .difference(let left, let right),
            .product(let left, let right):
            touch(left)
            touch(right)
        case .literal, .parameter: break
        }
    }
}

extension LabWorld {
    /// - Parameter pending: the objects with unsaved changes.
    func touchSave(of pending: [NSManagedObject], by saver: LabContext) {
        guard let footprints else { return }
        // To record the result of a save, the lab reads the whole store.
        footprints.touchAllRows()
        // The built-in policies read only the rows in conflict; a custom policy may read others.
        if !PolicyName.builtIn.contains(saver.policyName) { footprints.touchEverything() }
        // The history records the order of saves, even if they change different rows.
        if plan.tracksHistory { footprints.touchEverything() }
        for object in pending {
            let entity = object.layout
            let root = entity.rootIndex
            let isConstrained = !entity.uniquenessConstraints.isEmpty
            footprints.touch(.rows(root: root), isConstrained ? .write : .add)
            if object.isInserted {
                footprints.touch(.keys(root: root), .write)
            } else {
                footprints.touch(.row(root: root, key: object.objectKey.key), .write)
            }
            for relationship in entity.toMany {
                let destination = layout[relationship.destinationIndex]
                footprints.touch(.rows(root: destination.rootIndex), .add)
            }
        }
    }
}

extension LabWorld {
    /// Records rows that a save has written in addition to its context's changes, such as a row
    /// that a constraint has removed.
    func touchChanges(since before: StoreMirror) {
        guard let footprints else { return }
        for key in watch.mirror.changes(since: before) {
            let root = layout[Int(key.entity)].rootIndex
            footprints.touch(.row(root: root, key: key.key), .write)
            if watch.mirror[key] == nil || before[key] == nil {
                footprints.touch(.rows(root: root), .add)
            }
        }
    }
}

extension CellPlan {
    /// Whether steps may depend on state that their footprints do not show. Examples are the
    /// contents of the row cache, and changes that bypass the engine.
    var isOpaque: Bool {
        let steps = scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
        return countsCosts || steps.flatMap(\.statements).contains { $0.action.isOpaque }
    }

    /// Whether an observation at the end of a schedule uses the last value of this name.
    func isObserved(value name: String) -> Bool {
        scenario.observations.contains {
            if case .value(let observed) = $0.source { return observed.value == name }
            return false
        }
    }
}

extension Action {
    fileprivate var isOpaque: Bool {
        switch self {
        case .list(let action): action.isOpaque
        case .context(let action): action.isOpaque
        case .setting(let action): action.isOpaque
        case .stack(let action): action.isOpaque
        case .object, .look, .batch: false
        }
    }
}

extension ContextAction {
    fileprivate var isOpaque: Bool {
        switch self {
        // The first read of a context with a pinned generation determines the results of all its
        // later reads.
        case .pin: true
        case .save, .refreshAll, .reset, .rollback, .undo, .redo, .processPending, .merge,
            .mergeRemote, .mergeHistory, .unpin, .state, .hookSaw:
            false
        }
    }
}

extension ListAction {
    fileprivate var isOpaque: Bool {
        switch self {
        case .watch: true
        case .fetch, .count, .shown: false
        }
    }
}

extension SettingAction {
    fileprivate var isOpaque: Bool {
        switch self {
        case .staleness: true
        case .policy, .automerge, .deletesInaccessible: false
        }
    }
}

extension StackAction {
    fileprivate var isOpaque: Bool {
        switch self {
        case .outside, .removeStore, .migrate, .fail: true
        case .enqueue, .wait: false
        }
    }
}
