/// Statements about contexts: what they look for, save and merge, and what they wait for.
extension StepMaker {
    // MARK: Looking for objects

    mutating func fetch(
        _ query: RecordedQuery, _ found: [RecordedObject], _ count: Int, _ context: Int
    ) {
        guard let words = words(of: query, context) else { return }
        let bound = fresh("f")
        let step = say("fetch \(words) -> \(bound)", in: context)
        if let first = found.first, makers[first] != nil, makers[first] != context {
            memories[context].aliases[first] = bound
        }
        noteMiss(query, bound, count, step, context)
    }

    mutating func count(_ query: RecordedQuery, _ count: Int, _ context: Int) {
        var asked = query
        asked.sort = []
        asked.prefetch = []
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

    /// The words of a fetch; nil, and told, where its predicate cannot be written.
    private mutating func words(of query: RecordedQuery, _ context: Int) -> String? {
        guard let predicate = condition(query, context) else { return nil }
        var words = query.entity + predicate
        let sort = query.sort.filter { names.end(of: $0.key, from: query.entity) != nil }
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
            return "$" + book.name(object)
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
            writeSave("ok", context)
            memories[context].isTelling = true
            memories[context].failedSave = nil
        case .endSave(let error):
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

    /// A save that has begun and not ended waits for something.
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
        guard let saver, saver != context else {
            return leaveOut("a merge of changes that no context of the run has saved", context)
        }
        say("merge next from \(sessions[saver].name)", in: context)
    }

    // MARK: Batches

    mutating func batch(_ batch: RecordedBatch, _ context: Int) {
        switch batch {
        case .insert(let entity, let values):
            guard let with = assignments(values, entity, context) else { return }
            say("batch-insert \(entity) with \(with)", in: context)
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
            guard let text = self.values.literal(value, key, of: entity) else {
                leaveOut("a value of \(entity).\(key) in a batch that cannot be written", context)
                continue
            }
            texts.append("\(key) = \(text)")
        }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    // MARK: Blocks

    /// Finds the blocks that code of a context had run on another one's queue.
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
