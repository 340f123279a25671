/// Checks an inline model: parents, destinations, inverses and constraints must exist. The reader
/// runs this check before it compares the scenario with the model.
struct ModelCheck {
    let shape: ModelShape
    let problems: ProblemList

    func run() {
        for entity in shape.entities {
            checkParent(of: entity)
            checkNames(of: entity)
            for property in entity.properties { check(property, of: entity) }
            checkConstraints(of: entity)
        }
    }

    private var names: [String] { shape.entities.map(\.name.value) }

    private func checkParent(of entity: EntityShape) {
        guard let parent = entity.parent else { return }
        if shape.entity(named: parent.value) == nil {
            return problems.add(
                "unknown entity '\(parent.value)'", at: parent.position,
                instead: Suggestion.text(for: parent.value, among: names, kind: "entity"))
        }
        let ancestors = shape.lineage(of: parent.value).map(\.name.value)
        if ancestors.contains(entity.name.value) {
            problems.add(
                "'\(entity.name.value)' descends from itself", at: parent.position,
                instead: "remove the cycle of parents")
        }
    }

    private func checkNames(of entity: EntityShape) {
        if entity.name.value.first?.isUppercase != true {
            problems.add(
                "the entity '\(entity.name.value)' starts with a small letter",
                at: entity.name.position, instead: "start its name with a capital letter")
        }
        var seen: Set<String> = []
        let inherited = entity.parent.map { Set(shape.propertyNames(of: $0.value)) } ?? []
        for property in entity.properties {
            let name = property.name.value
            if !seen.insert(name).inserted || inherited.contains(name) {
                problems.add(
                    "'\(entity.name.value)' has the property '\(name)' twice",
                    at: property.name.position, instead: "give one of them another name")
            }
        }
    }

    private func check(_ property: PropertyShape, of entity: EntityShape) {
        guard let relationship = property.relationship else { return }
        let destination = relationship.destination
        guard shape.entity(named: destination.value) != nil else {
            return problems.add(
                "unknown entity '\(destination.value)'", at: destination.position,
                instead: Suggestion.text(for: destination.value, among: names, kind: "entity"))
        }
        guard let inverse = relationship.inverse else { return }
        let other = shape.property(named: inverse.value, of: destination.value)?.relationship
        guard let other else {
            let known = shape.propertyNames(of: destination.value).filter {
                shape.property(named: $0, of: destination.value)?.relationship != nil
            }
            return problems.add(
                "'\(destination.value)' has no relationship '\(inverse.value)'",
                at: inverse.position,
                instead: Suggestion.text(for: inverse.value, among: known, kind: "relationship"))
        }
        if other.inverse?.value != property.name.value {
            problems.add(
                "'\(destination.value).\(inverse.value)' does not name '\(property.name.value)'"
                    + " as its inverse",
                at: inverse.position,
                instead: "write 'inverse \(property.name.value)' on the other side")
        }
    }

    private func checkConstraints(of entity: EntityShape) {
        for key in entity.unique.flatMap({ $0 }) + [entity.onDelete].compactMap(\.self)
        where shape.property(named: key.value, of: entity.name.value) == nil {
            problems.add(
                "'\(entity.name.value)' has no property '\(key.value)'", at: key.position,
                instead: Suggestion.text(
                    for: key.value, among: shape.propertyNames(of: entity.name.value),
                    kind: "property"))
        }
    }
}
