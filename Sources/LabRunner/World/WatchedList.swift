import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// A fetched results controller of a session. It has a delegate, so that it follows its context.
/// Steps create it and read its contents. Its context keeps it for one schedule.
final class WatchedList {
    private final class Follower: NSObject, NSFetchedResultsControllerDelegate {
        func controllerDidChangeContent(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>
        ) {}
    }

    private let controller: NSFetchedResultsController<NSManagedObject>
    private let follower = Follower()

    /// - Throws: the error of the first fetch.
    init(
        _ request: NSFetchRequest<NSManagedObject>, by sections: String?,
        in context: NSManagedObjectContext
    ) throws {
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections,
            cacheName: nil)
        controller.delegate = follower
        try controller.performFetch()
    }

    var count: Int { controller.fetchedObjects?.count ?? 0 }

    /// One `name: count` for each section.
    var sections: [String] {
        (controller.sections ?? []).map { "\($0.name): \($0.numberOfObjects)" }
    }
}
