import CoreDataStore

/// A request that a context can run.
///
/// Each public request class conforms. `execute(_:)` of a context and `execute(_:with:)` of a
/// coordinator run the request on the context's queue.
protocol ContextRequest: NSPersistentStoreRequest {
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult
}

extension NSManagedObjectContext {

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
