import Foundation

/// One property of an index, with its direction.
open class NSFetchIndexElementDescription: NSObject, NSCopying {
    package var isFrozen = false
    package weak var owner: NSFetchIndexDescription?
    private let storedProperty: NSPropertyDescription
    private var storedCollationType: NSFetchIndexElementType
    private var storedIsAscending = true

    /// Creates an ascending element.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        storedProperty = property
        storedCollationType = collationType
        super.init()
    }

    /// The index that lists the element.
    open var indexDescription: NSFetchIndexDescription? { owner }

    /// The indexed property.
    open var property: NSPropertyDescription? { storedProperty }

    /// The name of ``property``.
    open var propertyName: String? { storedProperty.name }

    /// The kind of index.
    open var collationType: NSFetchIndexElementType {
        get { storedCollationType }
        set {
            preconditionMutable(isFrozen, "NSFetchIndexElementDescription.collationType")
            storedCollationType = newValue
        }
    }

    /// Whether the index is in ascending order.
    open var isAscending: Bool {
        get { storedIsAscending }
        set {
            preconditionMutable(isFrozen, "NSFetchIndexElementDescription.isAscending")
            storedIsAscending = newValue
        }
    }

    /// A copy that is not in an index, over the same property.
    open func copy(with zone: NSZone? = nil) -> Any { makeCopy(properties: { $0 }) }

    package func makeCopy(
        properties: (NSPropertyDescription) -> NSPropertyDescription
    ) -> NSFetchIndexElementDescription {
        let copy = NSFetchIndexElementDescription(
            property: properties(storedProperty), collationType: storedCollationType)
        copy.storedIsAscending = storedIsAscending
        return copy
    }
}

/// `@unchecked Sendable` because setters trap once the model is frozen, as in
/// ``NSPropertyDescription``.
extension NSFetchIndexElementDescription: @unchecked Sendable {}
