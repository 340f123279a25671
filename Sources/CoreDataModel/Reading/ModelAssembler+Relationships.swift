/// Reads the relationships of a model file and sets their inverses.
extension ModelAssembler {
    func relationship(
        _ element: XMLElement, entity: String, name: String
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        let isToMany = flag(element, "toMany", entity: entity, property: name)
        relationship.minCount = count(
            element, "minCount", default: 0, entity: entity, property: name)
        let maximum = count(
            element, "maxCount", default: isToMany ? 0 : 1, entity: entity, property: name)
        relationship.maxCount = isToMany ? maximum : 1
        relationship.isOrdered = flag(element, "ordered", entity: entity, property: name)
        relationship.deleteRule = deleteRule(element, entity: entity, name: name)
        return relationship
    }

    private func deleteRule(
        _ element: XMLElement, entity: String, name: String
    ) -> NSDeleteRule {
        switch element["deletionRule"] {
        case nil, "No Action": return .noActionDeleteRule
        case "Nullify": return .nullifyDeleteRule
        case "Cascade": return .cascadeDeleteRule
        case "Deny": return .denyDeleteRule
        case .some(let text):
            report(
                .badValue, element, "deletionRule", entity: entity, property: name,
                "the delete rule \"\(text)\" is unknown; "
                    + "write Nullify, Cascade, Deny or No Action.")
            return .nullifyDeleteRule
        }
    }

    func linkRelationships(of entity: NSEntityDescription, _ element: XMLElement) {
        for child in element.children("relationship") {
            guard let name = child["name"],
                let relationship = entity.ownProperties.first(where: { $0.name == name })
                    as? NSRelationshipDescription
            else { continue }
            link(relationship, child, entity: entity.name, name: name)
        }
    }

    private func link(
        _ relationship: NSRelationshipDescription, _ element: XMLElement, entity: String?,
        name: String
    ) {
        guard let destinationName = element["destinationEntity"], !destinationName.isEmpty else {
            report(
                .missingDestination, element, entity: entity, property: name,
                "the relationship has no destination; write destinationEntity=\"…\".")
            return
        }
        guard let destination = entities[destinationName] else {
            report(
                .unknownDestination, element, "destinationEntity", entity: entity, property: name,
                "the entity \"\(destinationName)\" does not exist; \(known(entities.keys)).")
            return
        }
        relationship.destinationEntity = destination
        guard let inverseName = element["inverseName"], !inverseName.isEmpty else { return }
        let holder = element["inverseEntity"].flatMap { entities[$0] } ?? destination
        guard let inverse = holder.relationshipsByName[inverseName] else {
            report(
                .unknownInverse, element, "inverseName", entity: entity, property: name,
                "\"\(holder.name ?? "")\" has no relationship \"\(inverseName)\"; "
                    + "\(known(holder.relationshipsByName.keys)).")
            return
        }
        relationship.inverseRelationship = inverse
    }
}
