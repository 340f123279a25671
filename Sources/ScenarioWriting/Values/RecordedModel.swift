package struct RecordedEntity: Sendable {
    package let name: String
    package let parent: String?
    package let isAbstract: Bool
    /// The attributes that the entity declares, without inherited ones.
    package let attributes: [RecordedAttribute]
    package let relationships: [RecordedRelationship]
    /// The uniqueness constraints that the entity declares, without inherited ones.
    package let unique: [[String]]

    package init(
        _ name: String, parent: String? = nil, isAbstract: Bool = false,
        attributes: [RecordedAttribute] = [], relationships: [RecordedRelationship] = [],
        unique: [[String]] = []
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.unique = unique
    }
}

package struct RecordedAttribute: Sendable {
    /// The attribute types that scenarios support.
    package enum Kind: String, Sendable, CaseIterable {
        case integer16, integer32, integer64, boolean, double, float, decimal, string, date, uuid
        case binary, uri
    }

    package let name: String
    /// The type; nil for a type that scenarios do not support, such as a transformable type.
    package let kind: Kind?
    package let isRequired: Bool
    package let isTransient: Bool
    package let defaultValue: RecordedValue

    package init(
        _ name: String, _ kind: Kind?, isRequired: Bool = false, isTransient: Bool = false,
        default value: RecordedValue = .null
    ) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
        self.isTransient = isTransient
        defaultValue = value
    }
}

package struct RecordedRelationship: Sendable {
    package enum Count: String, Sendable { case one, many, ordered }
    package enum DeleteRule: String, Sendable {
        case nullify, cascade, deny
        case noAction = "no-action"
    }

    package let name: String
    package let count: Count
    package let destination: String
    package let inverse: String?
    package let deleteRule: DeleteRule

    package init(
        _ name: String, _ count: Count, to destination: String, inverse: String? = nil,
        deleteRule: DeleteRule = .nullify
    ) {
        self.name = name
        self.count = count
        self.destination = destination
        self.inverse = inverse
        self.deleteRule = deleteRule
    }
}
