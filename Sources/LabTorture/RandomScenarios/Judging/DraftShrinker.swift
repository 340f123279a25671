/// Makes a scenario smaller. Removes sessions, steps, statements, rows, contexts, settings and
/// properties. A removal is kept if the same oracle still reports a failure.
struct DraftShrinker {
    private(set) var best: ScenarioDraft
    private(set) var trials = 0
    let most: Int
    private let isStillWrong: (ScenarioDraft) -> Bool

    /// - Parameter isStillWrong: returns whether a smaller draft still fails the check (the oracle)
    ///   that the original draft has failed.
    init(_ draft: ScenarioDraft, most: Int = 600, isStillWrong: @escaping (ScenarioDraft) -> Bool) {
        best = draft
        self.most = most
        self.isStillWrong = isStillWrong
    }

    mutating func run() {
        var before: ScenarioDraft?
        while before != best, trials < most {
            before = best
            cutSteps()
            cutSurroundings()
            cutContexts()
            cutModel()
        }
    }

    @discardableResult
    private mutating func attempt(_ cut: (inout ScenarioDraft) -> Void) -> Bool {
        guard trials < most else { return false }
        var draft = best
        cut(&draft)
        draft.sessions.removeAll { $0.steps.isEmpty }
        let steps = Set(draft.sessions.flatMap { $0.steps.map(\.name) })
        for list in [\ScenarioDraft.after, \.atomic] {
            draft[keyPath: list].removeAll { line in
                !line.split(separator: " ").allSatisfy {
                    $0 == "requires" || steps.contains(String($0))
                }
            }
        }
        guard draft != best, !draft.sessions.isEmpty else { return false }
        trials += 1
        guard isStillWrong(draft) else { return false }
        best = draft
        return true
    }

    private mutating func cutEach<Item>(_ list: WritableKeyPath<ScenarioDraft, [Item]>) {
        for index in best[keyPath: list].indices.reversed() {
            attempt { $0[keyPath: list].remove(at: index) }
        }
    }

    private mutating func cutSteps() {
        cutEach(\.sessions)
        for session in best.sessions.indices.reversed() where session < best.sessions.count {
            for step in best.sessions[session].steps.indices.reversed()
            where session < best.sessions.count && step < best.sessions[session].steps.count {
                if attempt({ $0.sessions[session].steps.remove(at: step) }) { continue }
                cutStatements(session, step)
            }
        }
        for session in best.sessions.indices { joinSteps(session) }
    }

    private mutating func cutStatements(_ session: Int, _ step: Int) {
        for index in best.sessions[session].steps[step].statements.indices.reversed() {
            attempt { draft in
                draft.sessions[session].steps[step].statements.remove(at: index)
                if draft.sessions[session].steps[step].statements.isEmpty {
                    draft.sessions[session].steps.remove(at: step)
                }
            }
            guard session < best.sessions.count, step < best.sessions[session].steps.count else {
                return
            }
        }
        for index in best.sessions[session].steps[step].statements.indices {
            let text = best.sessions[session].steps[step].statements[index]
            for shorter in Self.shorter(text) {
                attempt { $0.sessions[session].steps[step].statements[index] = shorter }
            }
        }
    }

    /// Joins two steps, so that the scenario has fewer schedules.
    private mutating func joinSteps(_ session: Int) {
        var step = 0
        while session < best.sessions.count, step + 1 < best.sessions[session].steps.count {
            let isJoined = attempt { draft in
                let next = draft.sessions[session].steps.remove(at: step + 1)
                draft.sessions[session].steps[step].statements += next.statements
            }
            if !isJoined { step += 1 }
        }
    }

    private mutating func cutSurroundings() {
        cutEach(\.after)
        cutEach(\.atomic)
        cutEach(\.blocks)
        cutEach(\.setup)
        cutEach(\.observe)
        for index in best.setup.indices {
            for shorter in Self.shorter(best.setup[index]) {
                attempt { $0.setup[index] = shorter }
            }
        }
        attempt { $0.mode = "inline" }
        attempt { $0.store = "sqlite-image" }
        attempt { $0.journal = nil }
        for index in best.blocks.indices {
            for place in best.blocks[index].step.statements.indices.reversed()
            where best.blocks[index].step.statements.count > 1 {
                attempt { $0.blocks[index].step.statements.remove(at: place) }
            }
        }
    }

    private mutating func cutContexts() {
        cutEach(\.contexts)
        for index in best.contexts.indices {
            let plain = ScenarioDraft.Context(name: best.contexts[index].name)
            attempt { $0.contexts[index] = plain }
            attempt { $0.contexts[index].policy = plain.policy }
            attempt { $0.contexts[index].automerge = false }
            attempt { $0.contexts[index].mergesFrom = [] }
            attempt { $0.contexts[index].onSave = [] }
            attempt { $0.contexts[index].undo = false }
            attempt { $0.contexts[index].isMain = false }
            attempt { $0.contexts[index].parent = nil }
        }
    }

    private mutating func cutModel() {
        cutEach(\.entities)
        for index in best.entities.indices {
            attempt { $0.entities[index].unique = [] }
            attempt { $0.entities[index].onDelete = nil }
            attempt { $0.entities[index].isAbstract = false }
            for place in best.entities[index].attributes.indices.reversed() {
                if attempt({ $0.entities[index].attributes.remove(at: place) }) { continue }
                let line = best.entities[index].attributes[place].line
                attempt { $0.entities[index].attributes[place].line = Self.firstWords(line, 1) }
            }
            cutRelationships(index)
        }
    }

    /// Removes relationships together with their inverses.
    private mutating func cutRelationships(_ index: Int) {
        for property in best.entities[index].relationships.reversed() {
            let words = property.line.split(separator: " ").map(String.init)
            let other = best.entities.firstIndex { $0.name == words[1] }
            let wasCut = attempt { draft in
                draft.entities[index].relationships.removeAll { $0 == property }
                guard let other else { return }
                draft.entities[other].relationships.removeAll { $0.name == words[3] }
            }
            if wasCut { continue }
            attempt { draft in
                guard
                    let place = draft.entities[index].relationships.firstIndex(of: property)
                else { return }
                draft.entities[index].relationships[place].line = Self.firstWords(property.line, 4)
            }
        }
    }

    private static func firstWords(_ line: String, _ count: Int) -> String {
        line.split(separator: " ").prefix(count).joined(separator: " ")
    }

    /// Variants of a statement: without one of its assignments, without its options, or without its
    /// prefix.
    static func shorter(_ text: String) -> [String] {
        var found: [String] = []
        let words = text.split(separator: " ").map(String.init)
        if ["if", "unless"].contains(words.first) {
            found.append(words.dropFirst(2).joined(separator: " "))
        }
        if ["off-queue", "unchecked"].contains(words.first) {
            found.append(words.dropFirst().joined(separator: " "))
        }
        if let with = text.firstRange(of: " with ") {
            found.append(String(text[..<with.lowerBound]))
            let parts = text[with.upperBound...].split(separator: ",").map {
                $0.trimmingPrefix(" ")
            }
            for part in parts.indices where parts.count > 1 {
                var left = parts
                left.remove(at: part)
                found.append(String(text[..<with.upperBound]) + left.joined(separator: ", "))
            }
        }
        for mark in [" where ", " sort ", " limit ", " batch ", " prefetch ", " offset "] {
            guard let start = text.firstRange(of: mark)?.lowerBound else { continue }
            let end = text.firstRange(of: " ->")?.lowerBound ?? text.endIndex
            if start < end { found.append(String(text[..<start]) + String(text[end...])) }
        }
        return found
    }
}
