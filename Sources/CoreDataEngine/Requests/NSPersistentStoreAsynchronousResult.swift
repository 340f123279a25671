import CoreDataStore
import Foundation
import Synchronization

/// What a request that runs later will come back with.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    private let context: NSManagedObjectContext
    private let work: Progress
    private var failure: (any Error)?

    init(context: NSManagedObjectContext, estimatedCount: Int) {
        self.context = context
        // A child of the caller's progress, where one is current.
        work = Progress(totalUnitCount: estimatedCount > 0 ? Int64(estimatedCount) : -1)
        work.isCancellable = true
    }

    /// The context that runs the request.
    open var managedObjectContext: NSManagedObjectContext { context }

    /// Why there is no result; nil until the request has run, and when it succeeded.
    open var operationError: (any Error)? { failure }

    /// How far the request has come; cancelling it cancels the request.
    open var progress: Progress? { work }

    /// Asks the request to stop. Its completion block is called with an error.
    open func cancel() { work.cancel() }

    final func finish(_ error: CoreDataError?, count: Int) {
        failure = error?.nsError
        if error == nil {
            work.totalUnitCount = Int64(count)
            work.completedUnitCount = Int64(count)
        }
    }

    final var isCancelled: Bool { work.isCancelled }
}
