import CoreDataModel
import Foundation

/// Batch requests: written beside no other write, told to nobody.
extension NSPersistentStoreCoordinator {
    /// Passes a batch to the store.
    ///
    /// - Parameter name: the request's class, for the error of a store that cannot run it.
    package func write(
        _ batch: BatchPlan, to store: NSPersistentStore, origin: WriteOrigin, named name: String
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        guard store.backend is any BatchStore, let backend = store.keyed as? any BatchStore else {
            throw CoreDataError(
                .storeUnsupportedRequest,
                "Unknown command type \(name): a store of type '\(store.type)' runs no batch"
                    + " requests. Change objects and save them, or use a SQLite store.")
        }
        enterWriting()
        let result = Result { () throws(CoreDataError) in
            try backend.run(batch, origin: origin)
        }
        leaveWriting()
        let outcome = try result.get()
        // Nobody who merges the batch's own rows would know of them.
        if !outcome.computed.isEmpty { rowCache.invalidate(outcome.computed) }
        if !outcome.keys.isEmpty { StoreWrites.noteWritten([store]) }
        return outcome.keys
    }
}
