import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import Foundation
import LabCheck
import LabScenario

/// A fetched results controller of a session, with a delegate so that it follows its context.
/// Steps make one and ask it what it shows; its context keeps it for one schedule.
final class WatchedList {
    private final class Follower: NSObject, NSFetchedResultsControllerDelegate {}

    private let controller: NSFetchedResultsController<NSManagedObject>
    private let follower = Follower()

    /// - Throws: what the first fetch throws.
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

    /// `name: count` for each section.
    var sections: [String] {
        (controller.sections ?? []).map { "\($0.name): \($0.numberOfObjects)" }
    }
}

extension StepRunner {
    func watch(_ query: Query, by sections: String?, _ name: String) throws(Stop) -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: query.entity.value)
        request.predicate = try predicate(query.predicate)
        request.sortDescriptors = query.sort.map {
            NSSortDescriptor(key: $0.keyPath.value, ascending: $0.isAscending)
        }
        let list: WatchedList
        do {
            list = try WatchedList(request, by: sections, in: context.context)
        } catch {
            let reason = (error as NSError).localizedDescription
            throw .engine(
                CoreDataError(.invalidArgument, "the results cannot be fetched: \(reason)"))
        }
        context.lists[name] = list
        return "\(list.count)"
    }

    func shown(_ list: String, isBySection: Bool, _ name: String?) throws(Stop) -> String {
        guard let list = context.lists[list] else { throw .missing(list) }
        let value: ObservedValue =
            isBySection ? .list(list.sections.map { .text($0) }) : .integer(Int64(list.count))
        bind(name, value)
        return value.quoted
    }
}
