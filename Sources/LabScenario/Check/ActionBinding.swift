extension Action {
    typealias Bound = (name: Located<String>, binding: StepCheck.Binding)

    /// The name that the statement binds, and the kind of value that the name then denotes.
    var binding: Bound? {
        switch self {
        case .object(let action): action.binding
        case .context(let action): action.valueName.map { ($0, .value) }
        case .list(let action): action.binding
        case .look(let action): action.valueName.map { ($0, .value) }
        case .stack(let action): action.valueName.map { ($0, .value) }
        case .batch, .setting: nil
        }
    }
}

extension ObjectAction {
    fileprivate var binding: Action.Bound? {
        switch self {
        case .insert(let entity, let name, _): name.map { ($0, .object(entity: entity.value)) }
        case .make(let entity, let name, _): (name, .object(entity: entity.value))
        case .adopt(_, let name), .lookUp(_, let name): (name, .object(entity: nil))
        case .read(_, let name), .state(_, _, let name): name.map { ($0, .value) }
        case .register, .set, .relate, .unrelate, .order, .delete, .release, .fire, .refresh,
            .detectConflicts, .obtainIDs:
            nil
        }
    }
}

extension ContextAction {
    fileprivate var valueName: Located<String>? {
        switch self {
        case .state(_, let name), .hookSaw(_, let name): name
        case .save, .refreshAll, .reset, .rollback, .undo, .redo, .processPending, .merge,
            .mergeRemote, .mergeHistory, .pin, .unpin:
            nil
        }
    }
}

extension LookAction {
    fileprivate var valueName: Located<String>? {
        switch self {
        case .committed(_, let name), .changed(_, let name), .members(_, let name),
            .sameID(_, _, let name), .contextOf(_, let name), .conflicts(let name),
            .history(_, let name):
            name
        case .historyToken(let name): name
        }
    }
}

extension ListAction {
    fileprivate var binding: Action.Bound? {
        switch self {
        case .fetch(let query, let name):
            name.map { ($0, .object(entity: query.entity.value)) }
        case .count(_, let name), .shown(_, _, let name): name.map { ($0, .value) }
        case .watch(_, _, let name): (name, .value)
        }
    }
}

extension StackAction {
    fileprivate var valueName: Located<String>? {
        switch self {
        case .outside(_, let name): name
        case .enqueue, .wait, .migrate, .removeStore, .fail: nil
        }
    }
}
