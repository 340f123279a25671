import ContextHistory

/// Finds two contexts that looked for the same object and did not find it. Both then inserted it.
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
        let saves = insertingSaves(in: history)
        let insertions = looks.map { insertion(after: $0, in: saves[$0.entry.context] ?? []) }
        var found: [Detection] = []
        // Long recordings have many looks, so only those with an equal query are compared.
        let equal = Dictionary(grouping: looks.indices) { looks[$0].query }
        for position in looks.indices {
            let first = looks[position]
            guard let one = insertions[position] else { continue }
            for next in equal[first.query] ?? [] where next > position {
                let second = looks[next]
                guard first.entry.context != second.entry.context, let other = insertions[next],
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

    private typealias Insertion = (index: Int, entry: History.Entry, object: ObjectName)

    /// The saves of each context that inserted rows, with these rows.
    private static func insertingSaves(
        in history: History
    ) -> [String: [(index: Int, entry: History.Entry, rows: [Save.Change])]] {
        var found: [String: [(index: Int, entry: History.Entry, rows: [Save.Change])]] = [:]
        for (index, entry) in history.entries.enumerated() {
            guard case .saved(let save) = entry.event else { continue }
            let rows = save.changes.filter {
                $0.base == nil && $0.before == nil && $0.after != nil
            }
            if !rows.isEmpty { found[entry.context, default: []].append((index, entry, rows)) }
        }
        return found
    }

    /// The save by which the searching context inserted a matching row after its search.
    private static func insertion(
        after look: Look, in saves: [(index: Int, entry: History.Entry, rows: [Save.Change])]
    ) -> Insertion? {
        for save in saves where save.index > look.index {
            let inserted = save.rows.first {
                $0.object.entity == look.entity && look.finds($0.after)
            }
            if let inserted { return (save.index, save.entry, inserted.object) }
        }
        return nil
    }

    private static func detection(
        _ first: Look, _ second: Look, _ one: Insertion, _ other: Insertion, _ history: History
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
