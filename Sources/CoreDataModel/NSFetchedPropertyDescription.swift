import Foundation

/// A property whose value is the result of a fetch request.
///
/// An extension in the engine adds `fetchRequest`, because the engine declares the type of
/// requests.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    private var storedRequestSource: FetchRequestSource?
    private var storedRequest: (any NSCopying)?

    package var requestSource: FetchRequestSource? {
        get { storedRequestSource }
        set {
            preconditionMutable(isFrozen, "NSFetchedPropertyDescription.fetchRequest")
            storedRequestSource = newValue
        }
    }

    /// The request that a program has set in place of the request from the file.
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

/// `@unchecked Sendable` because the setters trap once the model is frozen, as in
/// ``NSPropertyDescription``.
extension NSFetchedPropertyDescription: @unchecked Sendable {}
