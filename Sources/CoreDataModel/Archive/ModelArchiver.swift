import Foundation

/// Writes a model as a keyed archive, the format of `.mom` files and of `Z_MODELCACHE`.
///
/// Stores write it when they are created. The keys and structures are those of real compiled
/// models. An archive holds neither predicates with blocks nor user info that is not a property
/// list, so these are left out.
struct ModelArchiver {
    private var archive = KeyedArchive()
    private let model: NSManagedObjectModel
    private let modelPlace: Int
    private var entityPlaces: [ObjectIdentifier: Int] = [:]
    private var propertyPlaces: [ObjectIdentifier: Int] = [:]

    init(_ model: NSManagedObjectModel) {
        self.model = model
        modelPlace = archive.reserve()
        for entity in model.entities {
            entityPlaces[ObjectIdentifier(entity)] = archive.reserve()
            for property in entity.ownProperties {
                propertyPlaces[ObjectIdentifier(property)] = archive.reserve()
            }
        }
    }

    static func archive(_ model: NSManagedObjectModel) -> Data {
        var archiver = ModelArchiver(model)
        for entity in model.entities { archiver.write(entity) }
        archiver.writeModel()
        return archiver.archive.data(root: .reference(archiver.modelPlace))
    }

    private mutating func writeModel() {
        let entities = pairs(model.entities)
        let templates = model.fetchRequestSources.sorted { $0.key.precedesInASCII($1.key) }
            .map { (key: archive.string($0.key), value: request($0.value)) }
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        var fields: [(key: String, value: ArchiveValue)] = [
            ("NSEntities", archive.dictionary(entities)),
            (
                "NSFetchRequestTemplates",
                templates.isEmpty ? KeyedArchive.null : archive.dictionary(templates)
            ),
            ("NSVersionIdentifiers", archive.set(identifiers.map { archive.string($0) })),
        ]
        if !model.configurations.isEmpty {
            let configurations = model.configurations.map { name in
                let members = model.entities(forConfigurationName: name) ?? []
                return (key: archive.string(name), value: archive.set(members.map(reference)))
            }
            fields.append(("NSConfigurations", archive.dictionary(configurations)))
        }
        archive.set(modelPlace, ["NSManagedObjectModel", "NSObject"], fields)
    }

    private func reference(_ entity: NSEntityDescription?) -> ArchiveValue {
        entity.flatMap { entityPlaces[ObjectIdentifier($0)] }.map(ArchiveValue.reference)
            ?? KeyedArchive.null
    }

    private func reference(_ property: NSPropertyDescription?) -> ArchiveValue {
        property.flatMap { propertyPlaces[ObjectIdentifier($0)] }.map(ArchiveValue.reference)
            ?? KeyedArchive.null
    }

    private mutating func pairs(
        _ entities: [NSEntityDescription]
    ) -> [(key: ArchiveValue, value: ArchiveValue)] {
        entities.map { (archive.string($0.name), reference($0)) }
    }

    // MARK: Entities

    private mutating func write(_ entity: NSEntityDescription) {
        let properties = entity.ownProperties.map { property in
            (key: archive.string(property.name), value: reference(property))
        }
        var fields: [(key: String, value: ArchiveValue)] = [
            ("NSEntityName", archive.string(entity.name)),
            ("NSClassNameForEntity", archive.string(entity.managedObjectClassName)),
            ("NSManagedObjectModel", .reference(modelPlace)),
            ("NSProperties", archive.dictionary(properties)),
            ("NSRenamingIdentifier", archive.string(entity.renamingIdentifier)),
            ("NSSubentities", archive.dictionary(pairs(entity.subentities))),
            ("NSSuperentity", reference(entity.superentity)),
            ("NSUserInfo", userInfo(entity.userInfo ?? [:])),
            ("NSVersionHashModifier", archive.string(entity.versionHashModifier)),
        ]
        if entity.isAbstract { fields.append(("NSIsAbstract", .boolean(true))) }
        if !entity.constraintNames.isEmpty {
            let tuples = entity.constraintNames.map { names in
                archive.mutableArray(names.map { archive.string($0) })
            }
            fields.append(("NSUniqueTuples", archive.mutableArray(tuples)))
        }
        if !entity.indexes.isEmpty {
            let indexes = entity.indexes.map { index($0, of: entity) }
            fields.append(("NSFetchIndexDescriptions", archive.mutableArray(indexes)))
            let compound = entity.indexes.filter { $0.elements.count > 1 }.map { index in
                archive.mutableArray(index.elements.map { archive.string($0.propertyName) })
            }
            fields.append(("NSCompoundIndexes", archive.mutableArray(compound)))
        }
        guard let place = entityPlaces[ObjectIdentifier(entity)] else { return }
        archive.set(place, ["NSEntityDescription", "NSObject"], fields)
        for property in entity.ownProperties { write(property, of: entity) }
    }

    private mutating func index(
        _ index: NSFetchIndexDescription, of entity: NSEntityDescription
    ) -> ArchiveValue {
        let place = archive.reserve()
        let elements = index.elements.map { element in
            var fields: [(key: String, value: ArchiveValue)] = [
                ("NSPropertyName", archive.string(element.propertyName)),
                ("NSFetchIndexElementType", .integer(Int64(element.collationType.rawValue))),
                ("NSFetchIndexDescription", .reference(place)),
                ("NSAscending", .boolean(element.isAscending)),
            ]
            if let expression = (element.property as? NSExpressionDescription)?.expression,
                let written = archive.expression(expression)
            {
                fields.append(("NSExpression", written))
            }
            return archive.add(["NSFetchIndexElementDescription", "NSObject"], fields)
        }
        archive.set(
            place, ["NSFetchIndexDescription", "NSObject"],
            [
                ("NSIndexName", archive.string(index.name)),
                (
                    "NSPartialIndexPredicate",
                    index.partialIndexPredicate.flatMap { archive.predicate($0) }
                        ?? KeyedArchive.null
                ),
                ("NSIndexElements", archive.array(elements)),
                ("NSEntity", reference(entity)),
            ])
        return .reference(place)
    }

    // MARK: Properties

    private mutating func write(
        _ property: NSPropertyDescription, of entity: NSEntityDescription
    ) {
        guard let place = propertyPlaces[ObjectIdentifier(property)] else { return }
        var fields = commonFields(property, of: entity)
        let type: String
        switch property {
        case let attribute as NSAttributeDescription:
            (type, fields) = self.fields(of: attribute, entity, common: fields)
        case let relationship as NSRelationshipDescription:
            type = "NSRelationshipDescription"
            fields += relationshipFields(relationship)
        default:
            type = "NSFetchedPropertyDescription"
            let source = (property as? NSFetchedPropertyDescription)?.requestSource
            fields.append(("NSFetchRequest", source.map { request($0) } ?? KeyedArchive.null))
        }
        archive.set(place, [type, "NSPropertyDescription", "NSObject"], fields)
    }

    private mutating func commonFields(
        _ property: NSPropertyDescription, of entity: NSEntityDescription
    ) -> [(key: String, value: ArchiveValue)] {
        var fields: [(key: String, value: ArchiveValue)] = [
            ("NSPropertyName", archive.string(property.name)),
            ("NSEntity", reference(entity)),
            ("NSRenamingIdentifier", archive.string(property.renamingIdentifier)),
            ("_P", .integer(PropertyBits(property).rawValue)),
        ]
        if property.isOptional { fields.append(("NSIsOptional", .boolean(true))) }
        if property.isTransient { fields.append(("NSIsTransient", .boolean(true))) }
        if property.wantsIndex { fields.append(("NSIsIndexed", .boolean(true))) }
        // The keys of the next settings in Apple's archives are not known.
        if property.isIndexedBySpotlight { fields.append(("FLSpotlight", .boolean(true))) }
        if property.isStoredInExternalRecord { fields.append(("FLExternal", .boolean(true))) }
        if (property as? NSAttributeDescription)?.allowsCloudEncryption == true {
            fields.append(("FLEncryption", .boolean(true)))
        }
        if let modifier = property.versionHashModifier {
            fields.append(("NSVersionHashModifier", archive.string(modifier)))
        }
        if let info = property.userInfo, !info.isEmpty {
            fields.append(("NSUserInfo", userInfo(info)))
        }
        let rules = property.validationPredicates.map { archive.predicate($0) }
        if !rules.isEmpty, rules.allSatisfy({ $0 != nil }) {
            let warnings = property.validationWarnings.map { warning in
                AttributeConstant(plainValue: warning).map { archive.add($0) } ?? archive.string("")
            }
            fields.append(("NSValidationPredicates", archive.array(rules.compactMap { $0 })))
            fields.append(("NSValidationWarnings", archive.array(warnings)))
        }
        return fields
    }

    private mutating func fields(
        of attribute: NSAttributeDescription, _ entity: NSEntityDescription,
        common: [(key: String, value: ArchiveValue)]
    ) -> (String, [(key: String, value: ArchiveValue)]) {
        let fields = common + attributeFields(attribute)
        switch attribute {
        case let derived as NSDerivedAttributeDescription:
            let expression = derived.derivationExpression.flatMap { archive.expression($0) }
            return (
                "NSDerivedAttributeDescription",
                fields + [
                    ("NSDerivationExpression", expression ?? KeyedArchive.null),
                    ("NSFilteringPredicate", KeyedArchive.null),
                ]
            )
        case let composite as NSCompositeAttributeDescription:
            let elements = composite.elements.map { element in
                let (type, fields) = self.fields(
                    of: element, entity, common: commonFields(element, of: entity))
                return archive.add([type, "NSPropertyDescription", "NSObject"], fields)
            }
            return (
                "NSCompositeAttributeDescription",
                fields + [("NSElements", archive.array(elements))]
            )
        default: return ("NSAttributeDescription", fields)
        }
    }

    private mutating func request(_ source: FetchRequestSource) -> ArchiveValue {
        let predicate = source.predicateFormat.flatMap { text -> ArchiveValue? in
            guard case .success(let made) = FormatText.predicate(text) else { return nil }
            return archive.predicate(made)
        }
        let entity = model.entitiesByName[source.entityName]
        return archive.add(
            ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"],
            [
                ("NSEntity", reference(entity)),
                ("_NSFetchRequestEntityName", archive.string(source.entityName)),
                ("NSPredicate", predicate ?? KeyedArchive.null),
                ("NSFetchLimit", .integer(Int64(source.fetchLimit))),
                ("NSBatchSize", .integer(Int64(source.fetchBatchSize))),
                ("NSResultType", .integer(Int64(source.resultType))),
            ])
    }

    private mutating func attributeFields(
        _ attribute: NSAttributeDescription
    ) -> [(key: String, value: ArchiveValue)] {
        [
            ("NSAttributeType", .integer(Int64(attribute.attributeType.rawValue))),
            ("NSAttributeValueClassName", archive.string(attribute.attributeValueClassName)),
            (
                "NSDefaultValue",
                attribute.defaultConstant.map { archive.add($0) }
                    ?? KeyedArchive.null
            ),
            ("NSValueTransformerName", archive.string(attribute.valueTransformerName)),
            ("NSFlagsKey", .integer(Self.flags(of: attribute))),
        ]
    }

    private static func flags(of attribute: NSAttributeDescription) -> Int64 {
        (attribute.allowsExternalBinaryDataStorage ? 4 : 0)
            + (attribute.preservesValueInHistoryOnDeletion ? 16 : 0)
    }

    private mutating func relationshipFields(
        _ relationship: NSRelationshipDescription
    ) -> [(key: String, value: ArchiveValue)] {
        var fields: [(key: String, value: ArchiveValue)] = [
            ("NSDestinationEntity", reference(relationship.destinationEntity)),
            ("_NSDestinationEntityName", archive.string(relationship.destinationEntity?.name)),
            ("NSInverseRelationship", reference(relationship.inverseRelationship)),
            (
                "_NSInverseRelationshipName",
                archive.string(relationship.inverseRelationship?.name)
            ),
            ("NSDeleteRule", .integer(Int64(relationship.deleteRule.rawValue))),
            ("NSMinCount", .integer(Int64(relationship.minCount))),
            ("NSMaxCount", .integer(Int64(relationship.maxCount))),
        ]
        if relationship.isOrdered { fields.append(("NSIsOrdered", .boolean(true))) }
        return fields
    }

    private mutating func userInfo(_ info: [AnyHashable: Any]) -> ArchiveValue {
        let entries = info.compactMap { key, value in
            (key.base as? String).map { (key: $0, value: value) }
        }
        let pairs = entries.sorted { $0.key.precedesInASCII($1.key) }
            .compactMap { entry -> (key: ArchiveValue, value: ArchiveValue)? in
                guard let constant = AttributeConstant(plainValue: entry.value) else { return nil }
                return (archive.string(entry.key), archive.add(constant))
            }
        return archive.dictionary(pairs)
    }
}

/// The flags of a property under the key `_P`, as in existing archives.
struct PropertyBits {
    let rawValue: Int64

    init(_ property: NSPropertyDescription) {
        // Bit 0 is set for every property. Bits 4 and 5 mean that the property has no validation
        // rules.
        var bits: Int64 = property.validationPredicates.isEmpty ? 0b0011_0001 : 1
        if property.isOptional { bits |= 1 << 1 }
        if property is NSFetchedPropertyDescription { bits |= 1 << 2 }
        if property.isTransient { bits |= 1 << 3 }
        if property.userInfo?.isEmpty != false { bits |= 1 << 6 }
        if property.versionHashModifier == nil { bits |= 1 << 7 }
        if (property as? NSRelationshipDescription)?.isOrdered == true { bits |= 1 << 10 }
        rawValue = bits
    }
}
