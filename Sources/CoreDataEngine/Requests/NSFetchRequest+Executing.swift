import CoreDataStore
import Foundation

extension NSFetchRequest: ContextRequest {
    /// The results, as those of an asynchronous fetch that has already run.
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult {
        let results: [ResultType] = try context.typedResults(options)
        let request = NSAsynchronousFetchRequest(fetchRequest: self)
        return NSAsynchronousFetchResult(request: request, context: context, results: results)
    }
}
