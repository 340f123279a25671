import CoreDataPredicate

/// Writes a model as the `contents` file of an `.xcdatamodel`.
///
/// The file format cannot express every setting, for example a validation rule that is not a limit.
/// Such settings are listed in ``omissions``.
package struct ModelXML {
    private var lines: [String] = []
    package private(set) var omissions: [String] = []
    private var composites: [(name: String, elements: [NSAttributeDescription])] = []

    package init(_ model: NSManagedObjectModel) {
        let entities = model.entities.sorted { ($0.name ?? "").precedesInASCII($1.name ?? "") }
        for entity in entities { write(entity) }
        // A composite type may contain further composite types.
        var next = 0
        while next < composites.count {
            write(composites[next])
            next += 1
        }
        for (name, source) in model.fetchRequestSources.sorted(by: { $0.key < $1.key }) {
            lines.append(
                Self.element("fetchRequest", [("name", name)] + Self.attributes(of: source)))
        }
        for name in model.configurations.sorted() {
            let members = model.entities(forConfigurationName: name) ?? []
            lines.append("<configuration name=\"\(Self.escaped(name))\">")
            for member in members.compactMap(\.name).sorted() {
                lines.append("    " + Self.element("memberEntity", [("name", member)]))
            }
            lines.append("</configuration>")
        }
    }

    package var text: String {
        let body = lines.map { "    \($0)\n" }.joined()
        return "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
            + "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\n"
            + body + "</model>\n"
    }

    // MARK: Text

    private typealias Attributes = [(name: String, value: String?)]

    private static func element(_ name: String, _ attributes: Attributes) -> String {
        "\(open(name, attributes))/>"
    }

    private static func open(_ name: String, _ attributes: Attributes) -> String {
        let texts = attributes.compactMap { attribute in
            attribute.value.map { " \(attribute.name)=\"\(escaped($0))\"" }
        }
        return "<\(name)\(texts.joined())"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n", "\r", "\t": escaped += "&#\(scalar.value);"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func yes(_ flag: Bool) -> String? { flag ? "YES" : nil }

    // MARK: Entities

    private mutating func write(_ entity: NSEntityDescription) {
        let name = entity.name ?? ""
        let renamed = entity.renamingIdentifier == name ? nil : entity.renamingIdentifier
        let className = entity.managedObjectClassName
        lines.append(
            Self.open(
                "entity",
                [
                    ("name", name),
                    (
                        "representedClassName", className == "NSManagedObject" ? nil : className
                    ),
                    ("isAbstract", Self.yes(entity.isAbstract)),
                    ("parentEntity", entity.superentity?.name), ("elementID", renamed),
                    ("versionHashModifier", entity.versionHashModifier),
                ]) + ">")
        let inner = lines.count
        for property in entity.ownProperties.sorted(by: { $0.name.precedesInASCII($1.name) }) {
            write(property, of: name)
        }
        for index in entity.indexes { write(index) }
        if !entity.constraintNames.isEmpty {
            lines.append("<uniquenessConstraints>")
            for members in entity.constraintNames {
                lines.append("    <uniquenessConstraint>")
                lines += members.map { "        " + Self.element("constraint", [("value", $0)]) }
                lines.append("    </uniquenessConstraint>")
            }
            lines.append("</uniquenessConstraints>")
        }
        write(entity.userInfo)
        for place in inner..<lines.count { lines[place] = "    " + lines[place] }
        lines.append("</entity>")
    }

    private mutating func write(_ index: NSFetchIndexDescription) {
        let predicate = index.partialIndexPredicate.map {
            " partialIndexPredicate=\"\(Self.escaped($0.predicateFormat))\""
        }
        lines.append("<fetchIndex name=\"\(Self.escaped(index.name))\"\(predicate ?? "")>")
        for element in index.elements {
            lines.append(
                "    "
                    + Self.element(
                        "fetchIndexElement",
                        [
                            ("property", element.propertyName),
                            (
                                "expression",
                                (element.property as? NSExpressionDescription)?.expression?
                                    .description
                            ),
                            ("type", element.collationType == .rTree ? "RTree" : "Binary"),
                            ("order", element.isAscending ? "ascending" : "descending"),
                        ]))
        }
        lines.append("</fetchIndex>")
    }

    private mutating func write(_ info: [AnyHashable: Any]?) {
        let texts = (info ?? [:]).compactMap { key, value in
            (key.base as? String).map { ($0, "\(value)") }
        }
        if texts.isEmpty { return }
        lines.append("<userInfo>")
        for (key, value) in texts.sorted(by: { $0.0 < $1.0 }) {
            lines.append("    " + Self.element("entry", [("key", key), ("value", value)]))
        }
        lines.append("</userInfo>")
    }

    // MARK: Properties

    private mutating func write(_ property: NSPropertyDescription, of entity: String) {
        let renamed =
            property.renamingIdentifier == property.name ? nil : property.renamingIdentifier
        let common: Attributes = [
            ("name", property.name), ("optional", Self.yes(property.isOptional)),
            ("transient", Self.yes(property.isTransient)), ("elementID", renamed),
            ("versionHashModifier", property.versionHashModifier),
            ("spotlightIndexingEnabled", Self.yes(property.isIndexedBySpotlight)),
            ("storedInTruthFile", Self.yes(property.isStoredInExternalRecord)),
        ]
        let name: String
        let own: Attributes
        var inner: [String] = []
        switch property {
        case let attribute as NSAttributeDescription:
            (name, own) = ("attribute", attributes(of: attribute, in: entity))
        case let relationship as NSRelationshipDescription:
            (name, own) = ("relationship", Self.attributes(of: relationship))
        default:
            (name, own) = ("fetchedProperty", [])
            if let source = (property as? NSFetchedPropertyDescription)?.requestSource {
                inner = [
                    Self.element(
                        "fetchRequest", [("name", "request")] + Self.attributes(of: source))
                ]
            }
        }
        let start = lines.count
        lines.append(Self.open(name, common + own))
        lines += inner
        write(property.userInfo)
        if lines.count == start + 1 {
            lines[start] += "/>"
        } else {
            lines[start] += ">"
            for place in (start + 1)..<lines.count { lines[place] = "    " + lines[place] }
            lines.append("</\(name)>")
        }
    }

    private mutating func attributes(
        of attribute: NSAttributeDescription, in entity: String
    ) -> Attributes {
        let place = "\(entity).\(attribute.name)"
        let isDate = attribute.attributeType == .dateAttributeType
        let value = attribute.defaultConstant.map { AttributeText.text(of: $0) }
        if attribute.defaultValue != nil, value == nil { omissions.append("\(place): its default") }
        var found: Attributes = [
            ("attributeType", attribute.attributeType.modelFileName),
            (isDate ? "defaultDateTimeInterval" : "defaultValueString", value),
            ("valueTransformerName", attribute.valueTransformerName),
            (
                "allowsExternalBinaryDataStorage",
                Self.yes(attribute.allowsExternalBinaryDataStorage)
            ),
            ("preserveAfterDeletion", Self.yes(attribute.preservesValueInHistoryOnDeletion)),
            ("allowsCloudEncryption", Self.yes(attribute.allowsCloudEncryption)),
        ]
        for rule in attribute.validationPredicates {
            guard let limit = AttributeText(attribute.attributeType).limit(of: rule) else {
                omissions.append("\(place): the rule \(rule)")
                continue
            }
            found.append(limit)
        }
        if let derived = attribute as? NSDerivedAttributeDescription {
            found.append(("derived", "YES"))
            found.append(("derivationExpression", derived.derivationExpression?.description))
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            let name = "\(entity)_\(attribute.name)"
            composites.append((name, composite.elements))
            found.append(("composite", name))
        }
        return found
    }

    private mutating func write(
        _ composite: (name: String, elements: [NSAttributeDescription])
    ) {
        lines.append("<composite name=\"\(Self.escaped(composite.name))\">")
        let inner = lines.count
        for element in composite.elements { write(element, of: composite.name) }
        for place in inner..<lines.count { lines[place] = "    " + lines[place] }
        lines.append("</composite>")
    }

    private static func attributes(of relationship: NSRelationshipDescription) -> Attributes {
        let rule =
            switch relationship.deleteRule {
            case .noActionDeleteRule: "No Action"
            case .nullifyDeleteRule: "Nullify"
            case .cascadeDeleteRule: "Cascade"
            case .denyDeleteRule: "Deny"
            }
        let (minimum, maximum) = (relationship.minCount, relationship.maxCount)
        return [
            ("toMany", yes(relationship.isToMany)), ("ordered", yes(relationship.isOrdered)),
            ("minCount", minimum == 0 ? nil : "\(minimum)"),
            ("maxCount", maximum == 0 ? nil : "\(maximum)"), ("deletionRule", rule),
            ("destinationEntity", relationship.destinationEntity?.name),
            ("inverseName", relationship.inverseRelationship?.name),
            (
                "inverseEntity",
                relationship.inverseRelationship == nil ? nil : relationship.destinationEntity?.name
            ),
        ]
    }

    private static func attributes(of source: FetchRequestSource) -> Attributes {
        func unlessZero(_ number: Int) -> String? { number == 0 ? nil : "\(number)" }
        return [
            ("entity", source.entityName), ("predicateString", source.predicateFormat),
            ("resultType", unlessZero(source.resultType)),
            ("fetchLimit", unlessZero(source.fetchLimit)),
            ("fetchBatchSize", unlessZero(source.fetchBatchSize)),
        ]
    }
}

extension AttributeText {
    static func text(of constant: AttributeConstant) -> String {
        switch constant {
        case .integer(let number): "\(number)"
        case .boolean(let flag): flag ? "YES" : "NO"
        case .double(let number): "\(number)"
        case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
        case .decimal(let number): "\(number)"
        case .string(let text): text
        case .uri(let url): url.absoluteString
        case .uuid(let uuid): uuid.uuidString
        case .data(let data): data.base64EncodedString()
        }
    }

    /// The XML attribute for a validation rule; nil for a rule that the file format cannot express.
    func limit(of rule: NSPredicate) -> (name: String, value: String?)? {
        guard case .comparison(let comparison) = rule.node, comparison.options.isEmpty,
            let value = comparison.right.constantOperand?.any
        else { return nil }
        if case .evaluatedObject = comparison.left.node, comparison.operator == .matches {
            return ("regularExpressionString", value as? String)
        }
        let isOfLength = if case .keyPath(["length"]) = comparison.left.node { true } else { false }
        guard isOfLength == (type == .stringAttributeType) else { return nil }
        let bound: String
        switch comparison.operator {
        case .greaterThanOrEqualTo: bound = "min"
        case .lessThanOrEqualTo: bound = "max"
        default: return nil
        }
        if let date = value as? Date {
            return ("\(bound)DateTimeInterval", "\(date.timeIntervalSinceReferenceDate)")
        }
        return ("\(bound)ValueString", "\(value)")
    }
}

extension NSManagedObjectModel {
    /// Whether the models have equal entities, properties, rules, indexes, configurations,
    /// templates and user info, in any order.
    func hasContent(of other: NSManagedObjectModel) -> Bool {
        let (own, others) = (ModelXML(self), ModelXML(other))
        return own.text == others.text && own.omissions == others.omissions
            && versionIdentifiers == other.versionIdentifiers
            && fetchRequests.keys == other.fetchRequests.keys
            && fetchRequests.allSatisfy { name, request in
                (request as? NSObject)?.isEqual(other.fetchRequests[name]) ?? false
            }
    }
}
