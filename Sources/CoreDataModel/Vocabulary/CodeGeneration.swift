/// What of an entity's class Xcode generates.
package enum EntityGeneration: Sendable {
    /// "Manual/None": the program writes it.
    case none
    /// "Category/Extension": the properties, in an extension of the program's class.
    case category
    /// "Class Definition": all of it.
    case definition

    init(codeGenerationType text: String?) {
        switch text {
        case "class": self = .definition
        case "category": self = .category
        default: self = .none
        }
    }
}

/// How Xcode declares an attribute that it generates.
package struct AttributeGeneration: Sendable {
    /// A number is an `Int16` and the like, and no `NSNumber`.
    package var usesScalarType = false
    /// The class of a transformable attribute's objects.
    package var customClassName: String?

    package init() {}
}
