/// Tells a run line by line: every operation with its context, also what a scenario has no words
/// for.
struct TranscriptLines {
    let run: RecordedRun
    let contexts: [String]
    let names: ModelNames
    let book: NameBook

    func lines(_ values: inout ValueText) -> [String] {
        let width = contexts.map(\.count).max() ?? 0
        var lines = [
            YAMLText.comment(run.reason),
            "\(run.operations.count) operations; \(run.forgotten) older ones were not kept.", "",
        ]
        for operation in run.operations {
            guard let text = text(operation.action, &values) else { continue }
            let lane = contexts[operation.context]
            let padding = String(repeating: " ", count: width - lane.count)
            lines.append("\(lane)\(padding)  \(YAMLText.comment(text))")
        }
        return lines
    }

    private func text(_ action: RecordedAction, _ values: inout ValueText) -> String? {
        switch action {
        case .fetch(let query, _, let count):
            return "fetches \(words(query, &values)): \(count) found"
        case .count(let query, let count): return "counts \(words(query, &values)): \(count)"
        case .lookUp(let object): return "takes \(name(object)) by its id"
        case .read(let object, let key, let value):
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
        case .batch(.insert(let entity, _)): return "batch-inserts \(entity)"
        case .batch(.update(let query, _)): return "batch-updates \(words(query, &values))"
        case .batch(.delete(let query)): return "batch-deletes \(words(query, &values))"
        case .enqueue(let block, let target):
            return "puts block \(block) on the queue of \(contexts[target])"
        case .wait(let block, let target):
            return "waits for block \(block) on the queue of \(contexts[target])"
        case .beginBlock(let block): return "begins block \(block)"
        case .endBlock(let block): return "ends block \(block)"
        case .other(let what): return what
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
        case .commit(let rows):
            "has written \(rows.map { name($0.object) }.joined(separator: ", "))"
        case .conflict(let object, let kind): "meets a conflict (\(kind)) on \(name(object))"
        case .endSave(let error): error.map { "the save fails: \($0)" } ?? "has saved"
        case .merge(let saver, let isAutomatic):
            "merges " + (saver.map { "what \(contexts[$0]) has saved" } ?? "what was saved")
                + (isAutomatic ? ", by itself" : "")
        default: nil
        }
    }

    private func name(_ object: RecordedObject) -> String { book.name(object) }

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
