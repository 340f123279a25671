/// Reads the indexes and uniqueness constraints of a model file.
extension ModelAssembler {
    func addIndexes(to entity: NSEntityDescription, _ element: XMLElement) {
        entity.indexes =
            element.children("fetchIndex").compactMap { fetchIndex($0, entity) }
            + compoundIndexes(element, entity) + attributeIndexes(element, entity)
        entity.uniquenessConstraints = element.children("uniquenessConstraints")
            .flatMap { $0.children("uniquenessConstraint") }
            .map { constraint in
                constraint.children("constraint").map { member in
                    checkMember(member, "value", of: entity, .unknownConstraintMember)
                }
            }
    }

    private func fetchIndex(
        _ element: XMLElement, _ entity: NSEntityDescription
    ) -> NSFetchIndexDescription? {
        guard let name = requiredName(of: element, "an index", entity: entity.name) else {
            return nil
        }
        let elements = element.children("fetchIndexElement").compactMap { indexElement($0, entity) }
        let index = NSFetchIndexDescription(name: name, elements: elements)
        if let text = element["partialIndexPredicate"], !text.isEmpty {
            switch FormatText.predicate(text) {
            case .success(let predicate): index.partialIndexPredicate = predicate
            case .failure(let error):
                report(
                    .badValue, element, "partialIndexPredicate", entity: entity.name,
                    "\(error).")
            }
        }
        return index
    }

    private func indexElement(
        _ element: XMLElement, _ entity: NSEntityDescription
    ) -> NSFetchIndexElementDescription? {
        guard let property = indexedProperty(element, entity) else { return nil }
        let made = NSFetchIndexElementDescription(
            property: property, collationType: element["type"] == "RTree" ? .rTree : .binary)
        made.isAscending = element["order"] != "descending"
        return made
    }

    /// The property that an index element names, or the expression that the element contains.
    private func indexedProperty(
        _ element: XMLElement, _ entity: NSEntityDescription
    ) -> NSPropertyDescription? {
        guard let text = element["expression"], !text.isEmpty else {
            let name = checkMember(element, "property", of: entity, .unknownIndexMember)
            return entity.propertiesByName[name]
        }
        let computed = NSExpressionDescription()
        computed.name = element["property"].flatMap { $0.isEmpty ? nil : $0 } ?? text
        switch FormatText.expression(text) {
        case .success(let expression): computed.expression = expression
        case .failure(let error):
            report(
                .badValue, element, "expression", entity: entity.name, "\(error).")
            return nil
        }
        return computed
    }

    /// Reads compound indexes, which older models contain in place of fetch indexes. They are named
    /// `compoundIndex`, `compoundIndex1`, …
    private func compoundIndexes(
        _ element: XMLElement, _ entity: NSEntityDescription
    ) -> [NSFetchIndexDescription] {
        let lists = element.children("compoundIndexes").flatMap { $0.children("compoundIndex") }
        return lists.enumerated().map { number, list in
            let members = list.children("index").compactMap { member in
                let name = checkMember(member, "value", of: entity, .unknownIndexMember)
                return entity.propertiesByName[name].map {
                    NSFetchIndexElementDescription(property: $0, collationType: .binary)
                }
            }
            let name = number == 0 ? "compoundIndex" : "compoundIndex\(number)"
            return NSFetchIndexDescription(name: name, elements: members)
        }
    }

    /// Creates an index `by<Attribute>` for each attribute with `indexed="YES"`.
    ///
    /// To-one relationships have an index in any case.
    private func attributeIndexes(
        _ element: XMLElement, _ entity: NSEntityDescription
    ) -> [NSFetchIndexDescription] {
        element.children("attribute").compactMap { child in
            guard let name = child["name"],
                flag(child, "indexed", entity: entity.name, property: name),
                let property = entity.propertiesByName[name], !property.isTransient
            else { return nil }
            return NSFetchIndexDescription(
                name: "by" + name.prefix(1).uppercased() + name.dropFirst(),
                elements: [
                    NSFetchIndexElementDescription(property: property, collationType: .binary)
                ])
        }
    }

    private func checkMember(
        _ element: XMLElement, _ attribute: String, of entity: NSEntityDescription,
        _ kind: ModelError.Kind
    ) -> String {
        let name = element[attribute] ?? ""
        if entity.propertiesByName[name] == nil {
            report(
                kind, element, attribute, entity: entity.name, property: name,
                "the entity has no property \"\(name)\"; \(known(entity.propertiesByName.keys)).")
        }
        return name
    }
}
