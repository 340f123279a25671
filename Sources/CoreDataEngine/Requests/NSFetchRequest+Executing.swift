import CoreDataStore
import Foundation

extension NSFetchRequest: ContextRequest {
    /// Runs the fetch and returns its results as an asynchronous fetch result.
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult {
        let results: [ResultType] = try context.typedResults(options)
        let request = NSAsynchronousFetchRequest(fetchRequest: self)
        return NSAsynchronousFetchResult(request: request, context: context, results: results)
    }
}
