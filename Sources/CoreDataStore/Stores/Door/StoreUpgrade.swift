import CoreDataModel
import CoreDataTrace
import Foundation

/// The steps of a migration that depend on the kind of store. The engine finds models and mappings.
package protocol StoreUpgrade: Sendable {
    /// Reads the content of a store before it is opened with a model. Changes nothing.
    ///
    /// - Throws: 260 if the store does not exist, 259 if it is not a store.
    func inspect(_ location: StoreLocation) throws(CoreDataError) -> StoreInspection

    /// Migrates a store in place, in one transaction.
    ///
    /// - Returns: the number of rows that were written; nil if another process has already migrated
    ///   the store.
    func migrate(
        _ location: StoreLocation, by change: SchemaChange, trace: Trace
    ) throws(CoreDataError) -> Int?

    /// Completes the work that a migration has deferred.
    ///
    /// - Parameters:
    ///   - store: the open store.
    ///   - change: a change from the store's model to the same model.
    func finishDeferredWork(
        of store: any ObjectStore, at location: StoreLocation, by change: SchemaChange, trace: Trace
    ) throws(CoreDataError)

    /// Replaces a store's content by the content of a new store, in one transaction.
    ///
    /// - Parameter fill: creates the new store at a URL, with additional options.
    /// - Returns: the result of `fill`; nil if another process has already replaced the content.
    func replaceContent<T>(
        of location: StoreLocation, _ replacement: ContentReplacement,
        fill: (URL, [AnyHashable: Any]) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T?

    /// Opens a store for use in one transaction, even if the store's migration is not finished.
    func openHolding(_ request: StoreRequest) throws(CoreDataError) -> any HoldingStore
}

/// A store that can run all of its operations in one transaction, which lasts until it is committed
/// or rolled back.
package protocol HoldingStore: ObjectStore {
    /// Takes the store's write lock and keeps it. Until the lock is released, saves are parts of
    /// one transaction.
    ///
    /// - Parameter isNeeded: checks the metadata when no other process can change it.
    /// - Returns: whether the lock is held; false if `isNeeded` returned false.
    /// - Throws: the error of a busy store after the timeout.
    func hold(if isNeeded: ([String: any Sendable]) -> Bool) throws(CoreDataError) -> Bool
    /// Commits all changes since the lock was taken, and removes a key from the metadata.
    func commitHold(forgetting key: String) throws(CoreDataError)
    /// Rolls back all changes since the lock was taken.
    func undoHold() throws(CoreDataError)
}

/// A migration of a store from one model to another that creates no objects.
package struct SchemaChange {
    package let source: ModelLayout
    package let destination: ModelLayout
    package let mapping: SchemaMapping
    /// The version hashes that the store must have. If they differ, another process has migrated
    /// the store, and nothing is done.
    package let sourceHashes: [String: Data]
    package let newMetadata: [String: any Sendable]
    /// The new model, for the model cache in the store.
    package let newModelCache: Data
    /// Whether the removal of unused columns and tables is deferred.
    package var isDeferred = false
    package var timeoutMilliseconds = StoreOptionsReader.usualTimeoutMilliseconds
    /// The entities of the store's configuration in both models, by layout index; nil for all.
    package var configured: (source: Set<Int>, destination: Set<Int>)?
    /// Called after each statement with the SQL text, inside the transaction. Tests throw an error
    /// here to interrupt the migration.
    package var afterStep: ((String) throws(CoreDataError) -> Void)?

    package init(
        source: ModelLayout, destination: ModelLayout, mapping: SchemaMapping,
        sourceHashes: [String: Data], newMetadata: [String: any Sendable], newModelCache: Data
    ) {
        self.source = source
        self.destination = destination
        self.mapping = mapping
        self.sourceHashes = sourceHashes
        self.newMetadata = newMetadata
        self.newModelCache = newModelCache
    }
}

/// The conditions under which a store's content is replaced.
package struct ContentReplacement {
    /// The version hashes that the store must still have once it is locked.
    package let hashes: [String: Data]
    /// The time to wait for other processes that write the store, or migrate it.
    package let timeoutMilliseconds: Int
    package let trace: Trace

    package init(hashes: [String: Data], timeoutMilliseconds: Int, trace: Trace) {
        self.hashes = hashes
        self.timeoutMilliseconds = timeoutMilliseconds
        self.trace = trace
    }
}
