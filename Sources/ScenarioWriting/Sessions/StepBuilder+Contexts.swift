import ScenarioWords

extension StepBuilder {
    // MARK: Fetches

    mutating func fetch(
        _ query: RecordedQuery, _ found: [RecordedObject], _ count: Int, _ context: Int
    ) {
        guard let words = words(of: query, context) else { return }
        for what in query.unsaid { leaveOut("\(what) of a fetch of \(query.entity)", context) }
        let bound = fresh("f")
        let step = say("fetch \(words) -> \(bound)", in: context)
        if let first = found.first, makers[first] != nil, makers[first] != context {
            memories[context].aliases[first] = bound
        }
        let objects = Set(found)
        memories[context].readAgain.formUnion(
            memories[context].read.filter { objects.contains($0.object) })
        noteMiss(query, bound, count, step, context)
    }

    mutating func count(_ query: RecordedQuery, _ count: Int, _ context: Int) {
        var asked = query
        asked.sort = []
        asked.prefetch = []
        for what in query.unsaid { leaveOut("\(what) of a fetch of \(query.entity)", context) }
        guard let predicate = condition(asked, context) else { return }
        let bound = fresh("c")
        let step = say("count \(query.entity)\(predicate) -> \(bound)", in: context)
        noteMiss(query, bound, count, step, context)
    }

    private mutating func noteMiss(
        _ query: RecordedQuery, _ name: String, _ count: Int, _ step: Int?, _ context: Int
    ) {
        memories[context].misses.removeAll { $0.entity == query.entity }
        var list: (key: String, values: [RecordedValue])?
        if case .compare(let key, "IN", let values) = query.predicate { list = (key, values) }
        guard count == 0 || list != nil else { return }
        memories[context].misses.append(
            ContextMemory.Miss(
                name: name, entity: query.entity, equalities: query.predicate?.equalities ?? [:],
                list: list, query: query, step: step))
    }

    /// The statement for a fetch. If the predicate cannot be written, adds a note and returns nil.
    private mutating func words(of query: RecordedQuery, _ context: Int) -> String? {
        guard let predicate = condition(query, context) else { return nil }
        var words = query.entity + predicate
        let sort = query.sort.filter { sort in
            if names.end(of: sort.key, from: query.entity).map({
                names.attribute($0.key, of: $0.entity)?.kind != nil
            }) == true {
                return true
            }
            leaveOut("the order of a fetch of \(query.entity) by \(sort.key)", context)
            return false
        }
        if !sort.isEmpty {
            words += " sort "
            words += sort.map { $0.key + ($0.isAscending ? "" : " descending") }
                .joined(separator: ", ")
        }
        if query.limit > 0 { words += " limit \(query.limit)" }
        if query.offset > 0 { words += " offset \(query.offset)" }
        if query.batch > 0 { words += " batch \(query.batch)" }
        if !query.prefetch.isEmpty {
            words += " prefetch \(query.prefetch.joined(separator: ", "))"
        }
        if query.isRefreshing { words += " refreshing" }
        if query.isRealised { words += " realised" }
        if !query.seesPending { words += " without-pending" }
        if !query.hasSubentities { words += " without-subentities" }
        return words
    }

    private mutating func condition(_ query: RecordedQuery, _ context: Int) -> String? {
        guard let predicate = query.predicate else { return "" }
        var writer = PredicateText(entity: query.entity, names: names, values: values)
        var needed: [RecordedObject] = []
        let text = writer.text(predicate) { object in
            needed.append(object)
            return "$" + objectNames.name(object)
        }
        values = writer.values
        guard let text, needed.allSatisfy({ initial.contains($0) || makers[$0] == context })
        else {
            leaveOut("a predicate of a fetch of \(query.entity) that cannot be written", context)
            return nil
        }
        return " where \(text)"
    }

    // MARK: Saving

    mutating func save(_ action: RecordedAction, _ context: Int) {
        switch action {
        case .beginSave(let policy):
            if let known = memories[context].policy, known != policy {
                say("policy \(policy.rawValue)", in: context)
            }
            memories[context].policy = policy
            memories[context].isSaving = true
            memories[context].hasSaved = false
        case .commit:
            lastWriter = context
            writeSave("ok", context)
            memories[context].isTelling = true
            memories[context].readAgain.formUnion(memories[context].read)
            memories[context].failedSave = nil
        case .endSave(let error, _):
            if !memories[context].hasSaved {
                writeSave(error.map { "\($0)" } ?? "ok", context)
                memories[context].failedSave = error == nil ? nil : lastStep(context)
            }
            memories[context].isSaving = false
            memories[context].isTelling = false
        default: break
        }
    }

    private mutating func writeSave(_ status: String, _ context: Int) {
        guard say("save", in: context) != nil, let step = lastStep(context) else { return }
        saves.append((context, step, status))
        memories[context].hasSaved = true
    }

    /// Records the result `deadlock` for saves that did not end before the end of the run.
    mutating func endHangingSaves() {
        for context in sessions.indices where memories[context].isSaving {
            if memories[context].hasSaved, memories[context].isTelling {
                for index in saves.indices.reversed() where saves[index].context == context {
                    saves[index].status = "deadlock"
                    break
                }
            } else if !memories[context].hasSaved {
                writeSave("deadlock", context)
            }
        }
    }

    // MARK: Merging

    mutating func merge(_ saver: Int?, _ isAutomatic: Bool, _ context: Int) {
        memories[context].forgetAll()
        if isAutomatic {
            merging.insert(context)
            return
        }
        if saver == nil, memories[context].hasHistory {
            memories[context].hasHistory = false
            say("merge-history", in: context)
            return
        }
        guard let saver, saver != context else {
            return leaveOut("a merge of changes that no context of the run has saved", context)
        }
        say("merge next from \(sessions[saver].name)", in: context)
    }

    /// Writes a merge of object IDs. The statement merges the changes of the context that last
    /// wrote to the store, because programs usually merge the IDs of the last save.
    mutating func mergeByIDs(_ targets: [Int?], _ context: Int) {
        let known = targets.compactMap(\.self)
        if known.count < targets.count {
            leaveOut("a merge of ids into contexts of another store", context)
        }
        guard let lastWriter, !known.isEmpty else {
            return leaveOut("a merge of ids that no context of the run has written", context)
        }
        let others = known.filter { $0 != lastWriter }
        if others.count < known.count {
            leaveOut("a merge of ids into the context that has written them", context)
        }
        for target in known { memories[target].forgetAll() }
        guard !others.isEmpty else { return }
        let list = others.map { sessions[$0].name }.joined(separator: ", ")
        say("merge-remote \(sessions[lastWriter].name) into \(list)", in: context)
    }

    // MARK: Settings, states and lists

    mutating func contextStep(_ action: RecordedAction, _ context: Int) {
        switch action {
        case .history:
            memories[context].hasHistory = true
            say("history", in: context)
        case .setting(.staleness(let seconds)):
            guard let digits = ValueText.digits(seconds) else {
                return leaveOut("a staleness interval of \(seconds)", context)
            }
            say("staleness \(digits)", in: context)
        case .setting(.automerge(let isOn)):
            say("automerge \(isOn ? "on" : "off")", in: context)
        case .setting(.deletesInaccessible(let isOn)):
            say("delete-inaccessible \(isOn ? "on" : "off")", in: context)
        case .pin(let other):
            say("pin" + (other.map { " to \(sessions[$0].name)" } ?? ""), in: context)
        case .unpin: say("unpin", in: context)
        case .removeStore: say("remove-store", in: context)
        case .look(let state): say("state \(state)", in: context, isLocal: true)
        default: break
        }
    }

    mutating func watch(
        _ list: Int, _ query: RecordedQuery, _ sections: String?, _ found: [RecordedObject],
        _ count: Int, _ context: Int
    ) {
        var asked = RecordedQuery(query.entity, where: query.predicate)
        asked.sort = query.sort
        let what = "a results controller of \(query.entity)"
        let hasMore =
            query.limit > 0 || query.offset > 0 || query.batch > 0 || !query.prefetch.isEmpty
            || !query.hasSubentities || !query.seesPending
        if hasMore { leaveOut("limits and other options of \(what)", context) }
        for unsaid in query.unsaid { leaveOut("\(unsaid) of \(what)", context) }
        guard let words = words(of: asked, context) else { return }
        guard words.contains(" sort ") else {
            leaveOut("\(what) without an order that a scenario can express", context)
            return fetch(asked, found, count, context)
        }
        var by = ""
        if let sections {
            if names.attribute(sections, of: query.entity)?.kind != nil {
                by = " by \(sections)"
            } else {
                leaveOut("the sections of \(what) by \(sections)", context)
            }
        }
        let name = memories[context].lists[list] ?? fresh("l")
        memories[context].lists[list] = name
        say(
            "watch \(query.entity)\(by)\(words.dropFirst(query.entity.count)) -> \(name)",
            in: context)
    }

    mutating func shown(_ list: Int, _ isBySection: Bool, _ context: Int) {
        guard let name = memories[context].lists[list] else {
            return leaveOut("a read of a results controller that is not in the run", context)
        }
        say("shown \(name)\(isBySection ? " by-section" : "")", in: context, isLocal: true)
    }

    // MARK: Batches

    mutating func batch(_ batch: RecordedBatch, _ context: Int) {
        lastWriter = context
        switch batch {
        case .insert(let entity, let rows, let count):
            for row in rows {
                guard let with = assignments(row, entity, context) else {
                    leaveOut("a row without values of a batch of \(entity)", context)
                    continue
                }
                say("batch-insert \(entity) with \(with)", in: context)
            }
            if count > rows.count {
                leaveOut("\(count - rows.count) more rows of a batch of \(entity)", context)
            }
        case .deleteObjects(let entity, let objects, let count):
            let known = objects.filter { initial.contains($0) || makers[$0] == context }
            for object in known {
                say(
                    "batch-delete \(entity) where SELF == $\(objectNames.name(object))", in: context
                )
            }
            if count > known.count {
                leaveOut("\(count - known.count) rows of a batch deletion of \(entity)", context)
            }
        case .update(let query, let values):
            guard let with = assignments(values, query.entity, context),
                let predicate = condition(query, context)
            else { return }
            say("batch-update \(query.entity) with \(with)\(predicate)", in: context)
        case .delete(let query):
            guard let predicate = condition(query, context) else { return }
            say("batch-delete \(query.entity)\(predicate)", in: context)
        }
    }

    private mutating func assignments(
        _ values: [String: RecordedValue], _ entity: String, _ context: Int
    ) -> String? {
        var texts: [String] = []
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard ScenarioName.isWord(key),
                let text = self.values.literal(value, key, of: entity)
            else {
                leaveOut("a value of \(entity).\(key) in a batch that cannot be written", context)
                continue
            }
            texts.append("\(key) = \(text)")
        }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    // MARK: Blocks

    /// Finds the blocks that code of one context put on the queue of another context.
    mutating func findBlocks(_ operations: [RecordedOperation]) {
        for operation in operations {
            switch operation.action {
            case .enqueue(let block, let target), .wait(let block, let target):
                guard target != operation.context, blocks[block] == nil else { continue }
                blocks[block] = BlockDraft(
                    name: "block\(blocks.count + 1)", context: target)
                blockNumbers.append(block)
            case .beginBlock(let block): blocks[block]?.hasBegun = true
            default: break
            }
        }
    }

    mutating func ask(_ block: Int, waits: Bool, _ context: Int) {
        guard let draft = blocks[block] else { return }
        endInsert(context)
        if memories[context].isTelling {
            if waits {
                waitsOnSave[context, default: []].append(block)
            } else {
                onSave[context, default: []].append(block)
            }
            return
        }
        say("\(waits ? "wait" : "enqueue") \(draft.name)", in: context)
        if waits, !draft.hasBegun, let step = lastStep(context) {
            saves.append((context, step, "deadlock"))
        }
    }
}
