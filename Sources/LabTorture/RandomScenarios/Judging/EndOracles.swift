import LabRunner
import LabScenario

/// Looks whether a sole writer was told of a conflict.
struct SoleWriterOracle {
    /// Whether one context alone writes the store of a draft, and nothing goes past it.
    static func applies(to draft: ScenarioDraft) -> Bool {
        let roots = draft.contexts.filter { $0.parent == nil }
        let others: Set<String> = [
            "batch-insert", "batch-update", "batch-delete", "outside", "migrate", "fail",
            "remove-store",
        ]
        return roots.count == 1 && draft.verbs.isDisjoint(with: others)
    }

    static func complaint(_ end: ScheduleEnd) -> String? {
        if let step = end.statuses.sorted(by: { $0.key < $1.key }).first(where: {
            $0.value == "133020"
        }) {
            return "the step '\(step.key)' ended with 133020, and nobody else writes the store"
        }
        return end.conflicts == 0
            ? nil : "a policy was asked \(end.conflicts) times, and nobody else writes the store"
    }
}

/// Looks whether both ends of relationships agree in what a store holds.
struct InverseOracle {
    let model: ModelView
    /// Whether ends may be missing or disagree because somebody else wrote one of them.
    let isShared: Bool
    /// Whether keys of rows that are gone may be left.
    let mayDangle: Bool

    /// Several writers, rules that leave keys behind, and links to what is deleted may leave some.
    init(_ draft: ScenarioDraft, _ model: ModelView) {
        self.model = model
        let leaves = model.entities.contains { entity in
            entity.relationships.contains { $0.rule == .noAction || $0.inverse == nil }
        }
        // Who is told of a deletion that is still to be saved lets go of one end alone.
        isShared = leaves || draft.mergesAhead || !SoleWriterOracle.applies(to: draft)
        mayDangle = isShared || AllowedDifference.linksToDeleted.applies(draft)
    }

    func complaint(_ graph: StoredGraph) -> String? {
        for (name, object) in graph.objects.sorted(by: { $0.key < $1.key }) {
            for relationship in model.entity(object.entity)?.relationships ?? [] {
                if let text = complaint(name, object, relationship, graph) { return text }
            }
        }
        return nil
    }

    private func complaint(
        _ name: String, _ object: StoredGraph.Object, _ relationship: ModelView.Relationship,
        _ graph: StoredGraph
    ) -> String? {
        let key = relationship.name
        let members = object.toMany[key] ?? object.toOne[key].map { [$0] } ?? []
        if Set(members).count != members.count { return "\(name).\(key) is \(members): twice" }
        for member in members {
            guard let other = graph.objects[member] else {
                if mayDangle { continue }
                return "\(name).\(key) holds \(member), which is not in the store"
            }
            guard let inverse = relationship.inverse else { continue }
            let back = other.toMany[inverse] ?? other.toOne[inverse].map { [$0] } ?? []
            // Two rows keep a one-to-one relationship, so that two writers may disagree.
            if isShared, relationship.arity == .one, other.toMany[inverse] == nil { continue }
            if !back.contains(name) {
                return "\(name).\(key) holds \(member), and \(member).\(inverse) is"
                    + " \(back.isEmpty ? "empty" : back.joined(separator: ", "))"
            }
        }
        return nil
    }
}

/// Looks whether something waits for ever although nobody asked it to wait.
struct DeadlockOracle {
    /// Whether a step asks for something of another context: it waits for that context.
    static func mayWait(_ draft: ScenarioDraft) -> Bool {
        draft.verbs.contains("wait") || draft.statements.contains { $0.text.contains("@") }
    }

    static func complaint(_ draft: ScenarioDraft, _ end: ScheduleEnd) -> String? {
        guard !mayWait(draft),
            let finding = end.findings.first(where: { $0.hasPrefix("deadlock") })
        else { return nil }
        return "there is a \(finding), and no step waits for a block"
    }
}
