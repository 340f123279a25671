import Foundation

/// An attribute that is a group of other attributes.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    private var storedElements: [NSAttributeDescription] = []

    /// Creates a composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// The attributes of the group.
    open var elements: [NSAttributeDescription] {
        get { storedElements }
        set {
            preconditionMutable(isFrozen, "NSCompositeAttributeDescription.elements")
            storedElements = newValue
        }
    }

    package override func makeCopy() -> NSPropertyDescription {
        let copy = NSCompositeAttributeDescription()
        copyContents(to: copy)
        return copy
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        (copy as? NSCompositeAttributeDescription)?.storedElements =
            storedElements.compactMap { $0.makeCopy() as? NSAttributeDescription }
    }

    package override func freeze() {
        super.freeze()
        for element in storedElements { element.freeze() }
    }
}

/// `@unchecked Sendable` because the setters trap once the model is frozen, as in
/// ``NSPropertyDescription``.
extension NSCompositeAttributeDescription: @unchecked Sendable {}
