/// A step that is possible, with the expected observations.
struct ProgramMove: Sendable {
    let step: ProgramStep
    /// The expected answer; nil if the documentation does not define it. The stores must agree in
    /// both cases.
    var answer: String? = ""
    /// The objects that a fetch finds only in SQL, or only in memory, because a value is nil.
    var decidedByNil: Set<Int> = []
    /// Whether a delete rule denies the deletion of this step. The save then fails, and the
    /// deletion is rolled back.
    var isDenied = false
    /// The number of the context's inserted and deleted objects after the step.
    var inserted = 0
    var deleted = 0
    /// The expected list of the results controller; nil if the documentation does not define it.
    var watched: String?
}

/// Executes a program on plain values. Its results are the expected results of the engine.
struct ReferenceRun: Sendable {
    private struct Level {
        var graph: ProgramGraph
        var base: ProgramGraph
        var undone: [ProgramGraph] = []
        var redone: [ProgramGraph] = []
        /// Whether anything was changed since the last save, even if the change was then reverted.
        var isDirty = false

        init(_ base: ProgramGraph) {
            graph = base
            self.base = base
        }

        mutating func settle() {
            (undone, redone) = ([], [])
            isDirty = false
        }
    }

    static let depthMax = 3

    private let hasUndo: Bool
    private let watched: ProgramQuery?
    private var levels: [Level]

    init(_ schema: ProgramSchema, hasUndo: Bool, watched: ProgramQuery? = nil) {
        self.hasUndo = hasUndo
        self.watched = watched
        levels = [Level(ProgramGraph(schema))]
    }

    static func moves(of program: RandomProgram) -> [ProgramMove] {
        var run = ReferenceRun(
            program.schema, hasUndo: program.hasUndo, watched: program.watched)
        return program.steps.compactMap { run.perform($0) }
    }

    var graph: ProgramGraph { levels[top].graph }
    var stored: ProgramGraph { levels[0].base }
    var depth: Int { levels.count }
    var isDirty: Bool { levels.contains(where: \.isDirty) }

    private var top: Int { levels.count - 1 }
    private var schema: ProgramSchema { levels[0].graph.schema }

    mutating func perform(_ step: ProgramStep) -> ProgramMove? {
        guard var move = move(step) else { return nil }
        let level = levels[top]
        move.inserted = level.graph.countOfNew(since: level.base)
        move.deleted = level.base.countOfNew(since: level.graph)
        move.watched = watched?.answer(in: levels[0].graph)
        return move
    }

    private mutating func move(_ step: ProgramStep) -> ProgramMove? {
        switch step {
        case .insert, .set, .lead, .add, .remove, .replace, .move: return change(step)
        case .delete(let number): return delete(number)
        case .undo, .redo: return goBack(step)
        case .save: return save()
        case .rollback, .reset:
            levels[top].graph = levels[top].base
            levels[top].settle()
        case .refresh(let number, let merging):
            guard let node = graph.nodes[number] else { return nil }
            guard merging || levels[top].base.nodes[number] == node else { return nil }
        case .refreshAll, .forget, .obtainIDs: break
        case .fetch(let query): return fetch(query)
        case .look: return ProgramMove(step: step, answer: graph.text(since: levels[top].base))
        case .readInNewContext: return ProgramMove(step: step, answer: stored.text(since: stored))
        case .openChild:
            guard depth < Self.depthMax else { return nil }
            levels.append(Level(graph))
        case .closeChild:
            guard depth > 1 else { return nil }
            levels.removeLast()
        case .batchUpdate, .batchDelete, .batchInsert: return batch(step)
        case .reopen: levels = [Level(stored)]
        }
        return ProgramMove(step: step)
    }

    // MARK: Changes

    private mutating func change(_ step: ProgramStep) -> ProgramMove? {
        var changed = graph
        guard Self.apply(step, to: &changed), changed != graph else { return nil }
        note(changed)
        return ProgramMove(step: step)
    }

    private mutating func note(_ changed: ProgramGraph) {
        if hasUndo {
            levels[top].undone.append(graph)
            levels[top].redone = []
        }
        levels[top].graph = changed
        levels[top].isDirty = true
    }

    private static func apply(_ step: ProgramStep, to graph: inout ProgramGraph) -> Bool {
        switch step {
        case .insert(let kind, let number, let values):
            guard graph.nodes[number] == nil else { return false }
            graph.insert(kind, number, values)
        case .set(let number, let attribute, let value):
            guard graph.nodes[number]?.kind.attributes.contains(attribute) == true else {
                return false
            }
            graph.set(number, attribute, value)
        case .lead(let number, let link, let other):
            guard graph.allows(number, link, other) else { return false }
            if let other {
                graph.connect(number, link, other)
            } else if let old = graph.ends(number, link).first {
                graph.disconnect(number, link, old)
            }
        case .add(let number, let link, let other, let index):
            guard graph.allows(number, link, other) else { return false }
            graph.connect(number, link, other, at: index)
        case .remove(let number, let link, let other): graph.disconnect(number, link, other)
        case .replace(let number, let link, let others):
            guard others.allSatisfy({ graph.allows(number, link, $0) }) else { return false }
            graph.replace(number, link, others)
        case .move(let number, let link, let from, let to):
            let count = graph.ends(number, link).count
            guard from < count, to < count else { return false }
            graph.move(number, link, from: from, to: to)
        default: return false
        }
        return true
    }

    private mutating func delete(_ number: Int) -> ProgramMove? {
        guard graph.nodes[number] != nil else { return nil }
        let deletion = graph.deletion(of: number)
        guard deletion.denials == 0 else {
            guard !levels[top].isDirty else { return nil }
            levels[top].settle()
            let codes = Array(repeating: 1600, count: deletion.denials)
            return ProgramMove(step: .delete(number), answer: Self.text(codes), isDenied: true)
        }
        var changed = graph
        changed.remove(deletion.numbers)
        note(changed)
        return ProgramMove(step: .delete(number))
    }

    private mutating func goBack(_ step: ProgramStep) -> ProgramMove? {
        let current = graph
        if step == .undo {
            guard let former = levels[top].undone.popLast() else { return nil }
            levels[top].redone.append(current)
            levels[top].graph = former
        } else {
            guard let later = levels[top].redone.popLast() else { return nil }
            levels[top].undone.append(current)
            levels[top].graph = later
        }
        levels[top].isDirty = true
        return ProgramMove(step: step)
    }

    // MARK: Saving

    private mutating func save() -> ProgramMove? {
        // Objects that a child context has changed are validated even if the changes were reverted.
        let isInherited = !levels[top].base.problems.isEmpty
        guard !(isInherited && levels[top].isDirty) else { return nil }
        let codes = graph.problems(since: levels[top].base)
        guard codes.isEmpty else { return ProgramMove(step: .save, answer: Self.text(codes)) }
        if top > 0 {
            levels[top - 1].settle()
            levels[top - 1].graph = graph
            levels[top - 1].isDirty = true
        }
        levels[top].base = graph
        levels[top].settle()
        return ProgramMove(step: .save)
    }

    static func text(_ codes: [Int]) -> String {
        guard let only = codes.first, codes.count > 1 else {
            return codes.first.map { "error \($0)" } ?? ""
        }
        _ = only
        return "error 1560: \(codes.sorted().map(String.init).joined(separator: " "))"
    }

    private mutating func batch(_ step: ProgramStep) -> ProgramMove? {
        guard depth == 1, !isDirty else { return nil }
        var changed = graph
        let count: Int
        switch step {
        case .batchUpdate(let kind, let attribute, let value, let condition):
            guard kind.attributes.contains(attribute),
                value != nil || !schema.requires(attribute),
                let numbers = numbers(kind, condition)
            else { return nil }
            for number in numbers { changed.set(number, attribute, value) }
            count = numbers.count
        case .batchDelete(let kind, let condition):
            guard !schema.requiresAuthor, !schema.rules.values.contains(.deny),
                let numbers = numbers(kind, condition)
            else { return nil }
            for number in numbers where changed.nodes[number] != nil {
                changed.remove(changed.deletion(of: number).numbers)
            }
            count = numbers.count
        case .batchInsert(let kind, let rows):
            guard let attribute = kind.attributes.first, !schema.requiresAuthor,
                rows.keys.allSatisfy({ graph.nodes[$0] == nil })
            else { return nil }
            for (number, value) in rows { changed.insert(kind, number, [attribute: value]) }
            count = rows.count
        default: return nil
        }
        levels = [Level(changed)]
        return ProgramMove(step: step, answer: "\(count)")
    }

    private func numbers(_ kind: ProgramKind, _ condition: ProgramCondition) -> [Int]? {
        let numbers = graph.numbers.filter { number in
            graph.nodes[number].map { kind.found.contains($0.kind) } ?? false
        }
        let answers = numbers.compactMap { condition.truth($0, in: graph).isFound }
        guard answers.count == numbers.count else { return nil }
        return zip(numbers, answers).filter(\.1).map(\.0)
    }

    // MARK: Reading

    private func fetch(_ query: ProgramQuery) -> ProgramMove {
        switch query.form {
        case .values, .totals:
            return ProgramMove(
                step: .fetch(query), answer: query.answer(in: stored),
                decidedByNil: query.decidedByNil(in: stored))
        case .objects, .ids, .count:
            // If the context has unsaved changes, a limit and an offset apply to the saved rows.
            // IDs of unsaved objects are not sorted.
            let isOpen =
                isDirty && (query.limit > 0 || query.offset > 0 || query.form == .ids)
            let bases = levels.reversed().map(\.base)
            return ProgramMove(
                step: .fetch(query), answer: isOpen ? nil : query.answer(in: graph, over: bases),
                decidedByNil: query.decidedByNil(in: graph, over: bases))
        }
    }
}
