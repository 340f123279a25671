/// The invariants of layouts. A layout never changes, so they are checked once, when a model is
/// frozen.
extension EntityLayout {
    package func brokenInvariant() -> String? {
        if familyRange.isEmpty || familyRange.lowerBound != index {
            return "The family of \(name) does not begin with \(name)."
        }
        if let superIndex {
            if superIndex >= index || rootIndex > superIndex {
                return "\(name) comes before an entity that it descends from."
            }
        } else if rootIndex != index {
            return "\(name) has no superentity and is not its own root."
        }
        for (slot, value) in values.enumerated() {
            if valueSlot(named: value.name) != slot {
                return "\(name).\(value.name) cannot be found by its name."
            }
            let isToOne = value.toOne != nil
            if (value.kind == .toOne) != isToOne || self.isToOne(slot) != isToOne {
                return "\(name).\(value.name) must have a to-one kind and a to-one target, or none."
            }
        }
        for (slot, relationship) in toMany.enumerated()
        where toManySlot(named: relationship.name) != slot {
            return "\(name).\(relationship.name) cannot be found by its name."
        }
        let named =
            uniquenessConstraints.flatMap(\.slots)
            + indexes.flatMap(\.elements).compactMap(\.slot)
        if !named.allSatisfy({ values.indices.contains($0) }) {
            return "A constraint or an index of \(name) names an unknown slot."
        }
        return nil
    }
}

extension ModelLayout {
    /// A description of the first broken invariant, or nil. Checks every slot of every entity.
    package func brokenInvariant() -> String? {
        for (place, entity) in entities.enumerated() {
            if let broken = entity.brokenInvariant() { return broken }
            if entity.index != place {
                return "The index of \(entity.name) is not its position in the model."
            }
            if entity.familyRange.upperBound > entities.count {
                return "The family of \(entity.name) has more entities than the model."
            }
        }
        for entity in entities {
            if let broken = brokenInheritance(of: entity) { return broken }
            if let broken = brokenInverse(of: entity) { return broken }
        }
        return nil
    }

    /// Checks that each slot has the same meaning in an entity and its superentity.
    private func brokenInheritance(of entity: EntityLayout) -> String? {
        guard let superIndex = entity.superIndex else { return nil }
        let parent = entities[superIndex]
        let family = parent.familyRange
        if entity.familyRange.upperBound > family.upperBound || entity.rootIndex != parent.rootIndex
            || entity.tableName != parent.tableName
        {
            return "\(entity.name) is not in the family of \(parent.name)."
        }
        let own = entity.values.prefix(parent.values.count)
        let isSame = own.elementsEqual(parent.values) {
            $0.name == $1.name && $0.kind == $1.kind && $0.column == $1.column
        }
        let lists = entity.toMany.prefix(parent.toMany.count)
        if !isSame || !lists.elementsEqual(parent.toMany, by: { $0.name == $1.name }) {
            return "A slot of \(parent.name) differs in the subentity \(entity.name)."
        }
        return nil
    }

    /// Checks that the inverse of a relationship belongs to the destination entity, and has the
    /// relationship as its inverse.
    private func brokenInverse(of entity: EntityLayout) -> String? {
        for (slot, value) in entity.values.enumerated() {
            guard let toOne = value.toOne else { continue }
            if !leadsBack(toOne.inverse, from: toOne.destinationIndex, to: .value(slot)) {
                return "\(entity.name).\(value.name) is not the inverse of its own inverse."
            }
        }
        for (slot, relationship) in entity.toMany.enumerated()
        where !leadsBack(
            relationship.inverse, from: relationship.destinationIndex, to: .toMany(slot))
        {
            return "\(entity.name).\(relationship.name) is not the inverse of its own inverse."
        }
        return nil
    }

    private func leadsBack(
        _ inverse: InverseSlot, from destination: Int, to wanted: InverseSlot
    ) -> Bool {
        guard entities.indices.contains(destination) else { return false }
        let destination = entities[destination]
        switch inverse {
        case .none: return true
        case .value(let slot):
            guard destination.values.indices.contains(slot) else { return false }
            return destination.values[slot].toOne?.inverse == wanted
        case .toMany(let slot):
            guard destination.toMany.indices.contains(slot) else { return false }
            return destination.toMany[slot].inverse == wanted
        }
    }
}
