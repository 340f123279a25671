import LabRunner

/// Tells where two stores may give a list in different orders: the request asked for none.
///
/// SQLite reads the index that is the shortest, other stores read rows as they come. What a
/// scenario does with the first of such a list, or with a window of it, differs from there on.
struct UnaskedOrder {
    /// The names that unordered requests of a draft bind, and whether they cut a window out.
    private let lists: [String: Bool]

    init(_ draft: ScenarioDraft) {
        var lists: [String: Bool] = [:]
        for statement in draft.statements where ScenarioDraft.verb(of: statement.text) == "fetch" {
            let words = statement.text.split(separator: " ")
            guard let name = words.last, words.dropLast().last == "->", !words.contains("sort")
            else { continue }
            lists[String(name)] = words.contains("limit") || words.contains("offset")
        }
        self.lists = lists
    }

    /// Whether such a list is another one in two ends.
    func differs(_ one: ScheduleEnd, _ other: ScheduleEnd) -> Bool {
        lists.contains { name, isWindow in
            guard let left = one.values[name], let right = other.values[name], left != right
            else { return false }
            return isWindow || left.sorted() == right.sorted()
        }
    }
}
