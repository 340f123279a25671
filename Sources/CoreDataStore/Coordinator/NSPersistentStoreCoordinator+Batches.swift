import CoreDataModel
import Foundation

/// Batch requests. They are serialized with all other writes, and do not post notifications.
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
        // Callers merge only the rows that the batch changed. All rows with values that the store
        // has computed are removed from the row cache here.
        if !outcome.computed.isEmpty { rowCache.invalidate(outcome.computed) }
        if !outcome.keys.isEmpty { StoreWrites.noteWritten([store]) }
        return outcome.keys
    }
}
