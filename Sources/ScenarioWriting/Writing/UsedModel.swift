import ScenarioWords

/// The part of the model that a scenario uses.
struct UsedModel {
    private(set) var entities: Set<String> = []
    private var keys: [String: Set<String>] = [:]
    private let names: ModelNames

    init(
        _ all: [RecordedEntity], _ cut: RunCut, _ initial: InitialRows, _ names: ModelNames
    ) {
        self.names = names
        for object in initial.objects { use(object.entity) }
        for (owner, key, _) in initial.members { use(owner.entity, [key]) }
        for operation in cut.operations { take(operation.action) }
        for entity in all where entities.contains(entity.name) {
            for constraint in entity.unique { use(entity.name, constraint) }
        }
    }

    /// Whether an entity itself declares a used property.
    func has(_ key: String, of entity: String) -> Bool {
        keys[entity]?.contains(key) == true
    }

    /// Whether a property is used, in whichever entity it is declared.
    func needs(_ key: String, of entity: String) -> Bool {
        names.line(of: entity).contains { has(key, of: $0.name) }
    }

    private mutating func use(_ entity: String, _ used: some Sequence<String> = []) {
        for above in names.line(of: entity) { entities.insert(above.name) }
        for path in used { use(path: path, of: entity) }
    }

    private mutating func use(path: String, of entity: String) {
        var entity = entity
        for key in path.split(separator: ".").map(String.init) {
            let owner = names.line(of: entity).first { above in
                above.attributes.contains { $0.name == key }
                    || above.relationships.contains { $0.name == key }
            }
            guard let owner else { return }
            let isNew = keys[owner.name, default: []].insert(key).inserted
            guard let relationship = names.relationship(key, of: entity) else { return }
            entity = relationship.destination
            use(entity)
            if isNew, let inverse = relationship.inverse { use(path: inverse, of: entity) }
        }
    }

    private mutating func use(_ query: RecordedQuery) {
        use(query.entity, query.sort.map(\.key) + query.prefetch)
        if let predicate = query.predicate { use(predicate, query.entity) }
    }

    private mutating func use(_ predicate: RecordedPredicate, _ entity: String) {
        switch predicate {
        case .all(let parts), .any(let parts): for part in parts { use(part, entity) }
        case .not(let part): use(part, entity)
        case .compare(let path, _, _): use(entity, [path])
        case .text(let printed):
            // Every word in the text that is the name of a property counts as a use. Additional
            // properties do no harm.
            let words = printed.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            for word in words {
                let isKnown =
                    names.attribute(word, of: entity) != nil
                    || names.relationship(word, of: entity) != nil
                if isKnown { use(entity, [word]) }
            }
        }
    }

    private mutating func take(_ action: RecordedAction) {
        for object in action.objects { use(object.entity) }
        switch action {
        case .fetch(let query, _, _), .count(let query, _): use(query)
        case .watch(_, let query, let sections, _, _):
            use(query)
            if let sections { use(query.entity, [sections]) }
        case .read(let object, let key, _, _), .set(let object, let key, _, _),
            .readMembers(let object, let key, _, _), .link(let object, let key, _),
            .unlink(let object, let key, _), .order(let object, let key, _):
            use(object.entity, [key])
        case .committed(let object, let keys): use(object.entity, keys)
        case .batch(.insert(let entity, let rows, _)):
            use(entity)
            for row in rows { use(entity, row.keys) }
        case .batch(.deleteObjects(let entity, _, _)): use(entity)
        case .batch(.update(let query, let values)):
            use(query)
            use(query.entity, values.keys)
        case .batch(.delete(let query)): use(query)
        default: break
        }
    }
}

/// Writes an entity in the notation of scenario files, with its used properties.
struct EntityText {
    private let entity: RecordedEntity
    private let used: UsedModel
    private let names: ModelNames

    init(_ entity: RecordedEntity, _ used: UsedModel, _ names: ModelNames) {
        self.entity = entity
        self.used = used
        self.names = names
    }

    func lines(_ values: inout ValueText) -> [String] {
        var lines: [String] = []
        if let parent = entity.parent { lines.append("      parent: \(parent)") }
        if entity.isAbstract { lines.append("      abstract: true") }
        let attributes = entity.attributes.filter {
            $0.kind != nil && ScenarioName.isWord($0.name) && used.has($0.name, of: entity.name)
        }
        if !attributes.isEmpty { lines.append("      attributes:") }
        for attribute in attributes {
            lines.append("        \(attribute.name): \(words(attribute, &values))")
        }
        let relationships = entity.relationships.filter { used.has($0.name, of: entity.name) }
        if !relationships.isEmpty { lines.append("      relationships:") }
        for relationship in relationships {
            lines.append(
                "        \(relationship.name): \(relationship.count.rawValue)"
                    + " \(relationship.destination) inverse \(relationship.inverse ?? "none")"
                    + " \(relationship.deleteRule.rawValue)")
        }
        let unique = entity.unique.filter { constraint in
            constraint.allSatisfy { used.has($0, of: entity.name) }
        }
        if !unique.isEmpty {
            let lists = unique.map { "[\($0.joined(separator: ", "))]" }
            lines.append("      unique: [\(lists.joined(separator: ", "))]")
        }
        let start = "    \(entity.name):"
        return lines.isEmpty ? ["\(start) {}"] : [start] + lines
    }

    private func words(_ attribute: RecordedAttribute, _ values: inout ValueText) -> String {
        var words = attribute.kind?.rawValue ?? ""
        if attribute.isTransient { words += " transient" }
        // The default value must be written. Otherwise an insert without a value for a required
        // attribute would fail.
        let text =
            attribute.defaultValue == .null
            ? nil : values.literal(attribute.defaultValue, attribute.name, of: entity.name)
        if let text { words += " default \(text)" }
        return text == nil ? words : words.inSingleQuotes
    }
}
