import ScenarioWords

/// Writes the rows that exist at the beginning of a scenario.
struct SetupText {
    let initial: InitialRows
    let names: ModelNames
    let objectNames: ObjectNames
    let used: UsedModel

    func lines(_ values: inout ValueText) -> [String] {
        var inserts: [String] = []
        var links: [String] = []
        for object in initial.objects {
            var parts: [String] = []
            let known = initial.values[object] ?? [:]
            for (key, value) in known.sorted(by: { $0.key < $1.key })
            where used.needs(key, of: object.entity) {
                if names.relationship(key, of: object.entity) != nil {
                    guard case .object(let other) = value else { continue }
                    links.append(
                        "relate \(objectNames.name(object)).\(key) to \(objectNames.name(other))")
                } else if ScenarioName.isWord(key), !isDefault(value, key, of: object.entity),
                    let text = values.literal(value, key, of: object.entity)
                {
                    parts.append("\(key) = \(text)")
                }
            }
            let with = parts.isEmpty ? "" : " with \(parts.joined(separator: ", "))"
            inserts.append("insert \(object.entity) as \(objectNames.name(object))\(with)")
        }
        for (owner, key, member) in initial.members {
            links.append("relate \(objectNames.name(owner)).\(key) to \(objectNames.name(member))")
        }
        return inserts + links
    }

    /// Whether the value is the default value, which needs no assignment.
    private func isDefault(_ value: RecordedValue, _ key: String, of entity: String) -> Bool {
        value == .null && names.attribute(key, of: entity)?.defaultValue == .null
    }
}
