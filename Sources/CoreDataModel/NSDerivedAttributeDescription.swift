import CoreDataPredicate

/// An attribute whose value the store computes.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    private var storedExpression: NSExpression?

    /// The expression that computes the value from the object's other properties.
    open var derivationExpression: NSExpression? {
        get { storedExpression }
        set {
            preconditionMutable(isFrozen, "NSDerivedAttributeDescription.derivationExpression")
            storedExpression = newValue
        }
    }

    package override func makeCopy() -> NSPropertyDescription {
        let copy = NSDerivedAttributeDescription()
        copyContents(to: copy)
        return copy
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        (copy as? NSDerivedAttributeDescription)?.storedExpression = storedExpression
    }
}

/// `@unchecked Sendable` because the setters trap once the model is frozen, as in
/// ``NSPropertyDescription``.
extension NSDerivedAttributeDescription: @unchecked Sendable {}
