import ContextHistory

/// Finds a context in which one invalid object makes several saves fail. The later saves fail
/// although they were meant for other objects.
enum PoisonedContext {
    static func detect(in history: History) -> [Detection] {
        var open: [String: (step: String, failure: SaveFailure)] = [:]
        var found: [Detection] = []
        for entry in history.entries {
            switch entry.event {
            case .dropped, .saved: open[entry.context] = nil
            case .saveFailed(let failure):
                if let first = open[entry.context],
                    let detection = compare(first.step, first.failure, entry, failure)
                {
                    found.append(detection)
                } else {
                    open[entry.context] = (entry.step, failure)
                }
            default: break
            }
        }
        return found
    }

    private static func compare(
        _ step: String, _ first: SaveFailure, _ entry: History.Entry, _ second: SaveFailure
    ) -> Detection? {
        let again = second.culprits.filter(first.culprits.contains)
        let innocent = second.pending.filter { !first.pending.contains($0) && !again.contains($0) }
        guard first.code == second.code, let culprit = again.first, let victim = innocent.first
        else { return nil }
        return Detection(
            name: "poisoned context",
            prose: "\(entry.context) could not save \(culprit.alias) in \(step) (error"
                + " \(first.code)) and kept it; in \(entry.step) it tried to save"
                + " \(victim.alias), which is not related to it, and failed with \(second.code)"
                + " because of \(culprit.alias) again.",
            evidence: [
                "\(step): error \(first.code) because of \(culprit.alias)",
                "\(entry.step): error \(second.code) because of \(culprit.alias);"
                    + " \(victim.alias) is not saved",
            ], step: entry.step)
    }
}
