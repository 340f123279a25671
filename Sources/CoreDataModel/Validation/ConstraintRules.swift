/// The rules for uniqueness constraints and indexes: their members are stored attributes or to-one
/// relationships of the entity.
extension ModelCheck {
    func constraintFindings(_ entity: NSEntityDescription) -> [ModelError.Finding] {
        entity.constraintNames.flatMap { names in
            names.compactMap { name in
                guard let problem = memberProblem(name, of: entity) else { return nil }
                return ModelError.Finding(
                    .unknownConstraintMember, entity: entity.name, property: name,
                    "a uniqueness constraint \(problem)")
            }
        }
    }

    func indexFindings(_ entity: NSEntityDescription) -> [ModelError.Finding] {
        // Two indexes may have the same name, as in models of real apps. They are treated as one
        // index.
        return entity.indexes.flatMap { index -> [ModelError.Finding] in
            func finding(
                _ kind: ModelError.Kind, _ message: String, property: String? = nil
            ) -> ModelError.Finding {
                ModelError.Finding(kind, entity: entity.name, property: property, message)
            }
            if index.name.isEmpty || index.name.contains("\0") {
                return [
                    finding(.badName, "\"\(index.name)\" cannot name an index; use another name.")
                ]
            }
            if index.elements.isEmpty {
                return [
                    finding(
                        .unknownIndexMember,
                        "index \"\(index.name)\" has no elements; name at least one property.")
                ]
            }
            return index.elements.compactMap { element in
                let name = element.propertyName ?? ""
                // A to-many relationship has no column, so the index omits it.
                if element.property is NSRelationshipDescription { return nil }
                if let computed = element.property as? NSExpressionDescription {
                    if computed.expression != nil { return nil }
                    return finding(
                        .unknownIndexMember,
                        "index \"\(index.name)\" has an element without an expression; set one.")
                }
                guard let problem = memberProblem(name, of: entity) else { return nil }
                return finding(
                    .unknownIndexMember, "index \"\(index.name)\" \(problem)", property: name)
            }
        }
    }

    /// The reason why a name cannot be a column of an index, or nil.
    private func memberProblem(_ name: String, of entity: NSEntityDescription) -> String? {
        guard !name.isEmpty else {
            return "has a member that is neither a name nor a property; use the name."
        }
        guard let property = entity.properties.first(where: { $0.name == name }) else {
            return "names \"\(name)\", which the entity does not have; name one of its properties."
        }
        if property.isTransient {
            return "names \"\(name)\", which is transient; name a stored property."
        }
        let isToOne = (property as? NSRelationshipDescription)?.isToMany == false
        if !isToOne && !(property is NSAttributeDescription) {
            return "names \"\(name)\", which has no column; "
                + "name an attribute or a to-one relationship."
        }
        return nil
    }
}
