import ContextHistory

/// Finds merges of rows that were already deleted, repeated merges, and missing merges. After a
/// missing merge, a context still holds an old row at the end.
enum Merges {
    static func detect(in history: History) -> [Detection] {
        var deleted: [ObjectName: History.Entry] = [:]
        var latest: [ObjectName: (entry: History.Entry, row: Row)] = [:]
        var listeners: [String: [String]] = [:]
        var merged: [String: [Merge]] = [:]
        var found: [Detection] = []
        for entry in history.entries {
            switch entry.event {
            case .saved(let save) where save.target == .store:
                for change in save.changes {
                    if let after = change.after {
                        if after != change.before { latest[change.object] = (entry, after) }
                    } else {
                        deleted[change.object] = entry
                        latest[change.object] = nil
                    }
                }
            case .merged(let merge):
                found += late(merge, entry, deleted)
                found += duplicated(merge, entry, &merged)
            case .listens(let sources): listeners[entry.context] = sources
            case .held(let object, let row):
                found += missed(object, row, entry, latest[object], listeners[entry.context] ?? [])
            default: break
            }
        }
        return found
    }

    private static func late(
        _ merge: Merge, _ entry: History.Entry, _ deleted: [ObjectName: History.Entry]
    ) -> [Detection] {
        (merge.inserted + merge.updated).compactMap { object in
            guard let deletion = deleted[object] else { return nil }
            return Detection(
                name: "late merge",
                prose:
                    "\(merge.source) saved \(object.alias) in \(merge.savedIn); it was deleted in"
                    + " \(deletion.step); after that, \(merge.savedIn) was merged into"
                    + " \(entry.context), which refreshed a row that no longer exists.",
                evidence: [
                    "\(merge.savedIn): \(merge.source) saved \(object.alias)",
                    "\(deletion.step): \(deletion.context) deleted \(object.alias)",
                    "\(entry.step): \(entry.context) merged \(merge.savedIn)",
                ], step: entry.step)
        }
    }

    private static func duplicated(
        _ merge: Merge, _ entry: History.Entry, _ merged: inout [String: [Merge]]
    ) -> [Detection] {
        defer { merged[entry.context, default: []].append(merge) }
        guard merged[entry.context]?.contains(merge) == true else { return [] }
        return [
            Detection(
                name: "duplicated merge",
                prose: "\(entry.context) merged the save of \(merge.source) in"
                    + " \(merge.savedIn) a second time.",
                evidence: [
                    "\(merge.savedIn): \(merge.source) saved",
                    "\(entry.step): \(entry.context) merged \(merge.savedIn) again",
                ], step: entry.step)
        ]
    }

    /// The finding for a context that merges the saves of some contexts, but not those of the
    /// saving context.
    private static func apart(
        _ object: ObjectName, _ row: Row, _ entry: History.Entry,
        _ latest: (entry: History.Entry, row: Row), _ sources: [String]
    ) -> Detection {
        Detection(
            name: "no convergence",
            prose: "\(latest.entry.context) saved \(object.alias) as version"
                + " \(latest.row.version) in \(latest.entry.step); \(entry.context) merges from"
                + " \(sources.joined(separator: ", ")) but not from that context, and holds"
                + " version \(row.version) at the end.",
            evidence: [
                "\(latest.entry.step): \(latest.entry.context) saved \(object.alias)",
                "end: \(entry.context) holds version \(row.version)",
            ], step: latest.entry.step)
    }

    private static func missed(
        _ object: ObjectName, _ row: Row, _ entry: History.Entry,
        _ latest: (entry: History.Entry, row: Row)?, _ sources: [String]
    ) -> [Detection] {
        guard let latest, latest.entry.context != entry.context, row.version < latest.row.version,
            row.values != latest.row.values
        else { return [] }
        guard sources.contains(latest.entry.context) else {
            return sources.isEmpty ? [] : [apart(object, row, entry, latest, sources)]
        }
        return [
            Detection(
                name: "missed merge",
                prose: "\(latest.entry.context) saved \(object.alias) as version"
                    + " \(latest.row.version) in \(latest.entry.step); \(entry.context) merges"
                    + " that context's saves, but holds version \(row.version) at the end.",
                evidence: [
                    "\(latest.entry.step): \(latest.entry.context) saved \(object.alias)",
                    "end: \(entry.context) holds version \(row.version)",
                ], step: latest.entry.step)
        ]
    }
}
