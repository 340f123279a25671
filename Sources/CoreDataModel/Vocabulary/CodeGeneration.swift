/// The parts of an entity's class that Xcode generates.
package enum EntityGeneration: Sendable {
    /// "Manual/None": nothing, because the program contains the class.
    case none
    /// "Category/Extension": only the properties, in an extension of a class that the program
    /// contains.
    case category
    /// "Class Definition": the whole class.
    case definition

    init(codeGenerationType text: String?) {
        switch text {
        case "class": self = .definition
        case "category": self = .category
        default: self = .none
        }
    }
}

/// Xcode's declaration of a generated attribute.
package struct AttributeGeneration: Sendable {
    /// Numbers are declared as `Int16` and the like instead of `NSNumber`.
    package var usesScalarType = false
    /// The class of a transformable attribute's objects.
    package var customClassName: String?

    package init() {}
}
