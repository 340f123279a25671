/// The rules for the names of properties.
extension ModelCheck {
    func propertyFindings(_ entity: NSEntityDescription) -> [ModelError.Finding] {
        var found: [ModelError.Finding] = []
        let inherited = NSEntityDescription.byName(entity.inheritedProperties)
        var seen: Set<String> = []
        for property in entity.ownProperties {
            let name = property.name
            func add(_ kind: ModelError.Kind, _ message: String) {
                found.append(
                    ModelError.Finding(
                        kind, entity: entity.name, property: name, message))
            }
            if name.isEmpty {
                add(.missingName, "a property has no name; \(Self.nameRule).")
            } else if !Self.isUsable(name) {
                add(.badName, "\"\(name)\" cannot name a property; \(Self.nameRule).")
            }
            if !seen.insert(name).inserted {
                add(.duplicateProperty, "two properties have this name; rename one of them.")
            } else if let other = inherited[name] {
                add(
                    .inheritedProperty,
                    "the name is inherited from \"\(other.owner?.name ?? "")\"; "
                        + "remove the property or rename it.")
            }
            if property.owner !== entity {
                add(
                    .duplicateProperty,
                    "the property is also in another entity; add a copy to this entity.")
            }
        }
        return found
    }
}
