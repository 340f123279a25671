import LabRunner
import LabScenario

/// Checks that a context has no conflicts if no other context writes to its store.
struct SoleWriterOracle {
    /// Whether only one context writes the store of a draft, and no step bypasses that context.
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
            return "the step '\(step.key)' ended with 133020, although no other context writes the"
                + " store"
        }
        return end.conflicts == 0
            ? nil
            : "a policy was called \(end.conflicts) times, although no other context writes the"
                + " store"
    }
}

/// Checks that both ends of relationships agree in a store.
struct InverseOracle {
    let model: ModelView
    /// Whether the two ends of a relationship may disagree because another context wrote one of
    /// them.
    let isShared: Bool
    /// Whether keys of deleted rows may remain.
    let mayDangle: Bool

    /// Keys of deleted rows may remain after saves of several contexts, under delete rules that do
    /// not remove keys, and after links to deleted objects.
    init(_ draft: ScenarioDraft, _ model: ModelView) {
        self.model = model
        let leaves = model.entities.contains { entity in
            entity.relationships.contains { $0.rule == .noAction || $0.inverse == nil }
        }
        // A context that merges a deletion before it is saved updates only one end.
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
            // Two rows store a one-to-one relationship, so two writers may disagree.
            if isShared, relationship.arity == .one, other.toMany[inverse] == nil { continue }
            if !back.contains(name) {
                return "\(name).\(key) holds \(member), and \(member).\(inverse) is"
                    + " \(back.isEmpty ? "empty" : back.joined(separator: ", "))"
            }
        }
        return nil
    }
}

/// Checks that nothing deadlocks in a scenario without waits.
struct DeadlockOracle {
    /// Whether a step uses an object of another context or waits for a block, and therefore waits
    /// for a queue.
    static func mayWait(_ draft: ScenarioDraft) -> Bool {
        draft.verbs.contains("wait") || draft.statements.contains { $0.text.contains("@") }
    }

    static func complaint(_ draft: ScenarioDraft, _ end: ScheduleEnd) -> String? {
        guard !mayWait(draft),
            let finding = end.findings.first(where: { $0.hasPrefix("deadlock") })
        else { return nil }
        return "the schedule has a \(finding), although no step waits for a block"
    }
}
