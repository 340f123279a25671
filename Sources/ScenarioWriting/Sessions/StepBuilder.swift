import ScenarioWords

/// Converts operations to steps. Each context has a session. If code of one context put work on the
/// queue of another context, the work becomes a block.
struct StepBuilder {
    let names: ModelNames
    let initial: InitialRows
    let objectNames: ObjectNames
    var values: ValueText
    var sessions: [SessionDraft]
    var memories: [ContextMemory]
    var blocks: [Int: BlockDraft] = [:]
    /// The blocks in the order in which they were enqueued.
    var blockNumbers: [Int] = []
    /// For each context, the blocks (by number) that an observer enqueues after the context's
    /// saves.
    var onSave: [Int: [Int]] = [:]
    var waitsOnSave: [Int: [Int]] = [:]
    var merging: Set<Int> = []
    var lastWriter: Int?
    var makers: [RecordedObject: Int] = [:]
    /// The names of the steps that save, with the results of the saves.
    var saves: [(context: Int, step: String, status: String)] = []
    /// Descriptions of the operations that a scenario cannot express, in order.
    var unsaid: [String] = []
    var order: [String] = []
    private var bindings = 0

    init(
        _ operations: [RecordedOperation], contexts: [String], _ names: ModelNames,
        _ initial: InitialRows, _ objectNames: ObjectNames, _ values: ValueText
    ) {
        self.names = names
        self.initial = initial
        self.objectNames = objectNames
        self.values = values
        sessions = contexts.map { SessionDraft(name: $0) }
        memories = contexts.map { _ in ContextMemory() }
        findBlocks(operations)
        for operation in operations { take(operation) }
        for context in sessions.indices { endInsert(context) }
        endHangingSaves()
        dropIdleBindings()
    }

    /// Removes bindings that no other statement uses.
    private mutating func dropIdleBindings() {
        let all =
            sessions.flatMap { $0.steps.flatMap(\.statements) }
            + blocks.values.flatMap(\.statements)
        var uses: [Substring: Int] = [:]
        for statement in all {
            for word in statement.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
                uses[word, default: 0] += 1
            }
        }
        func stripped(_ statement: String) -> String {
            guard let arrow = statement.lastRange(of: " -> "), !statement.hasPrefix("watch "),
                uses[statement[arrow.upperBound...]] == 1
            else { return statement }
            return String(statement[..<arrow.lowerBound])
        }
        for index in sessions.indices { sessions[index].change(stripped) }
        for number in blockNumbers {
            let old = blocks[number]?.statements ?? []
            blocks[number]?.statements = old.map(stripped)
        }
    }

    mutating func fresh(_ prefix: String) -> String {
        repeat { bindings += 1 } while objectNames.has("\(prefix)\(bindings)")
        return "\(prefix)\(bindings)"
    }

    mutating func leaveOut(_ what: String, _ context: Int) {
        unsaid.append("\(sessions[context].name): \(what)")
    }

    // MARK: Writing

    /// Adds a statement of a context to the context's session, or to the block that the context is
    /// running.
    @discardableResult
    mutating func say(
        _ statement: String, in context: Int, isLocal: Bool = false, joins: Bool = true
    ) -> Int? {
        var statement = statement
        if let failed = memories[context].failedSave, !Self.hasCondition(statement) {
            statement = "unless \(failed) \(statement)"
        }
        if let block = memories[context].blocks.last(where: { blocks[$0] != nil }) {
            blocks[block]?.statements.append(statement)
            return nil
        }
        let step = sessions[context].add(statement, isLocal: isLocal, joins: joins)
        let name = sessions[context].steps[step].name
        if order.last != name, !(order.contains(name)) { order.append(name) }
        return step
    }

    private static func hasCondition(_ statement: String) -> Bool {
        statement.hasPrefix("unless ") || statement.hasPrefix("if ")
    }

    func lastStep(_ context: Int) -> String? { sessions[context].steps.last?.name }

    // MARK: Operations

    private mutating func take(_ operation: RecordedOperation) {
        let context = operation.context
        switch operation.action {
        case .set(let object, let key, let value, let old):
            return set(object, key, value, old, context)
        case .beginBlock, .endBlock, .enqueue, .wait: break
        default: endInsert(context)
        }
        switch operation.action {
        case .fetch(let query, let found, let count): fetch(query, found, count, context)
        case .count(let query, let count): self.count(query, count, context)
        case .lookUp(let object): lookUp(object, context)
        case .read(let object, let key, let value, _): read(object, key, value, context)
        case .readMembers(let object, let key, _, let count):
            readMembers(object, key, count, context)
        case .insert(let object): beginInsert(object, context)
        case .set: break
        case .link(let object, let key, let other): link(object, key, other, context)
        case .unlink(let object, let key, let other): unlink(object, key, other, context)
        case .delete(let object):
            say("delete \(name(object, context))", in: context, isLocal: true)
        case .refresh, .refreshAll, .reset, .rollback, .undo, .redo, .processPending:
            takeBack(operation.action, context)
        case .beginSave, .commit, .endSave: save(operation.action, context)
        case .conflict: break
        case .merge(let saver, let isAutomatic, _): merge(saver, isAutomatic, context)
        case .batch(let batch): self.batch(batch, context)
        case .enqueue(let block, _): ask(block, waits: false, context)
        case .wait(let block, _): ask(block, waits: true, context)
        case .beginBlock(let block): memories[context].blocks.append(block)
        case .endBlock(let block): endBlock(block, context)
        case .other(let what): leaveOut(what, context)
        case .skipped(let count): leaveOut(RecordedAction.skippedText(count), context)
        case .mergeByIDs(let targets): mergeByIDs(targets, context)
        case .history, .setting, .pin, .unpin, .removeStore, .look:
            contextStep(operation.action, context)
        case .watch(let list, let query, let sections, let found, let count):
            watch(list, query, sections, found, count, context)
        case .shown(let list, let isBySection): shown(list, isBySection, context)
        case .obtainIDs, .detectConflicts, .fire, .takeFault, .order, .lookAt, .changedKeys,
            .committed:
            objectStep(operation.action, context)
        }
    }

    private mutating func endBlock(_ block: Int, _ context: Int) {
        endInsert(context)
        if memories[context].blocks.last == block { memories[context].blocks.removeLast() }
        if memories[context].blocks.isEmpty { memories[context].failedSave = nil }
    }

    private mutating func takeBack(_ action: RecordedAction, _ context: Int) {
        switch action {
        case .refresh(let object, let keeps):
            say(
                "refresh \(name(object, context)) \(keeps ? "keep" : "discard")", in: context)
            memories[context].forget(object)
        case .refreshAll:
            say("refresh-all", in: context)
            memories[context].forgetAll()
        case .reset:
            say("reset", in: context)
            memories[context].forgetAll()
        case .rollback:
            say("rollback", in: context)
            memories[context].read = []
            memories[context].counts = [:]
        case .undo: say("undo", in: context, isLocal: true)
        case .redo: say("redo", in: context, isLocal: true)
        case .processPending: say("process-pending", in: context, isLocal: true)
        default: break
        }
    }

    // MARK: Names

    /// The name of an object in a context. If another context created the object, first adds a
    /// statement that requests the object by its ID.
    mutating func name(_ object: RecordedObject, _ context: Int) -> String {
        let own = objectNames.name(object)
        if initial.contains(object) { return own }
        if let alias = memories[context].aliases[object] { return alias }
        guard let maker = makers[object], maker != context else { return own }
        let alias = "\(own)-\(sessions[context].name)"
        memories[context].aliases[object] = alias
        say(
            "object \(own)@\(sessions[maker].name) as \(alias)", in: context, isLocal: true)
        return alias
    }
}

extension String {
    fileprivate func lastRange(of text: String) -> Range<String.Index>? {
        ranges(of: text).last
    }
}

/// Chooses unique names for objects.
struct ObjectNames {
    private var names: [RecordedObject: String] = [:]
    private var counts: [String: Int] = [:]
    private var taken: Set<String> = []

    func name(_ object: RecordedObject) -> String { names[object] ?? "unknown" }

    func has(_ name: String) -> Bool { taken.contains(name) }

    mutating func add(_ object: RecordedObject) {
        guard names[object] == nil else { return }
        let word = ScenarioName.name(like: object.entity, or: "object")
        let stem = word.prefix(1).lowercased() + word.dropFirst()
        counts[stem, default: 0] += 1
        let name = "\(stem)\(counts[stem] ?? 1)"
        names[object] = name
        taken.insert(name)
    }
}
