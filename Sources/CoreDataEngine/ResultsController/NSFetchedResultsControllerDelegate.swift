import CoreDataModel
import CoreDataStore
import Foundation

/// Is told by a results controller what changes in its results.
///
/// Every method may be left out; a controller whose delegate leaves out all that tell of changes
/// keeps its results between fetches, as one without a delegate does. On one change the order is:
/// will change, sections, objects, did change. Places of what is deleted, updated or moved away are
/// those before the change; places of what is inserted or moved in are those behind it.
///
/// The controller that is given equals (`==`) the one that has the delegate.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// Called for each object that came, went, moved or was changed.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?)

    /// Called for each section that came or went.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// Called instead of all others where the results have no section key path.
    ///
    /// An object whose values have changed is a removal and an insertion that name each other.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

    /// Gives the title of a section, in place of the controller's own method.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?

    /// Called before all others of a change; the results are still the old ones.
    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Called behind all others of a change.
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>)
}

/// The methods in the place of those that a delegate leaves out.
extension NSFetchedResultsControllerDelegate {
    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) { controller.tracker.delegateLeftCallOut() }

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) { controller.tracker.delegateLeftCallOut() }

    /// Lets the controller call the other methods.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { controller.tracker.delegateTakesNoDifference() }

    /// Gives what the controller's own method gives.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? { controller.sectionIndexTitle(forSectionName: sectionName) }

    /// Does nothing.
    public func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { controller.tracker.delegateLeftCallOut() }

    /// Does nothing.
    public func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { controller.tracker.delegateLeftCallOut() }
}
