/// Finds references to rows that no longer exist, and deleted rows that exist again.
enum References {
    static func detect(in history: History) -> [Detection] {
        var rows: [ObjectName: Row] = [:]
        var deleted: [String: History.Entry] = [:]
        var found: [Detection] = []
        for entry in history.entries {
            guard case .saved(let save) = entry.event, save.target == .store else { continue }
            for change in save.changes {
                if let after = change.after {
                    if let deletion = deleted.removeValue(forKey: change.object.alias),
                        change.base != nil
                    {
                        found.append(resurrected(change.object, deletion, entry))
                    }
                    rows[change.object] = after
                } else {
                    rows[change.object] = nil
                    if change.before != nil { deleted[change.object.alias] = entry }
                }
            }
            found += dangling(rows, deleted, entry, history.schema)
        }
        return found
    }

    private static func dangling(
        _ rows: [ObjectName: Row], _ deleted: [String: History.Entry], _ entry: History.Entry,
        _ schema: History.Schema
    ) -> [Detection] {
        if deleted.isEmpty { return [] }
        let objects = rows.keys.sorted { $0.alias < $1.alias }
        return objects.flatMap { object -> [Detection] in
            let values = rows[object]?.values ?? []
            return values.enumerated().compactMap { slot, value in
                guard case .object(let alias) = value, let deletion = deleted[alias] else {
                    return nil
                }
                let key = schema.key(slot, of: object.entity)
                return Detection(
                    name: "dangling relationship",
                    prose: "\(object.alias).\(key) is \(alias), whose row \(deletion.context)"
                        + " deleted in \(deletion.step); after \(entry.step) the reference has"
                        + " no destination.",
                    evidence: [
                        "\(deletion.step): \(deletion.context) deleted \(alias)",
                        "\(entry.step): \(object.alias).\(key) is \(alias)",
                    ], step: entry.step)
            }
        }
    }

    private static func resurrected(
        _ object: ObjectName, _ deletion: History.Entry, _ entry: History.Entry
    ) -> Detection {
        Detection(
            name: "resurrected delete",
            prose: "\(deletion.context) deleted \(object.alias) in \(deletion.step);"
                + " \(entry.context) changed it from an older version, and its save brought the"
                + " row back.",
            evidence: [
                "\(deletion.step): \(deletion.context) deleted \(object.alias)",
                "\(entry.step): \(entry.context) wrote \(object.alias) again",
            ], step: entry.step)
    }
}
