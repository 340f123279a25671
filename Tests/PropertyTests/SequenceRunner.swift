import CoreData
import CoreDataEngine

/// Runs a sequence on the engine and on the reference, and compares the two.
///
/// Four rules keep the reference simple:
/// - Contexts merge each save before they change anything.
/// - A child is refreshed after its parent has changed.
/// - A context with unsaved deletions is saved before any other context.
/// - A parent does not change objects that its child deletes.
final class SequenceRunner {
    typealias Identity = ReferenceGraph.Identity

    let arrangement: Arrangement
    let engine: EngineGraph
    private(set) var stored = ReferenceGraph()
    private(set) var changes: [ReferenceChanges]
    /// The state of the parent or store of each context at its last merge or refresh.
    private var bases: [ReferenceGraph]
    /// Children whose parent has changed since their last refresh.
    private var stale: Set<Int> = []
    /// The states before the steps that each context can undo.
    private var undone: [[UndoableStep]]
    private var redone: [[UndoableStep]]
    private var nextIdentity = 1
    /// The steps that have run.
    private(set) var log: [String] = []

    init(_ arrangement: Arrangement, model: NSManagedObjectModel) throws {
        self.arrangement = arrangement
        engine = try EngineGraph(arrangement, model: model)
        changes = Array(repeating: ReferenceChanges(), count: arrangement.parents.count)
        bases = Array(repeating: ReferenceGraph(), count: arrangement.parents.count)
        undone = Array(repeating: [], count: arrangement.parents.count)
        redone = undone
    }

    /// Runs all steps, then compares every context with the reference.
    func run(_ operations: [Operation]) throws {
        for operation in operations {
            try run(operation)
            try engine.checkStructures()
            for number in engine.contexts.indices {
                try engine.checkInvariants(of: number, isCurrent: !stale.contains(number))
            }
        }
        for number in engine.contexts.indices { try verify(number) }
    }

    func view(_ number: Int) -> ReferenceGraph { below(number).applying(changes[number]) }

    private func below(_ number: Int) -> ReferenceGraph {
        arrangement.parents[number].map(view) ?? stored
    }

    /// Makes the current state of the parent or store the base of the context's unsaved changes.
    /// Changes without an effect are dropped.
    private func rebase(_ number: Int) {
        forgetUndo(number)
        changes[number].dropEdits(equalTo: bases[number])
        bases[number] = below(number)
    }

    private func run(_ operation: Operation) throws {
        let number = operation.context % engine.contexts.count
        try freshen(number)
        switch operation.kind {
        case .insert: insert(operation, number)
        case .number, .text, .author, .addWork, .removeWork, .link, .unlink, .replace:
            try edit(operation, number)
        case .reorder: try reorder(operation, number)
        case .delete: try delete(operation, number)
        case .rework, .reworkAndSave: try rework(operation, number)
        case .fetch, .verify: try verify(number)
        case .query: try query(operation, number)
        case .existing, .refresh, .refreshAll, .forget, .obtain, .process:
            try look(operation, number)
        case .save: try save(number)
        case .fail: try failToSave(number)
        case .rollback, .reset: try drop(operation, number)
        case .undo: try undo(number)
        case .redo: try redo(number)
        }
    }

    private func note(_ text: String) { log.append(text) }

    /// Refreshes the context if its parent has changed. Its ancestors are refreshed first.
    private func freshen(_ number: Int) throws {
        for level in arrangement.ancestors(of: number).reversed() + [number]
        where stale.contains(level) {
            let context = engine.contexts[level]
            context.performAndWait { context.refreshAllObjects() }
            note("refreshAll in \(level)")
            stale.remove(level)
            rebase(level)
        }
    }

    private func noteChange(in number: Int) {
        stale.formUnion(arrangement.descendants(of: number))
    }

    // MARK: Changes

    private func insert(_ operation: Operation, _ number: Int) {
        let kind = ReferenceGraph.Kind.allCases[operation.subject % 4]
        let identity = nextIdentity
        nextIdentity += 1
        note("\(number): insert \(kind) #\(identity)")
        let before = changes[number]
        engine.change(number) { engine.insert(kind, identity, in: number) }
        changes[number].inserted[identity] = kind
        noteUndoable(before, number)
    }

    /// Changes and refreshes a few objects in one event. Sometimes a save follows.
    private func rework(_ operation: Operation, _ number: Int) throws {
        guard areClean(arrangement.descendants(of: number)) else { return }
        if operation.kind == .reworkAndSave {
            guard maySave(number) else { return }
            for other in engine.contexts.indices { try freshen(other) }
        }
        let rework = Rework(runner: self, number: number, seed: operation.subject, log: log.count)
        var own = changes[number]
        try engine.changeInOneEvent(number) {
            try rework.run(&own, below: below(number)) { note("\(number): \($0)") }
            changes[number] = own
            if operation.kind == .reworkAndSave { try save(number) }
        }
        forgetUndo(number)
        noteChange(in: number)
    }

    private func edit(_ operation: Operation, _ number: Int) throws {
        let view = view(number)
        let kinds: [ReferenceGraph.Kind] =
            switch operation.kind {
            case .author: [.book, .note]
            case .addWork, .removeWork: [.author]
            case .link, .unlink: [.book]
            case .replace: [.author, .book]
            default: ReferenceGraph.Kind.allCases
            }
        let candidates = view.rows.keys.filter { kinds.contains(view.rows[$0]!.kind) }.sorted()
        // An object that a child has deleted but not saved still exists for its parent.
        let isSafe = arrangement.descendants(of: number).allSatisfy { changes[$0].deleted.isEmpty }
        guard !candidates.isEmpty, isSafe else { return }
        let edit = Edit(
            runner: self, number: number, view: view,
            identity: candidates[operation.subject % candidates.count], pick: operation.value,
            step: log.count)
        let before = changes[number]
        var own = before
        var text: String?
        try engine.change(number) { text = try edit.apply(operation.kind, to: &own) }
        guard let text else { return }
        changes[number] = own
        note("\(number): \(text)")
        noteUndoable(before, number)
    }

    private func delete(_ operation: Operation, _ number: Int) throws {
        let view = view(number)
        let candidates = view.rows.keys.sorted()
        guard !candidates.isEmpty, areClean(arrangement.descendants(of: number)) else { return }
        let identity = candidates[operation.subject % candidates.count]
        note("\(number): delete \(view.rows[identity]!.kind) #\(identity)")
        let context = engine.contexts[number]
        guard let object = engine.object(identity, in: number) else {
            throw Failure("#\(identity) is unknown in context \(number)")
        }
        engine.change(number) { context.performAndWait { context.delete(object) } }
        let before = changes[number]
        changes[number].delete(identity, in: view)
        noteUndoable(before, number)
    }

    /// Moves a member of an ordered relationship. The reference does not change, because it has no
    /// orders.
    private func reorder(_ operation: Operation, _ number: Int) throws {
        let view = view(number)
        let owners = view.rows.keys.sorted().filter {
            (view.rows[$0]?.kind == .author ? view.works(of: $0, .note) : view.tags(of: $0)).count
                > 1
        }
        guard arrangement.isOrdered, !owners.isEmpty else { return }
        let owner = owners[operation.subject % owners.count]
        let key = view.rows[owner]?.kind == .author ? "notes" : "tags"
        var list: MovedList?
        try engine.change(number) {
            list = try engine.move(in: owner, key, operation.value, in: number)
        }
        guard let list else { return }
        note("\(number): #\(owner).\(key) from \(list.before) to \(list.after)")
        noteUndoable(changes[number], number, moved: list)
        try compareOrder(of: list, list.after, number)
    }

    private func compareOrder(
        of list: MovedList, _ expected: [Identity], _ number: Int
    ) throws {
        let found = engine.list(list.owner, list.key, in: number)
        guard found == expected else {
            throw Failure("#\(list.owner).\(list.key) is in order \(found), not \(expected)")
        }
    }

    // MARK: Undo

    private func noteUndoable(
        _ before: ReferenceChanges, _ number: Int, moved list: MovedList? = nil
    ) {
        undone[number].append(UndoableStep(changes: before, list: list))
        redone[number] = []
        noteChange(in: number)
    }

    private func forgetUndo(_ number: Int) {
        let context = engine.contexts[number]
        context.performAndWait { context.undoManager?.removeAllActions() }
        undone[number] = []
        redone[number] = []
    }

    private func undo(_ number: Int) throws {
        guard let before = undone[number].last, areClean(arrangement.descendants(of: number)) else {
            return
        }
        note("\(number): undo")
        let context = engine.contexts[number]
        context.performAndWait { context.undo() }
        undone[number].removeLast()
        redone[number].append(UndoableStep(changes: changes[number], list: before.list))
        changes[number] = before.changes
        noteChange(in: number)
        if let list = before.list { try compareOrder(of: list, list.before, number) }
    }

    private func redo(_ number: Int) throws {
        guard let after = redone[number].last, areClean(arrangement.descendants(of: number)) else {
            return
        }
        note("\(number): redo")
        let context = engine.contexts[number]
        context.performAndWait { context.redo() }
        redone[number].removeLast()
        undone[number].append(UndoableStep(changes: changes[number], list: after.list))
        changes[number] = after.changes
        noteChange(in: number)
        if let list = after.list { try compareOrder(of: list, list.after, number) }
    }

    /// Whether the contexts have nothing to save. The engine also counts a property that was set to
    /// its old value.
    private func areClean(_ numbers: [Int]) -> Bool {
        numbers.allSatisfy { number in
            let context = engine.contexts[number]
            return changes[number].isEmpty && !context.performAndWait { context.hasChanges }
        }
    }

    // MARK: Steps that change nothing

    private func look(_ operation: Operation, _ number: Int) throws {
        let context = engine.contexts[number]
        note("\(number): \(operation.kind)")
        switch operation.kind {
        case .refreshAll: context.performAndWait { context.refreshAllObjects() }
        case .process: context.performAndWait { context.processPendingChanges() }
        case .forget: engine.handles[number] = [:].merging(heldForLife(number)) { held, _ in held }
        case .obtain:
            let inserted = changes[number].inserted.keys.sorted()
                .compactMap { engine.object($0, in: number) }
            try context.performAndWait { try context.obtainPermanentIDs(for: inserted) }
        default:
            let candidates = view(number).rows.keys.sorted()
            guard !candidates.isEmpty else { return }
            let identity = candidates[operation.subject % candidates.count]
            guard let object = engine.object(identity, in: number) else { return }
            if operation.kind == .existing {
                try engine.checkLookUps(of: object, identity, in: number)
                return
            }
            context.performAndWait {
                context.refresh(object, mergeChanges: object.hasChanges || operation.value % 2 == 0)
            }
        }
    }

    /// The unsaved objects, which must stay in memory because the store cannot find them.
    private func heldForLife(_ number: Int) -> [Identity: NSManagedObject] {
        engine.handles[number].filter { changes[number].inserted[$0.key] != nil }
    }

    // MARK: Ends of changes

    private func save(_ number: Int) throws {
        guard maySave(number) else { return }
        // The reference merges only whole states. All other contexts must therefore have merged
        // earlier saves.
        for other in engine.contexts.indices { try freshen(other) }
        note("\(number): save")
        let saved = changes[number]
        do {
            try engine.save(number, inserted: saved.inserted.keys.sorted())
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure("the save of context \(number) failed: \(error)")
        }
        changes[number] = ReferenceChanges()
        forgetUndo(number)
        if let parent = arrangement.parents[number] {
            changes[parent].compose(saved)
            forgetUndo(parent)
            bases[number] = below(number)
            noteChange(in: parent)
            try engine.compareOrders(of: number, with: [parent])
            return
        }
        stored = stored.applying(saved)
        try compareStore()
        let clean = engine.contexts.indices.filter {
            $0 != number && areClean([$0] + arrangement.ancestors(of: $0))
        }
        try engine.compareOrders(of: number, with: clean)
        for other in changes.indices { changes[other].dropReferences(to: saved.deleted) }
        for other in changes.indices {
            rebase(other)
            noteChange(in: other)
        }
    }

    /// Tries a save that fails. It does not reach the store, so it has no effect.
    private func failToSave(_ number: Int) throws {
        guard arrangement.parents[number] == nil, maySave(number) else { return }
        note("\(number): save that fails")
        try engine.failToSave(number)
    }

    /// Whether the context may be saved. Unsaved deletions in other contexts could remove
    /// destinations of the saved links.
    private func maySave(_ number: Int) -> Bool {
        let related = Set(arrangement.ancestors(of: number) + [number])
        return changes.indices.allSatisfy { related.contains($0) || changes[$0].deleted.isEmpty }
            && (changes[number].deleted.isEmpty
                || arrangement.parents[number] == nil
                || areClean(changes.indices.filter { !related.contains($0) }))
    }

    private func drop(_ operation: Operation, _ number: Int) throws {
        guard areClean(arrangement.descendants(of: number)) else { return }
        note("\(number): \(operation.kind)")
        let context = engine.contexts[number]
        let dropped = changes[number].inserted.keys
        if operation.kind == .reset {
            context.performAndWait { context.reset() }
            engine.handles[number] = [:]
        } else {
            context.performAndWait { context.rollback() }
        }
        for level in [number] + arrangement.descendants(of: number) {
            for identity in dropped { engine.handles[level][identity] = nil }
        }
        changes[number] = ReferenceChanges()
        forgetUndo(number)
        noteChange(in: number)
    }

    // MARK: Comparing

    private func compareStore() throws {
        let found = try engine.readStore()
        guard found == stored else {
            let keys = Set(found.rows.keys).union(stored.rows.keys).sorted()
            let wrong = keys.filter { found.rows[$0] != stored.rows[$0] }.map {
                "#\($0) is \(found.rows[$0].map { "\($0)" } ?? "absent")"
                    + ", not \(stored.rows[$0].map { "\($0)" } ?? "absent")"
            }
            throw Failure(
                "the store differs: \(wrong.joined(separator: "; "))"
                    + (found.pairs == stored.pairs ? "" : "; pairs \(found.pairs)"))
        }
    }

    private func query(_ operation: Operation, _ number: Int) throws {
        let levels = [number] + arrangement.ancestors(of: number)
        let query = Query(
            engine: engine, number: number, view: view(number), stored: stored,
            isClean: areClean(levels), kind: ReferenceGraph.Kind.allCases[operation.subject % 4],
            pick: operation.value)
        note("\(number): \(query)")
        try query.run()
    }

    private func verify(_ number: Int) throws {
        try freshen(number)
        note("\(number): verify")
        let expected = view(number)
        let comparison = Comparison(
            engine: engine, number: number, expected: expected, differs: expected != below(number))
        try comparison.run(changes[number])
    }
}
