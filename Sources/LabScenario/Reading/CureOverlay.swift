/// Applies a cure (a corrected variant of a scenario) to the tree of its scenario. The cure
/// replaces only the keys that it contains.
enum CureOverlay {
    static func apply(_ cure: Tree, to root: Tree, problems: ProblemList) -> Tree {
        var entries = root.map ?? []
        entries.removeAll { $0.key.value == "cures" }
        for entry in cure.map ?? [] {
            switch entry.key.value {
            case "contexts", "sessions":
                replace(&entries, entry) { old, new in merge(old, new) { replaceKeys($0, $1) } }
            case "blocks":
                replace(&entries, entry) { old, new in merge(old, new) { _, new in new } }
            case "entities":
                mergeEntities(&entries, entry, problems)
            default:
                replace(&entries, entry) { _, new in new }
            }
        }
        return Tree(.map(entries), at: root.position)
    }

    private static func replace(
        _ entries: inout [Tree.Entry], _ new: Tree.Entry, combine: (Tree, Tree) -> Tree
    ) {
        if let at = entries.firstIndex(where: { $0.key.value == new.key.value }) {
            let value = combine(entries[at].value, new.value)
            entries[at] = Tree.Entry(key: entries[at].key, value: value)
        } else {
            entries.append(new)
        }
    }

    /// Merges two mappings. If a name is in both mappings, `combine` merges its two values.
    private static func merge(
        _ old: Tree, _ new: Tree, combine: (Tree, Tree) -> Tree
    ) -> Tree {
        var entries = old.map ?? []
        for entry in new.map ?? [] { replace(&entries, entry, combine: combine) }
        return Tree(.map(entries), at: old.position)
    }

    private static func replaceKeys(_ old: Tree, _ new: Tree) -> Tree {
        merge(old, new) { _, new in new }
    }

    private static func mergeEntities(
        _ entries: inout [Tree.Entry], _ new: Tree.Entry, _ problems: ProblemList
    ) {
        guard let at = entries.firstIndex(where: { $0.key.value == "model" }),
            let entities = entries[at].value["entities"]
        else {
            return problems.add(
                "a cure cannot change the entities of a model that is read from a file",
                at: new.key.position, instead: "write the model's entities into the scenario")
        }
        let merged = merge(entities, new.value) { _, new in new }
        let model = Tree.Entry(
            key: Located("entities", at: entities.position), value: merged)
        entries[at] = Tree.Entry(
            key: entries[at].key, value: Tree(.map([model]), at: entries[at].value.position))
    }
}
