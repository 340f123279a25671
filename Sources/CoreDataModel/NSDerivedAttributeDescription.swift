import Foundation

/// An attribute whose value the store computes.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    private var storedDerivationFormat: String?

    /// How the value is computed, in the words of a model file (`pages.@count`).
    package var derivationFormat: String? {
        get { storedDerivationFormat }
        set {
            preconditionMutable(isFrozen, "NSDerivedAttributeDescription.derivationExpression")
            storedDerivationFormat = newValue
        }
    }

    package override func makeCopy() -> NSPropertyDescription {
        let copy = NSDerivedAttributeDescription()
        copyContents(to: copy)
        return copy
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        (copy as? NSDerivedAttributeDescription)?.storedDerivationFormat = storedDerivationFormat
    }
}

/// `@unchecked Sendable because` it adds only members that ``NSPropertyDescription`` guards the
/// same way: setters trap once the model is frozen.
extension NSDerivedAttributeDescription: @unchecked Sendable {}
