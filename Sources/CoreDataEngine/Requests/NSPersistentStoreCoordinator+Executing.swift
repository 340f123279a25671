import CoreDataStore
import Foundation

/// Passes requests of programs to the stores, below `fetch`, `save` and `execute` of a context.
extension NSPersistentStoreCoordinator {
    /// Passes a request to the stores, for a context.
    ///
    /// Must be called on the context's queue. A fetch ignores the context's unsaved changes and
    /// returns an array; a save request returns an empty array; other requests return their result.
    ///
    /// - Throws: 134091 for a request that cannot be passed on, and the store's failures.
    @discardableResult
    public func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
    ) throws -> Any {
        try context.bridgingServed("execute(_:with:)") { () throws(CoreDataError) -> Any in
            try context.checkConfined("execute(_:with:)")
            guard context.persistentStoreCoordinator === self else {
                throw CoreDataError(
                    .invalidArgument,
                    "The context has another coordinator; pass a context of this coordinator.")
            }
            RequestingContext.note(context)
            if let save = request as? NSSaveChangesRequest {
                context.emit(.called("execute(_:with:) of an NSSaveChangesRequest"))
                return try run(save)
            }
            if let fetch = request as? any FetchRequestHolder {
                return try run(fetch.options, in: context)
            }
            return try context.executeRequest(request)
        }
    }

    private func run(
        _ options: FetchRequestOptions, in context: NSManagedObjectContext
    ) throws(CoreDataError) -> Any {
        var options = options
        options.includesPendingChanges = false
        switch try context.fetchResults(options) {
        case .objects(let objects): return objects
        case .ids(let ids): return ids
        case .count(let count): return [NSNumber(value: count)]
        case .dictionaries(let dictionaries): return dictionaries
        }
    }

    /// Writes the stores' metadata. Objects are written by their context.
    private func run(_ request: NSSaveChangesRequest) throws(CoreDataError) -> [Any] {
        guard request.isEmpty else {
            throw CoreDataError(
                .storeUnsupportedRequest,
                "A coordinator writes the metadata for an empty NSSaveChangesRequest; objects are"
                    + " written by save() of their context.")
        }
        for store in request.affectedStores ?? persistentStores {
            try writeMetadata(of: store)
        }
        return []
    }
}
