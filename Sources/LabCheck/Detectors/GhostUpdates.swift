import ContextHistory

/// Finds successful saves of a row that no longer exists. Their changes are lost without an error.
enum GhostUpdates {
    static func detect(in history: History) -> [Detection] {
        var deletions: [ObjectName: History.Entry] = [:]
        var found: [Detection] = []
        for entry in history.entries {
            guard case .saved(let save) = entry.event, save.target == .store else { continue }
            for change in save.changes {
                if change.after == nil, change.before != nil { deletions[change.object] = entry }
                guard !change.isDelete, let base = change.base, change.before == nil,
                    change.after == nil
                else { continue }
                // If every value that a step set equals the value of the row, no change is lost.
                if !change.named.isEmpty, change.wanted.isEmpty { continue }
                let deletion = deletions[change.object].map {
                    "\($0.step): \($0.context) deleted \(change.object.alias)"
                }
                found.append(
                    Detection(
                        name: "ghost update",
                        prose: "\(entry.context) changed \(change.object.alias) of version"
                            + " \(base.version), whose row no longer existed at the save in"
                            + " \(entry.step); the save succeeded without writing the change.",
                        evidence: [deletion, "\(entry.step): the save succeeded"].compactMap { $0 },
                        step: entry.step))
            }
        }
        return found
    }
}
