/// The rules for relationships: the destination is in the model, and two inverses refer to each
/// other.
extension ModelCheck {
    func relationshipFindings(
        _ relationship: NSRelationshipDescription, in entity: NSEntityDescription
    ) -> [ModelError.Finding] {
        var found: [ModelError.Finding] = []
        func add(_ kind: ModelError.Kind, _ message: String) {
            found.append(
                ModelError.Finding(
                    kind, entity: entity.name, property: relationship.name, message))
        }
        let (low, high) = (relationship.minCount, relationship.maxCount)
        // In existing models, a negative maximum means "no limit".
        if low < 0 || (high > 0 && low > high) {
            add(
                .badCount,
                "minCount is \(low) and maxCount \(high); "
                    + "use 0 ≤ minCount ≤ maxCount, or maxCount 0 for no limit.")
        }
        guard let destination = relationship.destinationEntity else {
            add(.missingDestination, "the relationship has no destination; set destinationEntity.")
            return found
        }
        guard members.contains(ObjectIdentifier(destination)) else {
            add(
                .unknownDestination,
                "the destination \"\(destination.name ?? "")\" is not in the model; "
                    + "add it to the model's entities.")
            return found
        }
        if let inverse = relationship.inverseRelationship {
            if let message = inverseProblem(relationship, inverse, destination, in: entity) {
                add(.inverseNotMutual, message)
            }
        }
        return found
    }

    private func inverseProblem(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription,
        _ destination: NSEntityDescription, in entity: NSEntityDescription
    ) -> String? {
        let name = "\(inverse.owner?.name ?? "?").\(inverse.name)"
        guard let owner = inverse.owner, destination.isKindOf(entity: owner) else {
            return "the inverse \(name) is not a relationship of the destination "
                + "\"\(destination.name ?? "")\"; choose a relationship of the destination."
        }
        guard inverse.inverseRelationship === relationship else {
            let other = inverse.inverseRelationship?.name ?? "nothing"
            return "the inverse \(name) has the inverse \(other); "
                + "set both as inverses of each other."
        }
        guard let back = inverse.destinationEntity,
            back.isKindOf(entity: entity) || entity.isKindOf(entity: back)
        else {
            let other = inverse.destinationEntity?.name ?? "nothing"
            return "the destination of the inverse \(name) is \"\(other)\"; "
                + "set it to \"\(entity.name ?? "")\"."
        }
        return nil
    }
}
