import LabRunner
import LabScenario

/// Checks that a context has no conflicts if it is the only one that writes to the store.
struct SoleWriterOracle {
    /// Whether only one context of the draft writes to the store, and no step bypasses it.
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

/// Checks that the two ends of each relationship agree in the store.
struct InverseOracle {
    let model: ModelView
    /// Whether another context may write one of the two ends of a relationship, so that they may
    /// disagree.
    let isShared: Bool
    let mayDangle: Bool

    /// Rows may refer to deleted rows in these cases: several contexts save, delete rules do not
    /// remove links, or steps link deleted objects.
    init(_ draft: ScenarioDraft, _ model: ModelView) {
        self.model = model
        let leaves = model.entities.contains { entity in
            entity.relationships.contains { $0.rule == .noAction || $0.inverse == nil }
        }
        // A context may merge a deletion that has not reached its store or its parent. Only one end
        // of the relationship is then updated.
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
            // Each end of a one-to-one relationship is in a separate row, so two writers may
            // disagree.
            if isShared, relationship.arity == .one, other.toMany[inverse] == nil { continue }
            if !back.contains(name) {
                return "\(name).\(key) holds \(member), and \(member).\(inverse) is"
                    + " \(back.isEmpty ? "empty" : back.joined(separator: ", "))"
            }
        }
        return nil
    }
}

/// Checks that a scenario whose steps do not wait does not deadlock.
struct DeadlockOracle {
    /// Whether a step waits for a queue, because it uses another context's object or waits for a
    /// block.
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
