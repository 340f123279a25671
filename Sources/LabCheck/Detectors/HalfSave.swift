import ContextHistory

/// Finds saves of a child context that never reached the store because the parent did not save
/// afterwards.
enum HalfSave {
    static func detect(in history: History) -> [Detection] {
        var waiting: [String: (entry: History.Entry, objects: [String])] = [:]
        for entry in history.entries {
            switch entry.event {
            case .saved(let save):
                waiting[entry.context] = nil
                if case .parent(let parent) = save.target, !save.changes.isEmpty {
                    let objects = save.changes.map(\.object.alias)
                    waiting[parent] = (entry, (waiting[parent]?.objects ?? []) + objects)
                }
            case .dropped: waiting[entry.context] = nil
            default: break
            }
        }
        return waiting.sorted { $0.key < $1.key }.map { parent, half in
            Detection(
                name: "half-way save",
                prose: "\(half.entry.context) saved \(half.objects.joined(separator: ", ")) into"
                    + " \(parent) in \(half.entry.step), and \(parent) was never saved: the store"
                    + " does not have the change.",
                evidence: [
                    "\(half.entry.step): \(half.entry.context) saved into \(parent)",
                    "end: \(parent) has unsaved changes",
                ], step: half.entry.step)
        }
    }
}
