import CoreDataPredicate

/// An index that speeds up fetches.
open class NSFetchIndexDescription: NSObject, NSCopying {
    package var isFrozen = false
    package weak var owner: NSEntityDescription?
    private var storedName: String
    private var storedElements: [NSFetchIndexElementDescription]
    private var storedPredicate: NSPredicate?

    /// Creates an index over elements. Elements of another index move to the new index.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        storedName = name
        storedElements = elements ?? []
        super.init()
        for element in storedElements { element.owner = self }
    }

    /// The entity that lists the index.
    open var entity: NSEntityDescription? { owner }

    /// The name, unique in its entity.
    open var name: String {
        get { storedName }
        set {
            preconditionMutable(isFrozen, "NSFetchIndexDescription.name")
            storedName = newValue
        }
    }

    /// The indexed elements, the most significant first.
    open var elements: [NSFetchIndexElementDescription] {
        get { storedElements }
        set {
            preconditionMutable(isFrozen, "NSFetchIndexDescription.elements")
            storedElements = newValue
            for element in newValue { element.owner = self }
        }
    }

    /// The condition for indexed rows; nil for all rows.
    open var partialIndexPredicate: NSPredicate? {
        get { storedPredicate }
        set {
            preconditionMutable(isFrozen, "NSFetchIndexDescription.partialIndexPredicate")
            storedPredicate = newValue
        }
    }

    /// A copy that is not in an entity, over the same properties.
    open func copy(with zone: NSZone? = nil) -> Any { makeCopy(properties: { $0 }) }

    package func makeCopy(
        properties: (NSPropertyDescription) -> NSPropertyDescription
    ) -> NSFetchIndexDescription {
        let copy = NSFetchIndexDescription(
            name: storedName, elements: storedElements.map { $0.makeCopy(properties: properties) })
        copy.storedPredicate = storedPredicate
        return copy
    }

    package func freeze() {
        isFrozen = true
        for element in storedElements { element.isFrozen = true }
    }
}

/// `@unchecked Sendable` because setters trap once the model is frozen, as in
/// ``NSPropertyDescription``.
extension NSFetchIndexDescription: @unchecked Sendable {}
