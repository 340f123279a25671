import Foundation

/// A relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription {
    private weak var storedDestination: NSEntityDescription?
    private weak var storedInverse: NSRelationshipDescription?
    private var storedDeleteRule = NSDeleteRule.nullifyDeleteRule
    private var storedMinCount = 0
    private var storedMaxCount = 0
    private var storedIsOrdered = false

    /// The entity of the objects at the other end; not retained.
    open var destinationEntity: NSEntityDescription? {
        get { storedDestination }
        set {
            preconditionMutable(isFrozen, "NSRelationshipDescription.destinationEntity")
            storedDestination = newValue
        }
    }

    /// The relationship in the opposite direction; not retained. The setter also sets the inverse
    /// of the other relationship, if that relationship has none.
    open var inverseRelationship: NSRelationshipDescription? {
        get { storedInverse }
        set {
            preconditionMutable(isFrozen, "NSRelationshipDescription.inverseRelationship")
            storedInverse = newValue
            guard let newValue, newValue.storedInverse == nil, !newValue.isFrozen else { return }
            newValue.storedInverse = self
        }
    }

    /// The effect of deleting an object on the objects at the other end of the relationship.
    open var deleteRule: NSDeleteRule {
        get { storedDeleteRule }
        set {
            preconditionMutable(isFrozen, "NSRelationshipDescription.deleteRule")
            storedDeleteRule = newValue
        }
    }

    /// The minimum number of objects; checked if the relationship contains any object.
    open var minCount: Int {
        get { storedMinCount }
        set {
            preconditionMutable(isFrozen, "NSRelationshipDescription.minCount")
            storedMinCount = newValue
        }
    }

    /// The maximum number of objects; 0 for no limit, 1 for a to-one relationship.
    open var maxCount: Int {
        get { storedMaxCount }
        set {
            preconditionMutable(isFrozen, "NSRelationshipDescription.maxCount")
            storedMaxCount = newValue
        }
    }

    /// Whether ``maxCount`` is not 1.
    open var isToMany: Bool { storedMaxCount != 1 }

    /// Whether the objects of a to-many relationship have an order.
    open var isOrdered: Bool {
        get { storedIsOrdered }
        set {
            preconditionMutable(isFrozen, "NSRelationshipDescription.isOrdered")
            storedIsOrdered = newValue
        }
    }

    /// The property's hash; see ``NSPropertyDescription/versionHash``.
    open override var versionHash: Data { super.versionHash }

    package override func makeCopy() -> NSPropertyDescription {
        let copy = NSRelationshipDescription()
        copyContents(to: copy)
        return copy
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSRelationshipDescription else { return }
        copy.storedDestination = storedDestination
        copy.storedInverse = storedInverse
        copy.storedDeleteRule = storedDeleteRule
        copy.storedMinCount = storedMinCount
        copy.storedMaxCount = storedMaxCount
        copy.storedIsOrdered = storedIsOrdered
    }
}

/// `@unchecked Sendable` because the setters trap once the model is frozen, as in
/// ``NSPropertyDescription``.
extension NSRelationshipDescription: @unchecked Sendable {}
