import CoreDataModel
import CoreDataStore
import Foundation

/// The results of a fetch request, in sections, which follow the changes of a context.
///
/// The controller has no results before ``performFetch()``. If it has a delegate, it then follows
/// its context's did-change notifications. For example, an object that now matches is inserted in
/// memory, without a statement.
///
/// In two cases the results stay unchanged until the next ``performFetch()``: after a reset of the
/// context, and after a change that the request cannot evaluate in memory. Use the controller on
/// the context's queue.
///
/// `ResultType` has no constraint; see `NSFetchRequest` for the reason.
open class NSFetchedResultsController<ResultType>: NSObject {
    private let request: NSFetchRequest<ResultType>
    fileprivate(set) final var tracker: ResultsTracker
    private var typed: (list: ResultsList, objects: [ResultType])?

    /// Creates a controller; it does not fetch yet.
    ///
    /// - Parameters:
    ///   - fetchRequest: a request with sort descriptors; the first descriptors order by section.
    ///     Changing it later has no effect before the next fetch.
    ///   - sectionNameKeyPath: the value that names an object's section; nil for one section.
    ///   - name: a cache name. A later fetch with the same name fails if the request has changed.
    ///     Nil for no check.
    public init(
        fetchRequest: NSFetchRequest<ResultType>,
        managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        request = fetchRequest
        tracker = ResultsTracker(fetchRequest, context, sectionNameKeyPath, name)
        super.init()
        orTrap { () throws(CoreDataError) in try tracker.checkOrder() }
        tracker.view = { [weak self] in self.map { Self.view(of: $0) } }
    }

    private static func view(
        of controller: NSFetchedResultsController<ResultType>
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        if let same = controller as? NSFetchedResultsController<any NSFetchRequestResult> {
            return same
        }
        return ResultsView(sharing: controller.tracker) { [weak controller] name in
            controller?.sectionIndexTitle(forSectionName: name)
        }
    }

    /// Deletes the description stored under a name; nil deletes all.
    open class func deleteCache(withName name: String?) { ResultsConfiguration.forget(name) }

    /// The request.
    open var fetchRequest: NSFetchRequest<ResultType> { request }
    /// The context that fetches, and whose changes are followed.
    open var managedObjectContext: NSManagedObjectContext { tracker.context }
    /// The value that names an object's section.
    open var sectionNameKeyPath: String? { tracker.sectionNameKeyPath }
    /// The cache name, under which a changed request is detected.
    open var cacheName: String? { tracker.cacheName }
    /// The observer of changes; without a delegate, results do not change between fetches.
    open var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { tracker.delegate }
        set { tracker.delegate = newValue }
    }

    /// Fetches the results, and then follows the changes of the context. Executes one fetch. With
    /// sections, the values of all objects are read.
    ///
    /// - Throws: an error if the order separates objects of a section, or if the request fetches
    ///   objects of another type; and the fetch's errors.
    open func performFetch() throws {
        let context = tracker.context
        try context.bridgingServed("performFetch() of a results controller") {
            () throws(CoreDataError) in
            try tracker.fetch()
            guard let list = tracker.list else { return }
            guard Array(list.objects) is [ResultType] else {
                throw CoreDataError(
                    .invalidArgument,
                    "The fetch returned objects that are not \(ResultType.self). Declare the"
                        + " request for NSManagedObject, or set the entity's class name.")
            }
        }
    }

    /// The objects, in order; nil before the first fetch.
    open var fetchedObjects: [ResultType]? {
        guard let list = tracker.list else { return nil }
        tracker.emitShown(isBySection: false)
        if let typed, typed.list === list { return typed.objects }
        let objects = list.objects.compactMap { $0 as? ResultType }
        typed = (list, objects)
        return objects
    }

    /// The sections; nil before the first fetch.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        tracker.emitShown(isBySection: true)
        return tracker.list.map { list in list.sections.map { tracker.sectionInfo($0, list) } }
    }

    /// The object at a section and an index in it; traps for an invalid path.
    open func object(at indexPath: IndexPath) -> ResultType {
        orTrap { () throws(CoreDataError) in
            guard let list = tracker.list else {
                throw CoreDataError(
                    .invalidArgument, "The controller has no results; call performFetch() first.")
            }
            guard let object = try list.object(at: indexPath) as? ResultType else {
                throw CoreDataError(
                    .invalidArgument, "The object at \(indexPath) is not a \(ResultType.self).")
            }
            return object
        }
    }

    /// The index path of an object; nil if it is not among the results.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        (object as? NSManagedObject).flatMap { tracker.list?.path(of: $0) }
    }

    // MARK: Index of sections

    /// The title of a section: the first letter of its name, in upper case.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        sectionName.first.map { $0.uppercased() }
    }

    /// The titles of the sections, without duplicates.
    open var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return tracker.sectionTitles.filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// The first section with a title; traps for a title that no section has.
    ///
    /// - Parameter sectionIndex: the index of the title in ``sectionIndexTitles``.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        orTrap { () throws(CoreDataError) in
            let titles = sectionIndexTitles
            guard titles.indices.contains(sectionIndex), titles[sectionIndex] == title,
                let section = tracker.sectionTitles.firstIndex(of: title)
            else {
                throw CoreDataError(
                    .invalidArgument,
                    "Index title '\(title)' is not at \(sectionIndex); the titles are \(titles).")
            }
            return section
        }
    }

    // MARK: Identity

    /// Whether both controllers show the same results. The controller that a delegate receives
    /// equals the program's controller.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? any ResultsSharing)?.tracker === tracker
    }

    open override var hash: Int { ObjectIdentifier(tracker).hashValue }
}

/// A controller that returns the results of a tracker.
protocol ResultsSharing {
    var tracker: ResultsTracker { get }
}

extension NSFetchedResultsController: ResultsSharing {}

/// The controller that is passed to delegates, with the same results. The delegate's methods do not
/// depend on the result type.
private final class ResultsView: NSFetchedResultsController<any NSFetchRequestResult> {
    private let title: (String) -> String?

    init(sharing tracker: ResultsTracker, title: @escaping (String) -> String?) {
        self.title = title
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.options = tracker.request.options
        super.init(
            fetchRequest: request, managedObjectContext: tracker.context,
            sectionNameKeyPath: tracker.sectionNameKeyPath, cacheName: tracker.cacheName)
        self.tracker = tracker
    }

    override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        title(sectionName)
    }
}
