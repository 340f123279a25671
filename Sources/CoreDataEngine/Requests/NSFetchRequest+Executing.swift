import CoreDataStore
import Foundation

extension NSFetchRequest {
    /// See `execute()`.
    final func fetchInCurrentContext() throws -> [ResultType] {
        try bridgingErrors { () throws(CoreDataError) in
            guard let context = NSManagedObjectContext.current else {
                throw CoreDataError(
                    .invalidArgument,
                    "execute() of a fetch request was called outside perform and performAndWait of"
                        + " a context. Call it there, or use the context's fetch(_:).")
            }
            return try context.typedResults(options)
        }
    }
}

extension NSFetchRequest: ContextRequest {
    /// The results, as those of an asynchronous fetch that has run already.
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult {
        let results: [ResultType] = try context.typedResults(options)
        let request = NSAsynchronousFetchRequest(fetchRequest: self)
        return NSAsynchronousFetchResult(request: request, context: context, results: results)
    }
}
