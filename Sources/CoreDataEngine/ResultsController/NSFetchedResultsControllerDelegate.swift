import CoreDataModel
import CoreDataStore
import Foundation

/// Receives the changes of a results controller's results.
///
/// Every method is optional. If a delegate implements no method that reports changes, its
/// controller keeps its results between fetches, as without a delegate.
///
/// For each change, the controller calls the methods in this order: the "will change" method, the
/// methods for sections, the methods for objects, the "did change" method. Indexes of deleted,
/// updated and moved objects are those before the change. Indexes of inserted objects, and the new
/// indexes of moved objects, are those after the change.
///
/// The controller that a method receives is equal (`==`) to the delegate's controller.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// Called for each object that was added, removed, moved or changed.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?)

    /// Called for each section that was added or removed.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// Called instead of all other methods if the results have no section key path.
    ///
    /// An object whose values have changed is reported as a removal and an insertion that are
    /// associated with each other.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

    /// Returns the title of a section. The controller uses it in place of its own method's result.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?

    /// Called before all other methods for a change. The controller still returns the old results.
    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Called after all other methods for a change.
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>)
}

/// Defaults for the methods that a delegate does not implement.
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

    /// Makes the controller call the other methods.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { controller.tracker.delegateTakesNoDifference() }

    /// Returns the result of the controller's own method.
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
