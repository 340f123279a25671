import ContextHistory

/// Finds two equal fetches of a context with different results. Another context saved an insertion
/// or a deletion in between.
enum Phantoms {
    private struct Question: Hashable {
        let context: String
        let query: String
    }

    static func detect(in history: History) -> [Detection] {
        var asked: [Question: (index: Int, step: String, found: Set<ObjectName>)] = [:]
        var found: [Detection] = []
        for (index, entry) in history.entries.enumerated() {
            switch entry.event {
            // A count returns no objects, so counts are not compared.
            case .looked(_, let query, let objects, let count, _) where objects.count == count:
                let question = Question(context: entry.context, query: query)
                let now = Set(objects)
                if let first = asked[question] {
                    found += detection(
                        entry, query, first.step, now.symmetricDifference(first.found),
                        history.entries[first.index..<index])
                }
                asked[question] = (index, entry.step, now)
            case .saved, .dropped: asked = asked.filter { $0.key.context != entry.context }
            default: break
            }
        }
        return found
    }

    private static func detection(
        _ entry: History.Entry, _ query: String, _ first: String, _ objects: Set<ObjectName>,
        _ between: ArraySlice<History.Entry>
    ) -> [Detection] {
        for other in between where other.context != entry.context {
            guard case .saved(let save) = other.event, save.target == .store else { continue }
            for change in save.changes where objects.contains(change.object) {
                guard (change.before == nil) != (change.after == nil) else { continue }
                let what = change.after == nil ? "deleted" : "inserted"
                return [
                    Detection(
                        name: "phantom",
                        prose: "\(entry.context) fetched \(query) in \(first) and again in"
                            + " \(entry.step); \(other.context) \(what) \(change.object.alias)"
                            + " in between, so the second result differs.",
                        evidence: [
                            "\(first): \(entry.context) fetched",
                            "\(other.step): \(other.context) \(what) \(change.object.alias)",
                            "\(entry.step): \(entry.context) fetched again",
                        ], step: entry.step)
                ]
            }
        }
        return []
    }
}
