import CoreDataModel
import Foundation

/// Batch requests. They wait for other writes like saves do, and post no notifications.
extension NSPersistentStoreCoordinator {
    /// Passes a batch to the store.
    ///
    /// - Parameter name: the request's class, for the error of a store that cannot run it.
    package func write(
        _ batch: BatchPlan, to store: NSPersistentStore, origin: WriteOrigin, named name: String
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        guard store.backend.traits.contains(.batches),
            let backend = store.keyed as? any BatchStore
        else {
            throw CoreDataError(
                .storeUnsupportedRequest,
                "Unknown command type \(name): \(StoreTraits.batches.missing(in: store.type))."
                    + " Change objects and save them, or use a SQLite store.")
        }
        enterWriting()
        let result = Result { () throws(CoreDataError) in
            try backend.run(batch, origin: origin)
        }
        leaveWriting()
        let outcome = try result.get()
        // The caller updates the rows that the batch changed. The store may also have computed
        // values of other rows, which the row cache drops here.
        if !outcome.computed.isEmpty { rowCache.invalidate(outcome.computed) }
        if !outcome.keys.isEmpty { StoreWrites.noteWritten([store]) }
        return outcome.keys
    }
}
