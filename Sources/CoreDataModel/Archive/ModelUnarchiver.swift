import Foundation

/// Creates a model from the keyed archive of a `.mom` file.
///
/// A validation rule that cannot be read is an error: a model without its rules would save invalid
/// objects.
final class ModelUnarchiver {
    let archive: KeyedUnarchive
    private let location: ModelError.Location
    let needsRules: Bool
    private var findings: [ModelError.Finding] = []
    var entities: [Int: NSEntityDescription] = [:]
    private var order: [Int] = []
    private var relationships: [(NSRelationshipDescription, [String: ArchiveValue])] = []

    private init(_ archive: KeyedUnarchive, path: String, needsRules: Bool) {
        self.archive = archive
        self.needsRules = needsRules
        location = ModelError.Location(path: path)
    }

    /// Reads the model from the bytes of a file. One error reports all mistakes.
    ///
    /// - Parameter needsRules: whether a validation rule that cannot be read is a mistake. False
    ///   for a model with which only rows of an older version are read.
    static func model(
        _ data: Data, path: String, needsRules: Bool = true
    ) throws(ModelError) -> NSManagedObjectModel {
        guard let archive = KeyedUnarchive(data),
            archive.className(archive.root) == "NSManagedObjectModel"
        else {
            throw ModelError(
                ModelError.Finding(
                    .notAModel, "the file is not a compiled model; use a .mom file or its source.",
                    at: ModelError.Location(path: path)))
        }
        return try ModelUnarchiver(archive, path: path, needsRules: needsRules).model()
    }

    private func model() throws(ModelError) -> NSManagedObjectModel {
        let fields = archive.fields(archive.root)
        let listed = archive.entries(fields["NSEntities"]).sorted { $0.key.precedesInASCII($1.key) }
        for (_, place) in listed where entities[place] == nil { addEntity(place) }
        for place in order { linkSubentities(place) }
        // The subentities are linked before, because a subentity may repeat an inherited property.
        for place in order { addProperties(place) }
        for (relationship, fields) in relationships { link(relationship, fields) }
        for place in order { addIndexes(place) }
        let model = NSManagedObjectModel()
        model.entities = order.compactMap { entities[$0] }
        let identifiers = archive.members(fields["NSVersionIdentifiers"])
        model.versionIdentifiers = Set(
            identifiers.compactMap { archive.string(.reference($0)) }.map { AnyHashable($0) })
        for (name, place) in archive.entries(fields["NSConfigurations"]) {
            let members = archive.members(.reference(place)).compactMap { entities[$0] }
            model.setEntities(members, forConfigurationName: name)
        }
        for (name, place) in archive.entries(fields["NSFetchRequestTemplates"]) {
            model.fetchRequestSources[name] = request(place, nil, name)
        }
        if findings.isEmpty {
            findings = ModelCheck(model).findings().filter { $0.kind != .unsupported }
            for place in findings.indices where findings[place].location == nil {
                findings[place].location = location
            }
        }
        guard findings.isEmpty else { throw ModelError(findings) }
        return model
    }

    func report(
        _ kind: ModelError.Kind, _ entity: String?, _ property: String?, _ message: String
    ) {
        findings.append(
            ModelError.Finding(
                kind, entity: entity, property: property, message, at: location))
    }

    // MARK: Entities

    private func addEntity(_ place: Int) {
        let fields = archive.fields(place)
        let entity = NSEntityDescription()
        entity.name = archive.string(fields["NSEntityName"])
        entity.managedObjectClassName = archive.string(fields["NSClassNameForEntity"])
        entity.isAbstract = archive.flag(fields["NSIsAbstract"])
        entity.renamingIdentifier = archive.string(fields["NSRenamingIdentifier"])
        entity.versionHashModifier = archive.string(fields["NSVersionHashModifier"])
        entity.userInfo = userInfo(fields["NSUserInfo"])
        entity.sourceLocation = location
        entity.uniquenessConstraints = archive.members(fields["NSUniqueTuples"]).map { tuple in
            archive.members(.reference(tuple)).compactMap { archive.string(.reference($0)) }
        }
        entities[place] = entity
        order.append(place)
    }

    private func linkSubentities(_ place: Int) {
        let children = archive.entries(archive.fields(place)["NSSubentities"])
        entities[place]?.subentities = children.sorted { $0.key.precedesInASCII($1.key) }
            .compactMap { entities[$0.place] }
            .filter { entities[place]?.isKindOf(entity: $0) == false }
    }

    private func addProperties(_ place: Int) {
        guard let entity = entities[place] else { return }
        let inherited = Set(
            archive.superentities(place).flatMap { parent in
                archive.entries(archive.fields(parent)["NSProperties"]).map(\.key)
            })
        let entries = archive.entries(archive.fields(place)["NSProperties"])
            .filter { !inherited.contains($0.key) }
            .sorted { $0.key.precedesInASCII($1.key) }
        entity.properties = entries.compactMap { property($0.place, of: entity) }
    }

    private func userInfo(_ field: ArchiveValue?) -> [AnyHashable: Any]? {
        let entries = archive.entries(field).compactMap { key, place in
            archive.constant(.reference(place)).map { (AnyHashable(key), $0) }
        }
        return entries.isEmpty ? nil : Dictionary(entries, uniquingKeysWith: { $1 })
    }

    private func addIndexes(_ place: Int) {
        guard let entity = entities[place] else { return }
        let properties = entity.propertiesByName
        let indexes = archive.members(archive.fields(place)["NSFetchIndexDescriptions"])
        entity.indexes = indexes.map { index in
            let fields = archive.fields(index)
            let elements = archive.members(fields["NSIndexElements"]).compactMap { element in
                self.element(archive.fields(element), properties)
            }
            let made = NSFetchIndexDescription(
                name: archive.string(fields["NSIndexName"]) ?? "", elements: elements)
            made.partialIndexPredicate = archive.place(fields["NSPartialIndexPredicate"])
                .flatMap { predicate($0, entity.name, nil) }
            return made
        }
    }

    private func element(
        _ fields: [String: ArchiveValue], _ properties: [String: NSPropertyDescription]
    ) -> NSFetchIndexElementDescription? {
        let name = archive.string(fields["NSPropertyName"])
        guard let property = computed(fields, name) ?? name.flatMap({ properties[$0] })
        else { return nil }
        let type = archive.integer(fields["NSFetchIndexElementType"]) ?? 0
        let element = NSFetchIndexElementDescription(
            property: property, collationType: type == 1 ? .rTree : .binary)
        element.isAscending = archive.flag(fields["NSAscending"])
        return element
    }

    /// The expression of an index element; nil if the element is a property.
    private func computed(
        _ fields: [String: ArchiveValue], _ name: String?
    ) -> NSExpressionDescription? {
        // An unreadable expression is left out: without it, the index still finds the same objects.
        guard let place = archive.place(fields["NSExpression"]),
            let expression = try? archive.expression(place)
        else { return nil }
        let made = NSExpressionDescription()
        made.name = name ?? ""
        made.expression = expression
        return made
    }

    // MARK: Properties

    func property(
        _ place: Int, of entity: NSEntityDescription
    ) -> NSPropertyDescription? {
        let fields = archive.fields(place)
        let property: NSPropertyDescription
        switch archive.className(place) {
        case "NSAttributeDescription": property = NSAttributeDescription()
        case "NSDerivedAttributeDescription": property = NSDerivedAttributeDescription()
        case "NSCompositeAttributeDescription": property = NSCompositeAttributeDescription()
        case "NSRelationshipDescription": property = NSRelationshipDescription()
        case "NSFetchedPropertyDescription": property = NSFetchedPropertyDescription()
        default: return nil
        }
        property.name = archive.string(fields["NSPropertyName"]) ?? ""
        property.isOptional = archive.flag(fields["NSIsOptional"])
        property.isTransient = archive.flag(fields["NSIsTransient"])
        property.isIndexedBySpotlight = archive.flag(fields["FLSpotlight"])
        property.isStoredInExternalRecord = archive.flag(fields["FLExternal"])
        property.renamingIdentifier = archive.string(fields["NSRenamingIdentifier"])
        property.versionHashModifier = archive.string(fields["NSVersionHashModifier"])
        property.userInfo = userInfo(fields["NSUserInfo"])
        property.sourceLocation = location
        addRules(to: property, fields, of: entity)
        if let attribute = property as? NSAttributeDescription {
            fill(attribute, fields)
            addParts(to: attribute, fields, of: entity)
        }
        if let fetched = property as? NSFetchedPropertyDescription,
            let place = archive.place(fields["NSFetchRequest"])
        {
            fetched.requestSource = request(place, entity.name, property.name)
        }
        if let relationship = property as? NSRelationshipDescription {
            relationships.append((relationship, fields))
        }
        return property
    }

    private func fill(_ attribute: NSAttributeDescription, _ fields: [String: ArchiveValue]) {
        let number = archive.integer(fields["NSAttributeType"]) ?? 0
        let type = UInt(exactly: number).flatMap(NSAttributeType.init(rawValue:))
        attribute.attributeType = type ?? .undefinedAttributeType
        let className = archive.string(fields["NSAttributeValueClassName"])
        if className != attribute.attributeValueClassName {
            attribute.attributeValueClassName = className
        }
        attribute.defaultValue = archive.constant(fields["NSDefaultValue"])
        attribute.valueTransformerName = archive.string(fields["NSValueTransformerName"])
        let flags = archive.integer(fields["NSFlagsKey"]) ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
        attribute.preservesValueInHistoryOnDeletion = flags & 16 != 0
        attribute.allowsCloudEncryption = archive.flag(fields["FLEncryption"])
    }

    private func link(
        _ relationship: NSRelationshipDescription, _ fields: [String: ArchiveValue]
    ) {
        relationship.minCount = archive.integer(fields["NSMinCount"]) ?? 0
        relationship.maxCount = archive.integer(fields["NSMaxCount"]) ?? 0
        relationship.isOrdered = archive.flag(fields["NSIsOrdered"])
        let rule = UInt(exactly: archive.integer(fields["NSDeleteRule"]) ?? 0)
        relationship.deleteRule = rule.flatMap(NSDeleteRule.init(rawValue:)) ?? .nullifyDeleteRule
        let destination = archive.place(fields["NSDestinationEntity"]).flatMap { entities[$0] }
        relationship.destinationEntity = destination
        relationship.inverseRelationship = archive.string(fields["_NSInverseRelationshipName"])
            .flatMap { destination?.relationshipsByName[$0] }
    }
}
