/// Finds two contexts that looked for the same object, did not find it, and both inserted it.
enum UniqueRace {
    private struct Look {
        let index: Int
        let entry: History.Entry
        let entity: Int
        let query: String
    }

    static func detect(in history: History) -> [Detection] {
        let looks = looksWithoutResult(in: history)
        var found: [Detection] = []
        for (position, first) in looks.enumerated() {
            for second in looks[(position + 1)...]
            where second.query == first.query && second.entry.context != first.entry.context {
                guard let one = insertion(after: first, in: history),
                    let other = insertion(after: second, in: history),
                    one.index > second.index, other.index > first.index
                else { continue }
                found.append(detection(first, second, one, other, history))
            }
        }
        return found
    }

    private static func looksWithoutResult(in history: History) -> [Look] {
        history.entries.enumerated().compactMap { index, entry in
            guard case .looked(let entity, let query, _, 0) = entry.event else { return nil }
            return Look(index: index, entry: entry, entity: entity, query: query)
        }
    }

    /// The save that inserted a row of the searched entity from the context of this search.
    private static func insertion(
        after look: Look, in history: History
    ) -> (index: Int, entry: History.Entry, object: ObjectName)? {
        for (index, entry) in history.entries.enumerated().dropFirst(look.index + 1)
        where entry.context == look.entry.context {
            guard case .saved(let save) = entry.event else { continue }
            let inserted = save.changes.first {
                $0.object.entity == look.entity && $0.base == nil && $0.before == nil
                    && $0.after != nil
            }
            if let inserted { return (index, entry, inserted.object) }
        }
        return nil
    }

    private static func detection(
        _ first: Look, _ second: Look,
        _ one: (index: Int, entry: History.Entry, object: ObjectName),
        _ other: (index: Int, entry: History.Entry, object: ObjectName), _ history: History
    ) -> Detection {
        let entity = history.schema.entities[first.entity].name
        let last = one.index > other.index ? one : other
        return Detection(
            name: "unique race",
            prose: "\(first.entry.context) looked for \(first.query) and found nothing;"
                + " \(second.entry.context) also found nothing before the first save; each"
                + " inserted a new \(entity), and both were saved: \(one.object.alias) and"
                + " \(other.object.alias).",
            evidence: [
                "\(first.entry.step): \(first.entry.context) found nothing",
                "\(second.entry.step): \(second.entry.context) found nothing",
                "\(one.entry.step): \(one.entry.context) saved \(one.object.alias)",
                "\(other.entry.step): \(other.entry.context) saved \(other.object.alias)",
            ], step: last.entry.step)
    }
}
