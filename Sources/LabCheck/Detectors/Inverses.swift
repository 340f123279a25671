import ContextHistory

/// Finds one-to-one relationships whose two ends disagree in the store.
enum Inverses {
    static func detect(in history: History) -> [Detection] {
        if history.schema.partners.allSatisfy(\.isEmpty) { return [] }
        var rows: [String: (object: ObjectName, row: Row)] = [:]
        /// The objects that have referred to each object.
        var referring: [String: Set<String>] = [:]
        var known: Set<String> = []
        var found: [Detection] = []
        for entry in history.entries {
            guard case .saved(let save) = entry.event, save.target == .store else { continue }
            var checked: Set<String> = []
            for change in save.changes {
                let alias = change.object.alias
                rows[alias] = change.after.map { (change.object, $0) }
                checked.insert(alias)
                checked.formUnion(referring[alias] ?? [])
                for case .object(let other) in change.after?.values ?? [] {
                    referring[other, default: []].insert(alias)
                }
            }
            // Only changed rows, and rows that refer to them, can disagree since this save.
            for (object, row) in checked.sorted().compactMap({ rows[$0] }) {
                for (slot, other) in history.schema.partners[object.entity].sorted(by: <) {
                    guard case .object(let alias) = row.values[slot], let end = rows[alias],
                        end.row.values.indices.contains(other),
                        end.row.values[other] != .object(object.alias),
                        end.row.values[other] != .unknown
                    else { continue }
                    let one = "\(object.alias).\(history.schema.key(slot, of: object.entity))"
                    let back = "\(alias).\(history.schema.key(other, of: end.object.entity))"
                    guard known.insert("\(one) \(alias)").inserted else { continue }
                    found.append(
                        Detection(
                            name: "broken inverse",
                            prose: "After \(entry.step) of \(entry.context) the store has \(one)"
                                + " = \(alias), and \(back) is"
                                + " \(end.row.values[other].quoted): the two ends disagree.",
                            evidence: [
                                "\(entry.step): \(one) = \(alias)",
                                "\(entry.step): \(back) = \(end.row.values[other].quoted)",
                            ], step: entry.step))
                }
            }
        }
        return found
    }
}
