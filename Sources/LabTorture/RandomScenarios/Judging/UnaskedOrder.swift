import LabRunner

/// Tells where two stores may give a list in different orders: the request asked for none, or for
/// one in which some are equal.
///
/// SQLite reads the index that is the shortest, other stores read rows as they come. What a
/// scenario does with the first of such a list, or with a window of it, differs from there on.
struct UnaskedOrder {
    private struct List {
        /// The key that the request sorts by.
        var key: String?
        /// Whether it cuts a window out.
        var isWindow = false
    }

    /// By the names that requests bind.
    private let lists: [String: List]
    /// `object.key` of what steps set: the end does not show what a request saw of it.
    private let changed: Set<String>

    init(_ draft: ScenarioDraft) {
        changed = Set(
            draft.statements.compactMap { statement -> String? in
                let words = statement.text.split(separator: " ")
                return words.count > 1 && words[0] == "set" ? String(words[1]) : nil
            })
        var lists: [String: List] = [:]
        for statement in draft.statements
        where ScenarioDraft.verb(of: statement.text) == "fetch" {
            let words = statement.text.split(separator: " ").map(String.init)
            guard let name = words.last, words.dropLast().last == "->" else { continue }
            let place = words.firstIndex(of: "sort")
            lists[name] = List(
                key: place.map { words[$0 + 1] },
                isWindow: words.contains("limit") || words.contains("offset"))
        }
        self.lists = lists
    }

    /// Whether such a list is another one in two ends.
    func differs(_ one: ScheduleEnd, _ other: ScheduleEnd) -> Bool {
        lists.contains { name, list in
            guard let left = one.values[name], let right = other.values[name], left != right
            else { return false }
            if list.isWindow { return true }
            let (mine, yours) = (Self.members(left), Self.members(right))
            guard mine.sorted() == yours.sorted() else { return false }
            guard let key = list.key else { return true }
            return zip(mine, yours).allSatisfy { mine, yours in
                guard let mine = value(mine, key, one), let yours = value(yours, key, one) else {
                    return true
                }
                return mine == yours
            }
        }
    }

    /// What a request saw; nil where the end does not tell.
    private func value(_ name: String, _ key: String, _ end: ScheduleEnd) -> String? {
        changed.contains("\(name).\(key)") ? nil : end.graph?.objects[name]?.attributes[key]
    }

    /// The names of a list's text.
    private static func members(_ text: String) -> [String] {
        text.split(whereSeparator: { "[], ".contains($0) }).map(String.init)
    }
}
