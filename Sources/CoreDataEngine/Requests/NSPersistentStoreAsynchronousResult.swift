import CoreDataStore
import Foundation
import Synchronization

/// The future result of a request that runs later.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    private let context: NSManagedObjectContext
    private let work: Progress
    private var failure: (any Error)?

    init(context: NSManagedObjectContext, estimatedCount: Int) {
        self.context = context
        // A child of the caller's progress, if one is current.
        work = Progress(totalUnitCount: estimatedCount > 0 ? Int64(estimatedCount) : -1)
        work.isCancellable = true
    }

    /// The context that runs the request.
    open var managedObjectContext: NSManagedObjectContext { context }

    /// The error of the request; nil unless the request has failed.
    open var operationError: (any Error)? { failure }

    /// The request's progress; cancelling it cancels the request.
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
