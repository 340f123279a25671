/// Reads the configurations, fetch requests and fetched properties of a model file.
extension ModelAssembler {
    func addConfigurations(to model: NSManagedObjectModel) {
        for element in rootChildren("configuration") {
            guard let name = requiredName(of: element, "a configuration") else { continue }
            let members = element.children("memberEntity").compactMap { member in
                let entity = entities[member["name"] ?? ""]
                if entity == nil {
                    report(
                        .unknownMember, member, "name",
                        "configuration \"\(name)\" names the entity "
                            + "\"\(member["name"] ?? "")\"; \(known(entities.keys)).")
                }
                return entity
            }
            model.setEntities(members, forConfigurationName: name)
        }
    }

    func addFetchRequests(to model: NSManagedObjectModel) {
        for element in rootChildren("fetchRequest") {
            guard let name = requiredName(of: element, "a fetch request") else { continue }
            model.fetchRequestSources[name] = source(element, owner: nil, property: nil)
        }
    }

    func fetchedProperty(_ element: XMLElement, entity: String) -> NSPropertyDescription {
        let property = NSFetchedPropertyDescription()
        if let request = element.first("fetchRequest") {
            property.requestSource = source(request, owner: entity, property: element["name"])
        }
        return property
    }

    private func source(
        _ element: XMLElement, owner: String?, property: String?
    ) -> FetchRequestSource {
        // Xcode writes the first spelling. Other tools write the second.
        func isSet(_ names: [String], default value: Bool) -> Bool {
            let name = names.first { element[$0] != nil } ?? names[0]
            return flag(element, name, default: value, entity: owner, property: property)
        }
        func number(_ attribute: String) -> Int {
            count(element, attribute, default: 0, entity: owner, property: property)
        }
        var source = FetchRequestSource(entityName: element["entity"] ?? "")
        source.predicateFormat = element["predicateString"]
        if let text = source.predicateFormat, let problem = FormatText.problem(inPredicate: text) {
            report(
                .badValue, element, "predicateString", entity: owner, property: property,
                "\"\(text)\" is not a predicate: \(problem).")
        }
        source.resultType = number("resultType")
        source.fetchLimit = number("fetchLimit")
        source.fetchBatchSize = number("fetchBatchSize")
        source.includesSubentities = isSet(
            ["includeSubentities", "includesSubentities"], default: true)
        source.includesPropertyValues = isSet(
            ["includePropertyValues", "includesPropertyValues"], default: true)
        source.includesPendingChanges = isSet(
            ["includesPendingChanges", "includePendingChanges"], default: true)
        source.returnsObjectsAsFaults = isSet(
            ["returnObjectsAsFaults", "returnsObjectsAsFaults"], default: true)
        source.returnsDistinctResults = isSet(
            ["returnDistinctResults", "returnsDistinctResults"], default: false)
        return source
    }
}
