import ContextHistory

/// Converts a run to the history that detectors judge.
///
/// A fact that the run does not contain is left out of the history or is unknown, so that no
/// finding depends on it. The steps of the history are lines of the transcript.
struct RunHistory {
    let run: RecordedRun
    /// The names of the contexts.
    let contexts: [String]
    let names: ModelNames
    let objectNames: ObjectNames
    var values: ValueText
    let layout: RowLayout
    var history: History
    var gaps = RunGaps()
    /// The rows that saves have written, in their current state; nil for deleted rows.
    var committed: [RecordedObject: RecordedSnapshot?] = [:]
    /// The values that each parent context has set or received from its children.
    var held: [Int: [RecordedObject: [String: RecordedValue]]] = [:]
    var posts: [Post] = []
    /// For each context, the objects that it has inserted since its last save, with the properties
    /// that it has set.
    var inserted: [Int: [RecordedObject: Set<String>]] = [:]
    /// The contexts with operations that were only counted since their last save.
    var skipping: Set<Int> = []
    private var reads: [Property: WriteBasis.Reading] = [:]
    /// The values that contexts have set since their last save.
    private var unsaved: [Property: ObservedValue] = [:]
    private var pinned: Set<Int> = []
    private var policies: [Int: String] = [:]
    private var queries: [RecordedPredicate: Int] = [:]
    private var unmatched = 0
    /// The current operation's line in the transcript, and its context.
    private var place = (step: "", context: 0)

    /// A save that other contexts may merge.
    struct Post {
        let context: Int
        let step: String
        let objects: Set<RecordedObject>
        var takers: Set<Int> = []
    }

    private struct Property: Hashable {
        let context: Int
        let object: ObjectName
        let key: String
    }

    /// - Parameter lines: the line of each operation in the transcript.
    init(
        _ run: RecordedRun, contexts: [String], _ names: ModelNames, _ objectNames: ObjectNames,
        _ values: ValueText, lines: [Int]
    ) {
        self.run = run
        self.contexts = contexts
        self.names = names
        self.values = values
        self.objectNames = objectNames
        layout = RowLayout(run.entities, names)
        var parents: [String: String] = [:]
        for (index, context) in run.contexts.enumerated() {
            if let parent = context.parent { parents[contexts[index]] = contexts[parent] }
        }
        history = History(
            schema: History.Schema(
                entities: layout.entities, partners: layout.partners, parents: parents))
        gaps.note(run)
        for index in CommitOrder(run).operations {
            place = ("line \(lines[index])", run.operations[index].context)
            take(run.operations[index])
        }
    }

    // MARK: Names and values

    func name(_ object: RecordedObject) -> ObjectName {
        ObjectName(alias: objectNames.name(object), entity: layout.index(of: object.entity))
    }

    func observed(_ value: RecordedValue, _ key: String, of object: RecordedObject) -> ObservedValue
    {
        if case .object(let other) = value { return .object(objectNames.name(other)) }
        return values.observed(value, key, of: object.entity)
    }

    /// The row with the values of a snapshot. Values that the snapshot lacks are unknown.
    func row(_ snapshot: RecordedSnapshot, of object: RecordedObject) -> Row {
        Row(
            version: snapshot.version,
            values: layout.keys(of: object.entity).map { key in
                snapshot.values[key].map { observed($0, key, of: object) } ?? .unknown
            })
    }

    mutating func record(_ event: History.Event) {
        history.entries.append(
            History.Entry(step: place.step, context: contexts[place.context], event: event))
    }

    // MARK: Operations

    private mutating func take(_ operation: RecordedOperation) {
        let context = operation.context
        switch operation.action {
        case .read(let object, let key, let value, let source):
            read(object, key, value, source, context)
        case .set(let object, let key, let value, _): set(object, key, value, context)
        case .fetch(let query, let found, let count), .watch(_, let query, _, let found, let count):
            looked(query, found, count, operation)
        case .count(let query, let count): looked(query, [], count, operation)
        case .refresh(let object, let keeps):
            if !keeps { held[context]?[object] = nil }
            if pinned.contains(context) { return }
            record(.refreshed(name(object), keepsChanges: keeps))
        case .refreshAll:
            if !pinned.contains(context) { record(.refreshed(nil, keepsChanges: true)) }
        case .reset:
            drop(context)
            record(.refreshed(nil, keepsChanges: false))
        case .rollback: drop(context)
        case .pin: pinned.insert(context)
        case .unpin: pinned.remove(context)
        case .beginSave(let policy): policies[context] = policy.rawValue
        case .commit(let rows, let missing): commit(rows, missing, context)
        case .endSave(let code?, let failure): failed(code, failure)
        case .merge(let saver, _, let keys):
            merge(saver, keys, isOverlapped: operation.isOverlapped, context)
        case .batch: gaps.batches += 1
        case .enqueue(let block, let target), .wait(let block, let target):
            record(.enqueued(block: "block \(block)", on: contexts[target]))
        case .beginBlock(let block): record(.blockBegan(block: "block \(block)"))
        case .endBlock(let block): record(.blockEnded(block: "block \(block)"))
        case .insert(let object): inserted[context, default: [:]][object] = []
        case .skipped(let count):
            gaps.skipped += count
            skipping.insert(context)
        case .other(let what): gaps.others[what, default: 0] += 1
        case .lookUp, .readMembers, .link, .unlink, .delete, .undo, .redo,
            .processPending, .conflict, .endSave, .mergeByIDs, .history, .setting, .obtainIDs,
            .detectConflicts, .fire, .takeFault, .order, .shown, .look, .lookAt, .changedKeys,
            .committed, .removeStore:
            break
        }
    }

    private mutating func read(
        _ object: RecordedObject, _ key: String, _ value: RecordedValue,
        _ source: RecordedSource, _ context: Int
    ) {
        let (name, value) = (name(object), observed(value, key, of: object))
        if value == .unknown { return gaps.values += 1 }
        let property = Property(context: context, object: name, key: key)
        // The run lacks the change that set this value, so the value would seem to be an old one of
        // the row.
        if source.isUnsaved, unsaved[property] != value { return }
        if hasUnknownAncestor(context, name, key) { return }
        record(.read(name, key: key, value: value, version: source.version))
        reads[property] = WriteBasis.Reading(name, key, value, version: source.version)
    }

    /// Whether the value may be an unsaved value of an ancestor that the run does not contain.
    private func hasUnknownAncestor(_ context: Int, _ object: ObjectName, _ key: String) -> Bool {
        var next = run.contexts[context].parent
        while let parent = next {
            let property = Property(context: parent, object: object, key: key)
            if skipping.contains(parent) || unsaved[property] == .unknown { return true }
            next = run.contexts[parent].parent
        }
        return false
    }

    private mutating func set(
        _ object: RecordedObject, _ key: String, _ value: RecordedValue, _ context: Int
    ) {
        held[context]?[object, default: [:]][key] = value
        inserted[context]?[object]?.insert(key)
        let (name, value) = (name(object), observed(value, key, of: object))
        let property = Property(context: context, object: name, key: key)
        unsaved[property] = value
        if value == .unknown { return gaps.values += 1 }
        let reading = reads[property]
        record(
            .write(name, key: key, value: value, basis: WriteBasis(of: value, after: reading)))
    }

    private mutating func drop(_ context: Int) {
        forget(context)
        held[context] = [:]
        record(.dropped)
    }

    private mutating func forget(_ context: Int) {
        inserted[context] = nil
        skipping.remove(context)
        reads = reads.filter { $0.key.context != context }
        unsaved = unsaved.filter { $0.key.context != context }
    }

    private mutating func failed(_ code: Int, _ failure: RecordedFailure?) {
        record(
            .saveFailed(
                SaveFailure(
                    code: code, culprits: (failure?.culprits ?? []).map(name),
                    pending: (failure?.pending ?? []).map(name))))
    }

    // MARK: Fetches

    private mutating func looked(
        _ query: RecordedQuery, _ found: [RecordedObject], _ count: Int,
        _ operation: RecordedOperation
    ) {
        let equals = equalities(query)
        // A pinned context reads old values on purpose, and the order of overlapping operations is
        // unknown. In both cases the objects are not evidence of the newest values.
        let isLate = operation.isOverlapped || pinned.contains(operation.context)
        record(
            .looked(
                entity: layout.index(of: query.entity), query: text(query, equals, count),
                found: isLate ? [] : found.map(name), count: count, equals: equals))
    }

    /// The known values of every object that a query finds, by slot.
    private func equalities(_ query: RecordedQuery) -> [Int: ObservedValue] {
        let keys = layout.keys(of: query.entity)
        var known: [Int: ObservedValue] = [:]
        for (key, value) in query.predicate?.equalities ?? [:] {
            guard let slot = keys.firstIndex(of: key) else { continue }
            known[slot] = observed(value, key, of: RecordedObject(query.entity, 0))
        }
        return known.filter { $0.value != .unknown }
    }

    /// The text of a query, which is equal only for equal queries.
    private mutating func text(
        _ query: RecordedQuery, _ equals: [Int: ObservedValue], _ count: Int
    ) -> String {
        var text = query.entity
        if query.limit > 0, count >= query.limit { text += " limit \(query.limit)" }
        if query.offset > 0 { text += " offset \(query.offset)" }
        guard let predicate = query.predicate else { return text }
        var writer = PredicateText(entity: query.entity, names: names, values: values)
        let written = writer.text(predicate) { objectNames.name($0) }
        values = writer.values
        // Without known values, an inserted object cannot be compared with the query.
        if count > 0 || !equals.isEmpty {
            if let written { return "\(text) where \(written)" }
            if values.secrecy != .none, !predicate.isOpaque {
                let number = queries[predicate] ?? queries.count + 1
                queries[predicate] = number
                return "\(text) where condition \(number)"
            }
        }
        unmatched += 1
        return "\(text) where … (\(unmatched))"
    }

    // MARK: Saves

    private mutating func commit(_ rows: [RecordedRow], _ missing: Int, _ context: Int) {
        gaps.rows += missing
        let target: Save.Target
        let changes: [Save.Change]
        if let parent = run.contexts[context].parent {
            target = .parent(contexts[parent])
            changes = push(named(rows, context), into: parent)
            for row in rows {
                for (key, value) in row.wanted {
                    let property = Property(context: parent, object: name(row.object), key: key)
                    unsaved[property] = observed(value, key, of: row.object)
                }
            }
            if missing > 0 { skipping.insert(parent) }
        } else {
            target = .store
            changes = write(named(rows, context))
        }
        record(
            .saved(Save(target: target, policy: policies[context] ?? "", changes: changes)))
        forget(context)
        for row in rows where row.isWritten && held[context] != nil {
            held[context]?[row.object] = row.after?.values
        }
        let written = Set(rows.filter(\.isWritten).map(\.object))
        if missing == 0, !written.isEmpty {
            posts.append(Post(context: context, step: place.step, objects: written))
        }
    }

    // MARK: Merges

    private mutating func merge(
        _ saver: Int?, _ keys: RecordedKeys?, isOverlapped: Bool, _ context: Int
    ) {
        held[context] = nil
        guard let keys, !isOverlapped else { return }
        let all = Set(keys.inserted + keys.updated + keys.deleted)
        let fitting = posts.indices.filter { index in
            posts[index].objects == all && posts[index].context != context
                && (saver == nil || posts[index].context == saver)
        }
        // A context may merge the same save twice. But if some saves are missing in the run, the
        // merged save may be one of them.
        let isWhole = saver != nil && run.forgotten == 0 && gaps.rows == 0
        let free = fitting.first { !posts[$0].takers.contains(context) }
        guard let taken = free ?? (isWhole ? fitting.last : nil) else { return }
        posts[taken].takers.insert(context)
        record(
            .merged(
                Merge(
                    source: contexts[posts[taken].context], savedIn: posts[taken].step,
                    inserted: keys.inserted.map(name), updated: keys.updated.map(name),
                    deleted: keys.deleted.map(name))))
    }
}

extension RecordedPredicate {
    /// Whether the predicate has a part whose contents are not known.
    fileprivate var isOpaque: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.isOpaque)
        case .not(let part): part.isOpaque
        case .compare: false
        case .text(let text): text.isEmpty
        }
    }
}
