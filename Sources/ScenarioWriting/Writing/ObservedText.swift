import ScenarioWords

/// Writes the observations at the end of a scenario, with their values in the recorded run.
struct ObservedText {
    /// The maximum number of rows in a list, so that the list remains readable.
    private static let rowsMax = 12
    private static let observationsMax = 60

    let cut: RunCut
    let names: ModelNames
    let initial: InitialRows
    let final: FinalRows
    let steps: StepBuilder

    private struct Observation {
        let name: String
        let words: String
        /// The value in the recorded run; nil if the value is unknown.
        let seen: String?
    }

    func made() -> (lines: [String], values: ValueText) {
        var values = steps.values
        let isDeadlock = steps.saves.contains { $0.status == "deadlock" }
        var all = statuses()
        if !isDeadlock { all = rows(&values) + all }
        if all.isEmpty { all = counts(of: Array(touchedEntities.sorted().prefix(1))) }
        if all.isEmpty, let last = steps.order.last {
            all = [Observation(name: "end-of-\(last)", words: "status \(last)", seen: "ok")]
        }
        all = Array(all.prefix(Self.observationsMax))
        var lines = ["", "observe:"]
        lines += all.map { "  \($0.name): \($0.words.inSingleQuotes)" }
        lines += ["", "headline: [\(all.prefix(4).map(\.name).joined(separator: ", "))]"]
        lines += ["", "outcomes:", "  - grade: interesting", "    is:"]
        lines += all.filter { $0.seen != nil }.map { "      \($0.name): \($0.seen ?? "")" }
        if isDeadlock { lines.append("    finding: deadlock") }
        lines.append("    because: The recorded run had this outcome.")
        lines += isDeadlock ? Self.noDeadlock(all) : Self.serial
        return (lines, values)
    }

    private static let serial = [
        "  - grade: acceptable", "    is: serial",
        "    because: Running one context after another has this result.",
    ]

    private static func noDeadlock(_ all: [Observation]) -> [String] {
        ["  - grade: acceptable", "    is:"]
            + all.filter { $0.seen != nil }.map { "      \($0.name): ok" }
            + ["    because: No two contexts wait for each other."]
    }

    private func statuses() -> [Observation] {
        var told: Set<String> = []
        return steps.saves.compactMap { save in
            guard told.insert(save.step).inserted else { return nil }
            return Observation(
                name: "end-of-\(save.step)", words: "status \(save.step)", seen: save.status)
        }
    }

    private var touchedEntities: Set<String> {
        var found: Set<String> = []
        for operation in cut.operations {
            switch operation.action {
            case .insert(let object), .delete(let object), .set(let object, _, _, _),
                .link(let object, _, _), .unlink(let object, _, _):
                found.insert(object.entity)
            case .batch(.insert(let entity, _, _)), .batch(.deleteObjects(let entity, _, _)):
                found.insert(entity)
            case .batch(.delete(let query)): found.insert(query.entity)
            case .fetch(let query, _, _), .count(let query, _), .batch(.update(let query, _)),
                .watch(_, let query, _, _, _):
                if found.isEmpty { found.insert(query.entity) }
            default: break
            }
        }
        return found
    }

    private var hasBatches: Bool {
        cut.operations.contains { operation in
            if case .batch = operation.action { return true }
            return false
        }
    }

    private func counts(of entities: [String]) -> [Observation] {
        entities.map { entity in
            let family = final.values.keys.count { object in
                names.line(of: object.entity).contains { $0.name == entity }
            }
            return Observation(
                name: "number-of-\(entity)", words: "count \(entity)",
                seen: hasBatches ? nil : "\(family)")
        }
    }

    private func rows(_ values: inout ValueText) -> [Observation] {
        var changed: [RecordedObject: Set<String>] = [:]
        var counted: Set<String> = []
        var owners: [RecordedObject: Set<String>] = [:]
        for operation in cut.operations {
            switch operation.action {
            case .insert(let object), .delete(let object): counted.insert(object.entity)
            case .set(let object, let key, _, _):
                changed[object, default: []].insert(key)
                for (owner, many) in ends(of: object, key) {
                    owners[owner, default: []].insert(many)
                }
            case .readMembers(let owner, let key, _, _): owners[owner, default: []].insert(key)
            default: break
            }
        }
        var all = counts(of: counted.sorted())
        for object in initial.objects {
            for key in (changed[object] ?? []).sorted() {
                if let made = value(of: object, key, &values) { all.append(made) }
            }
            for key in (owners[object] ?? []).sorted() {
                if let made = members(of: object, key) { all.append(made) }
            }
        }
        for entity in counted.sorted() { all += lists(of: entity, changed, &values) }
        return all
    }

    /// The to-many relationships that an object's to-one relationship changes: those of its initial
    /// and of its final destination.
    private func ends(of object: RecordedObject, _ key: String) -> [(RecordedObject, String)] {
        guard let inverse = names.relationship(key, of: object.entity)?.inverse else { return [] }
        var found: [(RecordedObject, String)] = []
        for values in [initial.values[object], final.values[object]] {
            guard case .object(let owner)? = values?[key], initial.contains(owner),
                names.relationship(inverse, of: owner.entity)?.count != .one
            else { continue }
            found.append((owner, inverse))
        }
        return found
    }

    private func value(
        of object: RecordedObject, _ key: String, _ values: inout ValueText
    ) -> Observation? {
        guard names.attribute(key, of: object.entity)?.kind != nil, ScenarioName.isWord(key) else {
            return nil
        }
        let name = steps.objectNames.name(object)
        var seen: String?
        if let row = final.values[object] {
            seen = row[key].flatMap {
                values.literal($0, key, of: object.entity, isObserved: true)
            }
        } else {
            seen = "none"
        }
        return Observation(
            name: "\(key)-of-\(name)", words: "read \(object.entity).\(key) where SELF == $\(name)",
            seen: seen)
    }

    private func members(of owner: RecordedObject, _ key: String) -> Observation? {
        guard let relationship = names.relationship(key, of: owner.entity),
            let inverse = relationship.inverse,
            names.relationship(inverse, of: relationship.destination)?.count == .one,
            final.values[owner] != nil
        else { return nil }
        let count = final.values.values.count { $0[inverse] == .object(owner) }
        let name = steps.objectNames.name(owner)
        return Observation(
            name: "\(key)-of-\(name)", words: "read \(owner.entity).\(key) where SELF == $\(name)",
            seen: "\(count)")
    }

    /// For each attribute that the program has set on new objects, the sorted values of all rows of
    /// the entity.
    private func lists(
        of entity: String, _ changed: [RecordedObject: Set<String>], _ values: inout ValueText
    ) -> [Observation] {
        let rows = final.values.filter { $0.key.entity == entity }
        guard rows.count <= Self.rowsMax, !hasBatches,
            names.line(of: entity).count == 1
        else { return [] }
        let keys = changed.filter { $0.key.entity == entity && !initial.contains($0.key) }
            .reduce(into: Set<String>()) { $0.formUnion($1.value) }
        return keys.sorted().compactMap { key in
            guard let kind = names.attribute(key, of: entity)?.kind, ScenarioName.isWord(key) else {
                return nil
            }
            let found = rows.map { $0.value[key] ?? .null }
            var texts = found.compactMap {
                values.literal($0, key, of: entity, isObserved: true)
            }
            guard texts.count == rows.count, !texts.contains("\"*\"") else { return nil }
            texts = Self.inStoreOrder(texts, kind)
            let list = texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
            return Observation(
                name: "every-\(key)-of-\(entity)", words: "read \(entity).\(key) sort \(key)",
                seen: texts.isEmpty ? "none" : list)
        }
    }

    /// Compares two values in the order of the store: nil first, numbers by size, strings by their
    /// bytes.
    private static func inStoreOrder(_ texts: [String], _ kind: RecordedAttribute.Kind) -> [String]
    {
        texts.sorted { left, right in
            if left == "nil" || right == "nil" { return left == "nil" && right != "nil" }
            let digits = [left, right].map { $0.filter { $0 != "\"" } }
            if let first = Double(digits[0]), let second = Double(digits[1]), kind != .string {
                return first < second
            }
            return Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8))
        }
    }
}
