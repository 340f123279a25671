import ContextHistory

/// Finds references to rows that no longer exist, and deleted rows that exist again.
enum References {
    static func detect(in history: History) -> [Detection] {
        var links = Links()
        var deleted: [String: History.Entry] = [:]
        var found: [Detection] = []
        for entry in history.entries {
            guard case .saved(let save) = entry.event, save.target == .store else { continue }
            for change in save.changes {
                links.note(change.object, change.after)
                if change.after != nil {
                    if let deletion = deleted.removeValue(forKey: change.object.alias),
                        change.base != nil, change.before == nil
                    {
                        found.append(resurrected(change.object, deletion, entry))
                    }
                } else if change.before != nil {
                    deleted[change.object.alias] = entry
                }
            }
            found += links.leading(to: deleted).map { link, deletion in
                dangling(link, deletion, entry, history.schema)
            }
        }
        return found
    }

    /// A to-one value of a row.
    private struct Link: Hashable {
        let object: ObjectName
        let slot: Int
        let destination: String
    }

    /// The to-one values of all rows. Long recordings have many rows, so the links are found by
    /// their destinations.
    private struct Links {
        private var own: [ObjectName: [Link]] = [:]
        private var byDestination: [String: Set<Link>] = [:]

        /// Replaces the links of a row; nil for a deleted row.
        mutating func note(_ object: ObjectName, _ row: Row?) {
            for link in own[object] ?? [] { byDestination[link.destination]?.remove(link) }
            let links = (row?.values ?? []).enumerated().compactMap { slot, value -> Link? in
                guard case .object(let alias) = value else { return nil }
                return Link(object: object, slot: slot, destination: alias)
            }
            own[object] = links.isEmpty ? nil : links
            for link in links { byDestination[link.destination, default: []].insert(link) }
        }

        /// The links to deleted rows, with the deletions, in the order of their rows.
        func leading(
            to deleted: [String: History.Entry]
        ) -> [(Link, History.Entry)] {
            if byDestination.isEmpty { return [] }
            return deleted.flatMap { alias, deletion in
                (byDestination[alias] ?? []).map { ($0, deletion) }
            }.sorted {
                ($0.0.object.alias, $0.0.slot) < ($1.0.object.alias, $1.0.slot)
            }
        }
    }

    private static func dangling(
        _ link: Link, _ deletion: History.Entry, _ entry: History.Entry, _ schema: History.Schema
    ) -> Detection {
        let name = "\(link.object.alias).\(schema.key(link.slot, of: link.object.entity))"
        return Detection(
            name: "dangling relationship",
            prose: "\(name) is \(link.destination), whose row \(deletion.context) deleted in"
                + " \(deletion.step); after \(entry.step) the reference has no destination.",
            evidence: [
                "\(deletion.step): \(deletion.context) deleted \(link.destination)",
                "\(entry.step): \(name) is \(link.destination)",
            ], step: entry.step)
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
