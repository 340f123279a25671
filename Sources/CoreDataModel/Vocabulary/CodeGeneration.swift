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

/// The settings of an accessor that Xcode generates.
package struct AttributeGeneration: Sendable {
    package var usesScalarType = false
    package var customClassName: String?

    package init() {}
}
