import ScenarioWords

/// Writes a transcript of a run, with one line for each operation. It includes operations that a
/// scenario cannot express.
struct TranscriptLines {
    let run: RecordedRun
    let contexts: [String]
    let names: ModelNames
    let objectNames: ObjectNames
    let unsaid: [String]

    /// The lines, and the line number of each operation, counted from 1.
    func made(_ values: inout ValueText) -> (lines: [String], numbers: [Int]) {
        let width = contexts.map(\.count).max() ?? 0
        var lines = [
            run.reason.onOneLine,
            "\(run.operations.count) operations; \(run.forgotten) older operations were not"
                + " recorded.",
        ]
        lines += run.beside.map { "Outside the contexts: \($0.onOneLine)" }
        if !unsaid.isEmpty {
            lines.append("\(unsaid.count) operations cannot be expressed in the scenario:")
            lines += unsaid.map { "- \($0.onOneLine)" }
        }
        lines.append("")
        var numbers: [Int] = []
        for operation in run.operations {
            if let text = text(operation.action, &values) {
                let lane = contexts[operation.context]
                let padding = String(repeating: " ", count: width - lane.count)
                lines.append("\(lane)\(padding)  \(text.onOneLine)")
            }
            numbers.append(lines.count)
        }
        return (lines, numbers)
    }

    private func text(_ action: RecordedAction, _ values: inout ValueText) -> String? {
        switch action {
        case .fetch(let query, _, let count):
            return "fetches \(words(query, &values)): \(count) found"
        case .count(let query, let count): return "counts \(words(query, &values)): \(count)"
        case .lookUp(let object): return "gets \(name(object)) by its id"
        case .read(let object, let key, let value, _):
            return "reads \(name(object)).\(key): \(text(value, key, object, &values))"
        case .readMembers(let object, let key, _, let count):
            return "reads \(name(object)).\(key): \(count) members"
        case .insert(let object): return "inserts \(name(object))"
        case .set(let object, let key, let value, let old):
            let before = old.map { text($0, key, object, &values) + " → " } ?? ""
            return "sets \(name(object)).\(key): \(before)\(text(value, key, object, &values))"
        case .link(let object, let key, let other):
            return "adds \(name(other)) to \(name(object)).\(key)"
        case .unlink(let object, let key, let other):
            return "removes \(name(other)) from \(name(object)).\(key)"
        case .delete(let object): return "deletes \(name(object))"
        case .refresh, .refreshAll, .reset, .rollback, .undo, .redo, .processPending, .beginSave,
            .commit, .conflict, .endSave, .merge:
            return contextText(action)
        case .batch(.insert(let entity, _, let count)):
            return "batch-inserts \(entity): \(count) rows"
        case .batch(.deleteObjects(let entity, _, let count)):
            return "batch-deletes \(entity): \(count) rows by their ids"
        case .mergeByIDs(let targets):
            let names = targets.map { $0.map { contexts[$0] } ?? "a context of another store" }
            return "merges ids into \(names.joined(separator: ", "))"
        case .history, .setting, .pin, .unpin, .obtainIDs, .detectConflicts, .fire, .takeFault,
            .order, .watch, .shown, .look, .lookAt, .changedKeys, .committed, .removeStore:
            return rareText(action, &values)
        case .batch(.update(let query, _)): return "batch-updates \(words(query, &values))"
        case .batch(.delete(let query)): return "batch-deletes \(words(query, &values))"
        case .enqueue(let block, let target):
            return "puts block \(block) on the queue of \(contexts[target])"
        case .wait(let block, let target):
            return "waits for block \(block) on the queue of \(contexts[target])"
        case .beginBlock(let block): return "begins block \(block)"
        case .endBlock(let block): return "ends block \(block)"
        case .other(let what): return what
        case .skipped(let count): return RecordedAction.skippedText(count)
        }
    }

    private func rareText(_ action: RecordedAction, _ values: inout ValueText) -> String? {
        switch action {
        case .history: "reads the store's history"
        case .setting(.staleness(let seconds)): "sets its staleness interval: \(seconds)"
        case .setting(.automerge(let isOn)): "\(isOn ? "starts" : "stops") merging automatically"
        case .setting(.deletesInaccessible(let isOn)):
            "treats objects without a row as \(isOn ? "deleted" : "errors")"
        case .pin(let other):
            "pins the state of the store" + (other.map { " that \(contexts[$0]) reads" } ?? "")
        case .unpin: "reads the newest state again"
        case .obtainIDs(let objects):
            "obtains ids of \(objects.map(name).joined(separator: ", "))"
        case .detectConflicts(let object): "makes the next save check \(name(object))"
        case .fire(let object): "fires \(name(object))"
        case .takeFault(let object): "gets \(name(object)) by its id, unread"
        case .order(let object, let key, let members):
            "orders \(name(object)).\(key): \(members.map(name).joined(separator: ", "))"
        case .watch(let list, let query, _, _, let count):
            "watches \(words(query, &values)) as list \(list): \(count) found"
        case .shown(let list, _): "reads list \(list)"
        case .look(let state): "reads its state: \(state)"
        case .lookAt(let object, let state): "reads the state of \(name(object)): \(state)"
        case .changedKeys(let object): "reads the unsaved keys of \(name(object))"
        case .committed(let object, let keys):
            "reads the committed values of \(name(object)): \(keys.joined(separator: ", "))"
        case .removeStore: "removes the store"
        default: nil
        }
    }

    private func contextText(_ action: RecordedAction) -> String? {
        switch action {
        case .refresh(let object, let keeps):
            "refreshes \(name(object)), \(keeps ? "keeping" : "discarding") changes"
        case .refreshAll: "refreshes all objects"
        case .reset: "resets"
        case .rollback: "rolls back"
        case .undo: "undoes"
        case .redo: "redoes"
        case .processPending: "processes pending changes"
        case .beginSave(let policy): "begins to save, policy \(policy.rawValue)"
        case .commit(let rows, _):
            "has written "
                + rows.filter(\.isWritten).map { name($0.object) }.joined(separator: ", ")
        case .conflict(let object, let kind): "finds a conflict (\(kind)) on \(name(object))"
        case .endSave(let error, _): error.map { "the save fails: \($0)" } ?? "has saved"
        case .merge(let saver, let isAutomatic, _):
            "merges " + (saver.map { "the save of \(contexts[$0])" } ?? "a save")
                + (isAutomatic ? " automatically" : "")
        default: nil
        }
    }

    private func name(_ object: RecordedObject) -> String { objectNames.name(object) }

    private func text(
        _ value: RecordedValue, _ key: String, _ object: RecordedObject, _ values: inout ValueText
    ) -> String {
        if case .object(let other) = value { return name(other) }
        return values.literal(value, key, of: object.entity) ?? "a value"
    }

    private func words(_ query: RecordedQuery, _ values: inout ValueText) -> String {
        guard let predicate = query.predicate else { return query.entity }
        var writer = PredicateText(entity: query.entity, names: names, values: values)
        let text = writer.text(predicate) { name($0) }
        values = writer.values
        return "\(query.entity) where \(text ?? "…")"
    }
}
