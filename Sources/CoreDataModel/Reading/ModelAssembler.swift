import Foundation

/// Creates a model from the tree of a `contents` file.
///
/// It continues after a mistake, so one error reports all mistakes of the file. Unknown elements
/// are skipped, but an unknown attribute is a mistake.
final class ModelAssembler {
    private let root: XMLElement
    private let path: String
    private var findings: [ModelError.Finding] = []
    /// The composite types whose elements are being read, the outermost first.
    var openComposites: [String] = []
    private(set) var entities: [String: NSEntityDescription] = [:]
    private var elements: [(entity: NSEntityDescription, element: XMLElement)] = []

    init(_ root: XMLElement, path: String) {
        self.root = root
        self.path = path
    }

    func model() throws(ModelError) -> NSManagedObjectModel {
        guard root.name == "model" else {
            report(
                .notAModel, root, nil,
                "the file's root is <\(root.name)>; use a file whose root is <model>.")
            throw ModelError(findings)
        }
        root.children.forEach(checkAttributes)
        for element in root.children("entity") { addEntity(element) }
        for (entity, element) in elements { setSuperentity(of: entity, element) }
        for (entity, element) in elements { linkRelationships(of: entity, element) }
        for (entity, element) in elements { addIndexes(to: entity, element) }
        let model = NSManagedObjectModel()
        model.entities = elements.map(\.entity)
        model.versionIdentifiers = [root["userDefinedModelVersionIdentifier"] ?? ""]
        addConfigurations(to: model)
        addFetchRequests(to: model)
        if findings.isEmpty {
            findings = ModelCheck(model).findings().filter { $0.kind != .unsupported }
        }
        guard findings.isEmpty else { throw ModelError(inOrder(findings)) }
        return model
    }

    private func checkAttributes(_ element: XMLElement) {
        if let unknown = KnownAttributes.unknown(in: element) {
            let names = KnownAttributes.names(of: element.name)
            report(
                .unknownAttribute, element, unknown,
                "the attribute \"\(unknown)\" of <\(element.name)> is unknown; remove"
                    + " it, or \(known(names)).")
        }
        element.children.forEach(checkAttributes)
    }

    private func inOrder(_ findings: [ModelError.Finding]) -> [ModelError.Finding] {
        findings.sorted {
            ($0.location?.line ?? 0, $0.location?.column ?? 0)
                < ($1.location?.line ?? 0, $1.location?.column ?? 0)
        }
    }

    // MARK: Entities

    private func addEntity(_ element: XMLElement) {
        guard let name = requiredName(of: element, "an entity") else { return }
        guard entities[name] == nil else {
            report(
                .duplicateEntity, element, "name", entity: name,
                "two entities are named \"\(name)\"; rename one of them.")
            return
        }
        let entity = NSEntityDescription()
        entity.name = name
        entity.sourceLocation = location(element)
        entity.isAbstract = flag(element, "isAbstract", entity: name)
        entity.renamingIdentifier = element["elementID"] ?? element["renamingIdentifier"]
        entity.versionHashModifier = element["versionHashModifier"]
        entity.generation = EntityGeneration(codeGenerationType: element["codeGenerationType"])
        entity.userInfo = userInfo(element)
        if let className = element["representedClassName"], !className.isEmpty {
            // A class name with a leading dot refers to a class in the model's module.
            entity.managedObjectClassName = String(className.drop { $0 == "." })
        }
        entities[name] = entity
        elements.append((entity, element))
        entity.properties = element.children.compactMap { property($0, entity: name) }
        reportDuplicates(element, entity: name)
    }

    private func property(_ element: XMLElement, entity: String) -> NSPropertyDescription? {
        guard ["attribute", "relationship", "fetchedProperty"].contains(element.name),
            let name = requiredName(of: element, "a property", entity: entity)
        else { return nil }
        let property: NSPropertyDescription =
            switch element.name {
            case "attribute": attribute(element, entity: entity, name: name)
            case "relationship": relationship(element, entity: entity, name: name)
            default: fetchedProperty(element, entity: entity)
            }
        property.name = name
        property.sourceLocation = location(element)
        property.isOptional = flag(element, "optional", entity: entity, property: name)
        property.isTransient =
            flag(element, "transient", entity: entity, property: name)
            || flag(element, "ephemeral", entity: entity, property: name)
        property.isIndexedBySpotlight = flag(
            element, "spotlightIndexingEnabled", entity: entity, property: name)
        property.isStoredInExternalRecord = flag(
            element, "storedInTruthFile", entity: entity, property: name)
        property.renamingIdentifier = element["elementID"] ?? element["renamingIdentifier"]
        property.versionHashModifier = element["versionHashModifier"]
        property.userInfo = userInfo(element)
        return property
    }

    private func reportDuplicates(_ element: XMLElement, entity: String) {
        var seen: Set<String> = []
        for child in element.children
        where ["attribute", "relationship", "fetchedProperty"].contains(child.name) {
            guard let name = child["name"], !seen.insert(name).inserted else { continue }
            report(
                .duplicateProperty, child, "name", entity: entity, property: name,
                "two properties have this name; rename one of them.")
        }
    }

    private func setSuperentity(of entity: NSEntityDescription, _ element: XMLElement) {
        guard let name = element["parentEntity"], !name.isEmpty else { return }
        guard let parent = entities[name] else {
            report(
                .unknownSuperentity, element, "parentEntity", entity: entity.name,
                "the entity \"\(name)\" does not exist; \(known(entities.keys)).")
            return
        }
        guard !parent.isKindOf(entity: entity) else {
            report(
                .superentityCycle, element, "parentEntity", entity: entity.name,
                "the entity descends from itself; remove the cycle.")
            return
        }
        parent.subentities.append(entity)
    }

    private func userInfo(_ element: XMLElement) -> [AnyHashable: Any]? {
        guard let list = element.first("userInfo") else { return nil }
        let pairs = list.children("entry").compactMap { entry in
            entry["key"].map { (AnyHashable($0), (entry["value"] ?? "") as Any) }
        }
        return Dictionary(pairs, uniquingKeysWith: { _, last in last })
    }

    // MARK: Values

    func location(_ element: XMLElement, _ attribute: String? = nil) -> ModelError.Location {
        let place = attribute.flatMap { element.place.attributes[$0] } ?? element.place.start
        return ModelError.Location(path: path, line: place.line, column: place.column)
    }

    func report(
        _ kind: ModelError.Kind, _ element: XMLElement, _ attribute: String? = nil,
        entity: String? = nil, property: String? = nil, _ message: String
    ) {
        findings.append(
            ModelError.Finding(
                kind, entity: entity, property: property, message, at: location(element, attribute))
        )
    }

    func flag(
        _ element: XMLElement, _ attribute: String, default value: Bool = false,
        entity: String? = nil, property: String? = nil
    ) -> Bool {
        switch element[attribute] {
        case nil: return value
        case "YES": return true
        case "NO": return false
        case .some(let text):
            report(
                .badValue, element, attribute, entity: entity, property: property,
                "\(attribute) is \"\(text)\"; write YES or NO.")
            return value
        }
    }

    func count(
        _ element: XMLElement, _ attribute: String, default value: Int,
        entity: String? = nil, property: String? = nil
    ) -> Int {
        guard let text = element[attribute] else { return value }
        guard let number = Int(text), number >= 0 else {
            report(
                .badValue, element, attribute, entity: entity, property: property,
                "\(attribute) is \"\(text)\"; write a whole number from 0.")
            return value
        }
        return number
    }

    func requiredName(
        of element: XMLElement, _ what: String, entity: String? = nil
    ) -> String? {
        guard let name = element["name"], !name.isEmpty else {
            report(
                .missingName, element, element["name"].map { _ in "name" }, entity: entity,
                "\(what) has no name; write name=\"…\".")
            return nil
        }
        return name
    }

    func known(_ names: some Sequence<String>) -> String {
        let sorted = names.sorted()
        return sorted.isEmpty
            ? "no name is available" : "write one of \(sorted.joined(separator: ", "))"
    }

    func composite(named name: String) -> XMLElement? {
        root.children("composite").first { $0["name"] == name }
    }

    var compositeNames: [String] { root.children("composite").compactMap { $0["name"] } }

    func rootChildren(_ name: String) -> [XMLElement] { root.children(name) }
}
