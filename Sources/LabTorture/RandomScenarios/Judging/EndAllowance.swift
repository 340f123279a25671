import LabRunner

/// Tells why a schedule may end differently in two stores.
///
/// A request may ask for no order, or for one in which some are equal: SQLite reads the index that
/// is the shortest, other stores read rows as they come. What a scenario does with the first of
/// such a list, or with a window of it, differs from there on. A row may name another one that is
/// gone: SQLite looks at the key, other stores at the object.
struct EndAllowance {
    private struct List {
        /// The key that the request sorts by.
        var key: String?
        /// Whether it cuts a window out.
        var isWindow = false
        /// Whether its predicate looks at relationships.
        var followsLinks = false
    }

    /// By the names that requests bind.
    private let lists: [String: List]
    /// Whether a policy writes links that somebody else has changed.
    private let overwrites: Bool
    /// Whether a controller's sections depend on the order of equals.
    private let hasLooseSections: Bool
    /// Why rows may name others that are gone; nil where none can.
    private let danglingLinks: String?
    /// `object.key` of what steps set: the end does not show what a request saw of it.
    private let changed: Set<String>

    init(_ draft: ScenarioDraft) {
        changed = Set(
            draft.statements.compactMap { statement -> String? in
                let words = statement.text.split(separator: " ")
                return words.count > 1 && words[0] == "set" ? String(words[1]) : nil
            })
        lists = Self.lists(of: draft)
        overwrites = draft.contexts.contains { $0.policy == "overwrite" }
        hasLooseSections = draft.statements.contains { statement in
            let words = statement.text.split(separator: " ")
            guard words.first == "watch", let by = words.firstIndex(of: "by"),
                let sort = words.firstIndex(of: "sort")
            else { return false }
            return words[by + 1] != words[sort + 1]
        }
        danglingLinks =
            [AllowedDifference.linksToDeleted, .noAction].first { $0.applies(draft) }?.label
    }

    private static func lists(of draft: ScenarioDraft) -> [String: List] {
        let links = Set(draft.entities.flatMap(\.relationships).map(\.name))
        var lists: [String: List] = [:]
        for statement in draft.statements {
            let verb = ScenarioDraft.verb(of: statement.text)
            let words = statement.text.split(separator: " ").map(String.init)
            guard verb == "fetch" || verb == "count", let name = words.last,
                words.dropLast().last == "->"
            else { continue }
            let place = words.firstIndex(of: "sort")
            let list = List(
                key: place.map { words[$0 + 1] },
                isWindow: words.contains("limit") || words.contains("offset"),
                followsLinks: words.drop { $0 != "where" }.contains {
                    links.contains(String($0.prefix { $0 != "." }))
                })
            // How many there are is the same in every order.
            if verb == "fetch" || list.isWindow || list.followsLinks { lists[name] = list }
        }
        return lists
    }

    /// Why a schedule may end as it does in another store; nil where it may not.
    func reason(_ one: ScheduleEnd, _ replay: Replay) -> String? {
        switch replay {
        case .ended(let other): reason(one, other)
        case .hasOtherSteps: reasonForOtherSteps
        case .failed: nil
        }
    }

    private func reason(_ one: ScheduleEnd, _ other: ScheduleEnd) -> String? {
        if differs(one, other) || hasLooseSections && one.statuses != other.statuses {
            return AllowedDifference.unaskedOrder
        }
        if let danglingLinks, asksAboutLinks(one, other) { return danglingLinks }
        return isRestoredPlace(one, other) ? AllowedDifference.restoredPlace : nil
    }

    /// Why a schedule may not exist in another store: a context that merges has a step more for
    /// each save that changes something.
    private var reasonForOtherSteps: String? {
        lists.values.contains { $0.key == nil || $0.isWindow }
            ? AllowedDifference.unaskedOrder : danglingLinks
    }

    private func asksAboutLinks(_ one: ScheduleEnd, _ other: ScheduleEnd) -> Bool {
        lists.contains { name, list in
            list.followsLinks && one.values[name] != other.values[name]
        }
    }

    /// Whether two ends differ in nothing but the places of members, one of which was brought back:
    /// SQLite has it first, as a column without a number, other stores have it last.
    private func isRestoredPlace(_ one: ScheduleEnd, _ other: ScheduleEnd) -> Bool {
        guard
            overwrites || one.findings.contains(where: { $0.hasPrefix("resurrected delete") }),
            let mine = one.graph, let yours = other.graph
        else { return false }
        return mine.objects.mapValues(Self.sorted) == yours.objects.mapValues(Self.sorted)
    }

    private static func sorted(_ object: StoredGraph.Object) -> StoredGraph.Object {
        var object = object
        object.toMany = object.toMany.mapValues { $0.sorted() }
        return object
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
