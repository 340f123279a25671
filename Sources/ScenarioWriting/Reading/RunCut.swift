/// The part of a run that becomes a scenario.
///
/// If a context only inserted rows before all other contexts began, its operations become the
/// setup. If a context only read after all other contexts had ended, it is omitted. If the run is
/// long, only some operations are kept: those on objects that several contexts used, or that had a
/// conflict.
struct RunCut {
    /// The maximum number of operations in a readable file.
    private static let operationsMax = 300
    private static let objectsMax = 40

    private(set) var setup: [RecordedOperation] = []
    private(set) var operations: [RecordedOperation] = []
    /// Sentences that describe the omitted operations.
    private(set) var remarks: [String] = []

    init(_ run: RecordedRun) {
        operations = run.operations
        takeSetup()
        dropSpectators(run)
        if operations.count > Self.operationsMax { keepWhatMatters() }
        if operations.count > Self.operationsMax {
            remarks.append(
                "\(operations.count - Self.operationsMax) earlier operations are left out")
            operations.removeFirst(operations.count - Self.operationsMax)
        }
    }

    // MARK: Before and after

    private struct Span {
        var first: Int
        var last: Int
    }

    private var spans: [(context: Int, span: Span)] {
        var found: [Int: Span] = [:]
        for (index, operation) in operations.enumerated() {
            found[operation.context, default: Span(first: index, last: index)].last = index
        }
        return found.map { ($0.key, $0.value) }.sorted { $0.span.first < $1.span.first }
    }

    private mutating func takeSetup() {
        while let (context, span) = spans.first, spans.count > 2 || isFollowed(by: spans) {
            let others = spans.dropFirst()
            guard others.allSatisfy({ $0.span.first > span.last }) else { return }
            let own = operations.filter { $0.context == context }
            guard own.allSatisfy({ Self.isSetup($0.action) }), own.contains(where: Self.isCommit)
            else { return }
            setup += own
            operations.removeAll { $0.context == context }
        }
    }

    /// Whether the run uses only two contexts, and the second uses objects that the first has
    /// inserted.
    private func isFollowed(by spans: [(context: Int, span: Span)]) -> Bool {
        guard spans.count == 2, let first = spans.first else { return false }
        let made = Set(
            operations.filter { $0.context == first.context }.compactMap { operation in
                if case .insert(let object) = operation.action { return object }
                return nil
            })
        return operations.contains { operation in
            operation.context != first.context
                && operation.action.objects.contains(where: made.contains)
        }
    }

    private static func isCommit(_ operation: RecordedOperation) -> Bool {
        if case .commit = operation.action { return true }
        return false
    }

    private static func isSetup(_ action: RecordedAction) -> Bool {
        switch action {
        case .insert, .set, .link, .read, .readMembers, .lookUp, .beginSave, .commit,
            .endSave(error: nil, _), .beginBlock, .endBlock, .processPending, .look, .lookAt,
            .changedKeys, .committed, .obtainIDs, .takeFault, .fire:
            true
        default: false
        }
    }

    private mutating func dropSpectators(_ run: RecordedRun) {
        while let last = spans.max(by: { $0.span.first < $1.span.first }), spans.count > 1 {
            let others = spans.filter { $0.context != last.context }
            guard others.allSatisfy({ $0.span.last < last.span.first }) else { return }
            let own = operations.filter { $0.context == last.context }
            guard own.allSatisfy({ Self.isLook($0.action) }) else { return }
            remarks.append(
                "a context that only read, after all others had ended, is left out"
                    + " (\(run.contexts[last.context].name))")
            operations.removeAll { $0.context == last.context }
        }
    }

    private static func isLook(_ action: RecordedAction) -> Bool {
        switch action {
        case .fetch, .count, .lookUp, .read, .readMembers, .beginBlock, .endBlock,
            .processPending, .watch, .shown, .look, .lookAt, .changedKeys, .committed, .takeFault,
            .fire:
            true
        default: false
        }
    }

    // MARK: Relevance

    private mutating func keepWhatMatters() {
        var contexts: [RecordedObject: Set<Int>] = [:]
        var inConflict: Set<RecordedObject> = []
        var inserting: [String: Set<Int>] = [:]
        for operation in operations {
            for object in operation.action.objects {
                contexts[object, default: []].insert(operation.context)
            }
            switch operation.action {
            case .conflict(let object, _): inConflict.insert(object)
            case .insert(let object):
                inserting[object.entity, default: []].insert(operation.context)
            default: break
            }
        }
        let shared = contexts.filter { $0.value.count > 1 }.map(\.key)
        var kept = Array(inConflict) + shared.filter { !inConflict.contains($0) }.sorted(by: <)
        if kept.isEmpty {
            kept = contexts.keys.filter { (inserting[$0.entity]?.count ?? 0) > 1 }.sorted(by: <)
        }
        if kept.isEmpty { return }
        let chosen = Set(kept.prefix(Self.objectsMax))
        let before = operations.count
        operations = operations.filter { Self.isAbout(chosen, $0.action) }
        remarks.append(
            "\(before - operations.count) operations on objects that no other context touched are"
                + " left out")
    }

    private static func isAbout(_ chosen: Set<RecordedObject>, _ action: RecordedAction) -> Bool {
        let objects = action.objects
        if case .fetch(_, _, let count) = action, count == 0 { return true }
        if case .commit = action { return true }
        return objects.isEmpty || objects.contains(where: chosen.contains)
    }
}

extension RecordedObject: Comparable {
    package static func < (left: RecordedObject, right: RecordedObject) -> Bool {
        (left.entity, left.number) < (right.entity, right.number)
    }
}

extension RecordedAction {
    /// The objects that an action uses, including the results of a fetch.
    var objects: [RecordedObject] {
        switch self {
        case .fetch(_, let found, _), .watch(_, _, _, let found, _): found
        case .lookUp(let object), .insert(let object), .delete(let object),
            .refresh(let object, _), .conflict(let object, _), .detectConflicts(let object),
            .fire(let object), .takeFault(let object), .lookAt(let object, _),
            .changedKeys(let object), .committed(let object, _):
            [object]
        case .obtainIDs(let objects), .batch(.deleteObjects(_, let objects, _)): objects
        case .order(let object, _, let members): [object] + members
        case .read(let object, _, let value, _): [object] + value.objects
        case .readMembers(let object, _, let members, _): [object] + members
        case .set(let object, _, let value, let old):
            [object] + value.objects + (old?.objects ?? [])
        case .link(let object, _, let other), .unlink(let object, _, let other): [object, other]
        case .commit(let rows, _): rows.filter(\.isWritten).map(\.object)
        case .count, .refreshAll, .reset, .rollback, .undo, .redo, .processPending, .beginSave,
            .endSave, .merge, .mergeByIDs, .batch, .enqueue, .wait, .beginBlock, .endBlock, .other,
            .skipped,
            .history, .setting, .pin, .unpin, .shown, .look, .removeStore:
            []
        }
    }
}

extension RecordedAction {
    static func skippedText(_ count: Int) -> String {
        "\(count) further reads, changes and new objects, which are not recorded"
    }

    /// The objects that only the history of the run mentions.
    var rareObjects: [RecordedObject] {
        switch self {
        case .commit(let rows, _):
            rows.flatMap { row in
                [row.object] + row.allValues.flatMap(\.values).flatMap(\.objects)
            }
        case .endSave(_, let failure?): failure.culprits + failure.pending
        case .merge(_, _, let keys?): keys.inserted + keys.updated + keys.deleted
        default: []
        }
    }
}

extension RecordedValue {
    var objects: [RecordedObject] {
        if case .object(let object) = self { return [object] }
        return []
    }
}
