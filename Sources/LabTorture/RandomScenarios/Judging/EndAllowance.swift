import LabRunner

/// Finds a permitted reason why a schedule has different final states in two stores.
///
/// Without a sort key, or with equal values of the key, SQLite returns rows in the order of an
/// index. Other stores return objects in any order. A scenario that uses the first object or a part
/// of such a list then continues differently.
///
/// A reference to a deleted row is another reason. SQLite compares keys, and other stores compare
/// objects.
struct EndAllowance {
    private struct List {
        var key: String?
        var isWindow = false
        var followsLinks = false
    }

    /// The lists that requests read, by the names that steps give them.
    private let lists: [String: List]
    /// Whether a policy overwrites links that another context has changed.
    private let overwrites: Bool
    /// Whether the sections of a results controller depend on the order of objects with equal keys.
    private let hasLooseSections: Bool
    /// The reason why rows may refer to deleted rows; nil if no row may refer to one.
    private let danglingLinks: String?
    /// The names `object.key` of all values that steps change. The final state does not show which
    /// version of such a value a request read.
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
            // A count without a limit or an offset does not depend on the order.
            if verb == "fetch" || list.isWindow || list.followsLinks { lists[name] = list }
        }
        return lists
    }

    /// The reason for a different final state in another store; nil if the difference is not
    /// permitted.
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

    /// The reason why a schedule of one store may not exist in another store. The steps can differ,
    /// because a merging context has an additional step for each save with changes.
    private var reasonForOtherSteps: String? {
        lists.values.contains { $0.key == nil || $0.isWindow }
            ? AllowedDifference.unaskedOrder : danglingLinks
    }

    private func asksAboutLinks(_ one: ScheduleEnd, _ other: ScheduleEnd) -> Bool {
        lists.contains { name, list in
            list.followsLinks && one.values[name] != other.values[name]
        }
    }

    /// Whether two final states differ only in the position of a member that was deleted and
    /// restored. In SQLite the member comes first, because its column contains no position. In
    /// other stores it comes last.
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

    /// Whether two final states differ in a list whose order is not determined. The list has no
    /// sort key, or has equal keys.
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

    /// The value that a request read; nil if a step changed it, because the final state then does
    /// not show it.
    private func value(_ name: String, _ key: String, _ end: ScheduleEnd) -> String? {
        changed.contains("\(name).\(key)") ? nil : end.graph?.objects[name]?.attributes[key]
    }

    private static func members(_ text: String) -> [String] {
        text.split(whereSeparator: { "[], ".contains($0) }).map(String.init)
    }
}
