import Foundation

/// A property whose value is the result of a fetch request.
///
/// The engine adds `fetchRequest`, whose type it owns.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    private var storedRequestSource: FetchRequestSource?
    private var storedRequest: (any NSCopying)?

    /// The request from the model file.
    package var requestSource: FetchRequestSource? {
        get { storedRequestSource }
        set {
            preconditionMutable(isFrozen, "NSFetchedPropertyDescription.fetchRequest")
            storedRequestSource = newValue
        }
    }

    /// The request that a program has set instead of the one from the file.
    package var request: (any NSCopying)? {
        get { storedRequest }
        set {
            preconditionMutable(isFrozen, "NSFetchedPropertyDescription.fetchRequest")
            storedRequest = newValue
            storedRequestSource = nil
        }
    }

    package override func makeCopy() -> NSPropertyDescription {
        let copy = NSFetchedPropertyDescription()
        copyContents(to: copy)
        return copy
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSFetchedPropertyDescription else { return }
        copy.storedRequestSource = storedRequestSource
        copy.storedRequest = storedRequest?.copy(with: nil) as? any NSCopying
    }
}

/// `@unchecked Sendable` because it adds only members that ``NSPropertyDescription`` guards the
/// same way: setters trap once the model is frozen.
extension NSFetchedPropertyDescription: @unchecked Sendable {}
