import ContextHistory

/// The dependencies between searches and the changes of rows that affect their results.
///
/// The lab does not evaluate predicates again. If a search compares with known values, it finds the
/// rows with these values. A search without a condition finds every row. For any other search, a
/// later search with the same text must have found the row.
struct SearchDependencies {
    /// The number of changes before and after a search that are compared with its result. Without a
    /// bound, long recordings would need hours.
    private static let changesMax = 500

    private let builder: DependencyBuilder
    /// The position of the last search of each query that found a row.
    private let lastFound: [String: [ObjectName: Int]]

    init(_ builder: DependencyBuilder) {
        self.builder = builder
        lastFound = builder.looks.reduce(into: [:]) { found, look in
            for object in look.found { found[look.query, default: [:]][object] = look.position }
        }
    }

    func all() -> [Dependency] {
        var next: [Int: Int] = [:]
        return builder.looks.flatMap { look in
            let changes = builder.rowChanges[look.entity] ?? []
            // Searches and changes are both in the order of the history.
            var middle = next[look.entity] ?? 0
            while middle < changes.count, changes[middle].position < look.position { middle += 1 }
            next[look.entity] = middle
            let first = max(0, middle - Self.changesMax)
            let end = min(changes.count, middle + Self.changesMax)
            return changes[first..<end].compactMap { dependency(look, $0) }
        }
    }

    private func dependency(
        _ look: DependencyBuilder.Look, _ changed: (unit: Int, position: Int, change: Save.Change)
    ) -> Dependency? {
        let change = changed.change
        let found = look.found.contains(change.object)
        let effect: Dependency.Effect =
            change.after == nil ? .deleted : change.before == nil ? .inserted : .changed
        let ground = Dependency.Ground.search(
            look.query, row: change.object.alias, effect)
        if changed.position < look.position {
            guard effect == .inserted, found else { return nil }
            return Dependency(
                kind: .writeRead, from: changed.unit, to: look.unit, ground)
        }
        let isAffected =
            switch effect {
            case .deleted: found
            case .inserted: belongs(change.after, change.object, to: look, after: changed.position)
            case .changed:
                found
                    ? isExcluded(change.after, by: look)
                    : look.isWhole
                        && belongs(change.after, change.object, to: look, after: changed.position)
            }
        return isAffected
            ? Dependency(kind: .readWrite, from: look.unit, to: changed.unit, ground) : nil
    }

    /// Whether the search would find a row if it ran after the change at this position.
    private func belongs(
        _ row: Row?, _ object: ObjectName, to look: DependencyBuilder.Look, after position: Int
    ) -> Bool {
        if !look.equals.isEmpty, let row {
            return look.equals.allSatisfy { row.values[$0.key] == $0.value }
        }
        if look.query == builder.schema.entities[look.entity].name { return true }
        return (lastFound[look.query]?[object] ?? 0) > position
    }

    private func isExcluded(_ row: Row?, by look: DependencyBuilder.Look) -> Bool {
        guard let row else { return true }
        return look.equals.contains { slot, value in
            row.values[slot] != value && row.values[slot] != .unknown
        }
    }
}
