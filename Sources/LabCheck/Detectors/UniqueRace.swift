import ContextHistory

/// Finds two contexts that looked for the same object, did not find it, and both inserted it.
enum UniqueRace {
    private struct Look {
        let index: Int
        let entry: History.Entry
        let entity: Int
        let query: String
        let equals: [Int: ObservedValue]

        /// Whether the search would find a row, as far as its values are known.
        func finds(_ row: Row?) -> Bool {
            guard let row else { return false }
            return equals.allSatisfy { row.values[$0.key] == $0.value }
        }
    }

    static func detect(in history: History) -> [Detection] {
        let looks = looksWithoutResult(in: history)
        var found: [Detection] = []
        // Long recordings have many looks, so only those with an equal query are compared.
        let equal = Dictionary(grouping: looks.indices) { looks[$0].query }
        for position in looks.indices {
            let first = looks[position]
            for other in equal[first.query] ?? [] where other > position {
                let second = looks[other]
                guard first.entry.context != second.entry.context,
                    let one = insertion(after: first, in: history),
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
            guard case .looked(let entity, let query, _, 0, let equals) = entry.event else {
                return nil
            }
            return Look(
                index: index, entry: entry, entity: entity, query: query, equals: equals)
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
                    && look.finds($0.after)
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
