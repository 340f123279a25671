import CoreDataPredicate

/// A computed column of a fetch that returns dictionaries.
open class NSExpressionDescription: NSPropertyDescription {
    private var storedExpression: NSExpression?
    private var storedResultType = NSAttributeType.undefinedAttributeType

    /// The computed expression.
    open var expression: NSExpression? {
        get { storedExpression }
        set {
            preconditionMutable(isFrozen, "NSExpressionDescription.expression")
            storedExpression = newValue
        }
    }

    /// The type of the result.
    open var expressionResultType: NSAttributeType {
        get { storedResultType }
        set {
            preconditionMutable(isFrozen, "NSExpressionDescription.expressionResultType")
            storedResultType = newValue
        }
    }

    /// The type of the result, as an ``NSAttributeDescription/AttributeType``.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
        set { expressionResultType = newValue.rawValue }
    }

    package override func makeCopy() -> NSPropertyDescription {
        let copy = NSExpressionDescription()
        copyContents(to: copy)
        return copy
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSExpressionDescription else { return }
        copy.storedExpression = storedExpression
        copy.storedResultType = storedResultType
    }
}

/// `@unchecked Sendable` because the setters trap once the model is frozen, as in
/// ``NSPropertyDescription``.
extension NSExpressionDescription: @unchecked Sendable {}
