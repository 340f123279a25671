import CoreDataStore

/// A request that a context can be asked to run.
///
/// Each public request class conforms with what it does; `execute(_:)` of a context and
/// `execute(_:with:)` of a coordinator call it, on the context's queue.
protocol ContextRequest: NSPersistentStoreRequest {
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult
}

extension NSManagedObjectContext {
    /// Runs a request without touching the context's own changes: a batch request, a request for
    /// history, or an asynchronous fetch.
    ///
    /// Costs what the request says. Objects of the context do not learn of what a batch request
    /// changed; merge its ids with `mergeChanges(fromRemoteContextSave:into:)`.
    ///
    /// - Throws: 134091 for a request that no store knows, among them `NSSaveChangesRequest`, and
    ///   the store's failures.
    public final func execute(
        _ request: NSPersistentStoreRequest
    ) throws -> NSPersistentStoreResult {
        try bridgingServed("execute(_:)") { () throws(CoreDataError) in
            try executeRequest(request)
        }
    }

    package final func executeRequest(
        _ request: NSPersistentStoreRequest
    ) throws(CoreDataError) -> NSPersistentStoreResult {
        try checkConfined("execute(_:)")
        guard let request = request as? any ContextRequest else {
            throw CoreDataError(
                .storeUnsupportedRequest,
                request is NSSaveChangesRequest
                    ? "A context does not execute an NSSaveChangesRequest. Call save()."
                    : "A \(type(of: request)) cannot be executed. Use a batch request, a history"
                        + " request or an asynchronous fetch request.")
        }
        _ = try requireRegistry()
        return try request.run(in: self)
    }
}
