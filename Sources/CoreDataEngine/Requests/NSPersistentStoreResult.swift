import Foundation

/// The result of a request: the base class of all results.
open class NSPersistentStoreResult: NSObject {}

@available(*, unavailable, message: "a result belongs to the queue of the context that asked")
extension NSPersistentStoreResult: Sendable {}
