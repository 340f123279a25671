/// The part of a model that the scenario checks need.
///
/// The reader creates a shape from an inline model, and the runner creates one from a model file.
/// The checks compare entity names, property names and the types of values with the shape.
package struct ModelShape: Sendable {
    package var entities: [EntityShape]

    package init(entities: [EntityShape]) {
        self.entities = entities
    }

    package func entity(named name: String) -> EntityShape? {
        entities.first { $0.name.value == name }
    }

    package func property(named key: String, of entity: String) -> PropertyShape? {
        lineage(of: entity).lazy.compactMap { $0.property(named: key) }.first
    }

    package func propertyNames(of entity: String) -> [String] {
        lineage(of: entity).flatMap { $0.properties.map(\.name.value) }
    }

    package func isEntity(_ name: String, kindOf other: String) -> Bool {
        lineage(of: name).contains { $0.name.value == other }
    }

    /// The entity and its superentities. The length is limited, because the parents may form a
    /// cycle.
    func lineage(of name: String) -> [EntityShape] {
        var lineage: [EntityShape] = []
        var next: String? = name
        while let name = next, lineage.count <= entities.count, let entity = entity(named: name) {
            lineage.append(entity)
            next = entity.parent?.value
        }
        return lineage
    }
}

/// One entity of a model.
public struct EntityShape: Sendable {
    package let name: Located<String>
    package var parent: Located<String>?
    package var isAbstract: Bool
    package var properties: [PropertyShape]
    /// Uniqueness constraints, each as a list of property keys.
    package var unique: [[Located<String>]]
    /// A property that `prepareForDeletion` of the entity's objects reads.
    package var onDelete: Located<String>?

    package init(
        name: Located<String>, parent: Located<String>? = nil, isAbstract: Bool = false,
        properties: [PropertyShape] = [], unique: [[Located<String>]] = []
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        self.properties = properties
        self.unique = unique
    }

    func property(named key: String) -> PropertyShape? {
        properties.first { $0.name.value == key }
    }
}

/// An attribute or a relationship.
package struct PropertyShape: Sendable {
    package enum Kind: Sendable {
        case attribute(AttributeType, defaultValue: Located<Literal>?)
        case relationship(RelationshipShape)
    }

    package let name: Located<String>
    package let kind: Kind
    package let isRequired: Bool
    package let isTransient: Bool

    package init(
        name: Located<String>, kind: Kind, isRequired: Bool = false, isTransient: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
        self.isTransient = isTransient
    }

    package var relationship: RelationshipShape? {
        if case .relationship(let relationship) = kind { return relationship }
        return nil
    }
}

/// The settings that only a relationship has.
package struct RelationshipShape: Sendable {
    package enum Arity: String, Sendable, CaseIterable { case one, many, ordered }

    package enum DeleteRule: String, Sendable, CaseIterable {
        case nullify, cascade, deny
        case noAction = "no-action"
    }

    package let arity: Arity
    package let destination: Located<String>
    /// The key of the inverse relationship; nil if there is no inverse.
    package let inverse: Located<String>?
    package let deleteRule: DeleteRule

    package init(
        arity: Arity, destination: Located<String>, inverse: Located<String>?,
        deleteRule: DeleteRule = .nullify
    ) {
        self.arity = arity
        self.destination = destination
        self.inverse = inverse
        self.deleteRule = deleteRule
    }
}

/// The attribute types of the scenario language.
package enum AttributeType: String, Sendable, CaseIterable {
    case integer16, integer32, integer64, boolean, double, float, decimal, string, date, uuid
    case binary, uri

    /// Whether a literal can become a value of this type.
    package func accepts(_ literal: Literal) -> Bool {
        switch (self, literal) {
        case (_, .null): true
        case (.boolean, .flag): true
        case (.integer16, .integer(let number)): Int16(exactly: number) != nil
        case (.integer32, .integer(let number)): Int32(exactly: number) != nil
        case (.integer64, .integer): true
        case (.double, .integer), (.double, .number), (.float, .integer), (.float, .number): true
        case (.decimal, .integer), (.decimal, .number): true
        case (.decimal, .text(let text)): Double(text) != nil
        case (.string, .text), (.uri, .text): true
        case (.uuid, .text(let text)): Self.isUUID(text)
        case (.date, .text(let text)): Self.isDate(text)
        case (.binary, .text(let text)): Self.isBase64(text)
        default: false
        }
    }

    package var example: String {
        switch self {
        case .integer16, .integer32, .integer64: "a whole number such as 12"
        case .boolean: "true or false"
        case .double, .float, .decimal: "a number such as 1.5"
        case .string: "text in double quotes"
        case .date: "a date such as \"2024-05-06T07:08:09Z\""
        case .uuid: "a UUID such as \"00000000-0000-0000-0000-000000000001\""
        case .binary: "base64 text such as \"AAEC\""
        case .uri: "an address in double quotes"
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }

    private static func isDate(_ text: String) -> Bool {
        let form = text.map { character in character.isNumber ? "0" : String(character) }.joined()
        return form == "0000-00-00T00:00:00Z" || form == "0000-00-00"
    }

    private static func isBase64(_ text: String) -> Bool {
        text.count % 4 == 0
            && text.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "/" || $0 == "=")
            }
    }
}
