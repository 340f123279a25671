import Foundation

/// A property whose value is the result of a fetch request.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    private var storedRequestSource: FetchRequestSource?

    /// The request as the model file writes it.
    package var requestSource: FetchRequestSource? {
        get { storedRequestSource }
        set {
            preconditionMutable(isFrozen, "NSFetchedPropertyDescription.fetchRequest")
            storedRequestSource = newValue
        }
    }

    package override func makeCopy() -> NSPropertyDescription {
        let copy = NSFetchedPropertyDescription()
        copyContents(to: copy)
        return copy
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        (copy as? NSFetchedPropertyDescription)?.storedRequestSource = storedRequestSource
    }
}

/// `@unchecked Sendable because` it adds only members that ``NSPropertyDescription`` guards the
/// same way: setters trap once the model is frozen.
extension NSFetchedPropertyDescription: @unchecked Sendable {}
