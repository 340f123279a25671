import CoreDataEngine
import LabRunner
import LabScenario

/// Compares sessions that run one after another with ``SerialReference``.
struct SerialOracle {
    let scenario: Scenario
    let model: ModelView

    /// Whether the reference may be able to run the draft. For example, each session must have its
    /// own context, and all contexts must share one coordinator.
    static func applies(to draft: ScenarioDraft) -> Bool {
        let known = Set(ScenarioGenerator.serialVerbs.map(\.rawValue))
        let contexts = draft.sessions.map(\.context)
        return draft.mode == "inline" && draft.verbs.isSubset(of: known)
            && draft.contexts.allSatisfy { $0.parent == nil && $0.coordinator == nil }
            && Set(contexts).count == contexts.count && draft.after.isEmpty && draft.blocks.isEmpty
            && !draft.hasConstraints
    }

    /// - Returns: a difference, or the reason why the reference cannot run the sessions.
    func check(
        _ order: [Int], start: StoredGraph, end: ScheduleEnd
    ) -> (complaint: String?, notUnderstood: String?) {
        var reference = SerialReference(model, start: start)
        do throws(SerialReference.NotUnderstood) {
            for session in order { try reference.run(scenario.sessions[session]) }
        } catch {
            return (nil, error.why)
        }
        return (complaint(reference, end), nil)
    }

    private func complaint(_ reference: SerialReference, _ end: ScheduleEnd) -> String? {
        for step in reference.failing.sorted() where end.statuses[step] == "ok" {
            return "the step '\(step)' saves invalid objects"
        }
        let saved = scenario.sessions.flatMap(\.steps).map(\.name.value).filter { step in
            !reference.failing.contains(step)
                && Int(end.statuses[step] ?? "").map {
                    (1550...1680).contains($0) || $0 == 133_020
                } ?? false
        }
        if let step = saved.first {
            return "the step '\(step)' ended with \(end.statuses[step] ?? "") but is valid"
        }
        for (name, value) in reference.reads.sorted(by: { $0.key < $1.key })
        where end.values[name] != value {
            return "the read '\(name)' is \(value) in the reference and"
                + " \(end.values[name] ?? "missing") in the context"
        }
        guard let graph = end.graph else { return nil }
        return EndComparison.difference(
            lasting(reference.stored), lasting(graph), "the reference", "the store")
    }

    /// The graph without transient values. The members of unordered relationships are sorted.
    private func lasting(_ graph: StoredGraph) -> StoredGraph {
        var graph = graph
        for (name, object) in graph.objects {
            guard let entity = model.entity(object.entity) else { continue }
            for attribute in entity.attributes where attribute.isTransient {
                graph.objects[name]?.attributes[attribute.name] = nil
            }
            for key in entity.relationships where key.arity == .many {
                graph.objects[name]?.toMany[key.name]?.sort()
            }
        }
        return graph
    }
}
