import Foundation

/// The result of a request: the base class of all results.
open class NSPersistentStoreResult: NSObject {}

@available(*, unavailable, message: "use a result on the queue of its context")
extension NSPersistentStoreResult: Sendable {}
