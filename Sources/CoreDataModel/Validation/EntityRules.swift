/// Rules about entities: names, membership and inheritance.
extension ModelCheck {
    func duplicateEntities() -> [ModelError.Finding] {
        var seen: Set<String> = []
        return model.entities.compactMap { entity in
            guard let name = entity.name, !seen.insert(name).inserted else { return nil }
            return ModelError.Finding(
                .duplicateEntity, entity: name,
                "two entities are named \"\(name)\"; rename one of them.")
        }
    }

    func configurationFindings() -> [ModelError.Finding] {
        model.configurations.flatMap { configuration in
            (model.entities(forConfigurationName: configuration) ?? [])
                .filter { !members.contains(ObjectIdentifier($0)) }
                .map { entity in
                    ModelError.Finding(
                        .foreignEntity, entity: entity.name,
                        "configuration \"\(configuration)\" lists an entity that is not in the "
                            + "model; add it to the model's entities.")
                }
        }
    }

    func entityFindings(_ entity: NSEntityDescription) -> [ModelError.Finding] {
        var found: [ModelError.Finding] = []
        let name = entity.name ?? ""
        func add(_ kind: ModelError.Kind, _ message: String) {
            found.append(ModelError.Finding(kind, entity: name, message))
        }
        if name.isEmpty {
            add(.missingName, "an entity has no name; \(Self.nameRule).")
        } else if !Self.isUsable(name) {
            add(.badName, "\"\(name)\" cannot name an entity; \(Self.nameRule).")
        }
        if entity.managedObjectClassName.isEmpty {
            add(.missingClassName, "the class name is empty; set a name or omit it.")
        }
        if entity.ownerModel !== model {
            add(
                .foreignEntity,
                "the entity is also in another model; add a copy to one of the models.")
        }
        if let parent = entity.superentity, !members.contains(ObjectIdentifier(parent)) {
            add(
                .unknownSuperentity,
                "the superentity \"\(parent.name ?? "")\" is not in the model; "
                    + "add it to the model's entities.")
        }
        for child in entity.subentities where !members.contains(ObjectIdentifier(child)) {
            add(
                .foreignEntity,
                "the subentity \"\(child.name ?? "")\" is not in the model; "
                    + "add it to the model's entities.")
        }
        for child in entity.subentities where child.superentity !== entity {
            add(
                .superentityCycle,
                "the subentity \"\(child.name ?? "")\" has another superentity; "
                    + "list it below only one entity.")
        }
        if entity.ancestors.last?.superentity != nil {
            add(.superentityCycle, "the entity descends from itself; remove the cycle.")
        }
        return found
    }
}
