import CoreDataStore
import Foundation

/// Transactions that read and save.
extension NSManagedObjectContext {
    /// Runs a block in a snapshot of the stores and saves its changes; if other transactions
    /// prevent the save, runs the block again in a new snapshot.
    ///
    /// The context is pinned to the current query generation, and all of its objects become faults,
    /// so that the block reads the newest rows. After an error, the changes are rolled back. The
    /// block is repeated after a conflict that the merge policy has not resolved, and after an
    /// error with ``FaultlineTransactionRefusedErrorKey``. In a store on a server that is not
    /// serializable, rows that the block only reads may change before the save.
    ///
    /// The call waits for the context's queue. Each attempt costs the statements of the block, of
    /// the snapshot and of the save.
    ///
    /// - Parameters:
    ///   - attempts: the maximum number of times that the block runs.
    ///   - block: reads and changes objects of the context; it may save the changes itself.
    /// - Returns: the result of the block.
    /// - Throws: the last error of the block or of the save; an error for a context with unsaved
    ///   changes, or with a parent.
    @discardableResult
    public final func performTransaction<T>(
        attempts: Int = 5, _ block: () throws -> T
    ) throws -> T {
        do {
            return try performAndWait { try runTransaction(attempts, block) }
        } catch let error as CoreDataError {
            throw error.nsError
        }
    }

    private func runTransaction<T>(_ attempts: Int, _ block: () throws -> T) throws -> T {
        guard let coordinator = persistentStoreCoordinator, parent == nil else {
            throw CoreDataError(
                .invalidArgument,
                "Only a context with a coordinator runs transactions; use the parent context.")
        }
        guard !changes.hasChanges, !changes.needsProcessing else {
            throw CoreDataError(
                .invalidArgument,
                "The context has unsaved changes, which the transaction would save or discard. Save"
                    + " or roll back first.")
        }
        let earlier = queryPin
        defer {
            if case .newest = earlier {
                setPin(.newest, coordinator)
            } else {
                advanceGeneration()
            }
        }
        var attempt = 1
        while true {
            do {
                try beginTransaction(coordinator)
                let result = try block()
                if changes.hasChanges || changes.needsProcessing { try saveChanges() }
                return result
            } catch {
                try rollbackChanges()
                guard attempt < attempts, Self.isRepeatable(error) else { throw error }
                attempt += 1
            }
        }
    }

    /// Makes the next read see the newest rows. A store that cannot keep a state is read unpinned.
    private func beginTransaction(
        _ coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) {
        let holds = coordinator.persistentStores.allSatisfy {
            $0.backend.traits.contains(.heldState)
        }
        if holds { try pin(to: .current) }
        try refreshAll()
    }

    /// Whether a new snapshot can avoid the error.
    private static func isRepeatable(_ error: any Error) -> Bool {
        let error = (error as? CoreDataError)?.nsError ?? error as NSError
        return error.userInfo[FaultlineTransactionRefusedErrorKey] as? Bool == true
            || error.domain == NSCocoaErrorDomain
                && error.code == CoreDataError.Code.mergeConflict.rawValue
    }
}
