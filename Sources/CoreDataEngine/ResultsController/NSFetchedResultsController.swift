import CoreDataModel
import CoreDataStore
import Foundation

/// The results of a fetch request, in sections, kept up to date as its context changes.
///
/// Nothing is known before ``performFetch()``. From then on the controller follows what its
/// context's did-change notification tells, as long as it has a delegate: what comes to belong to
/// the results is inserted, in memory and without a statement. After a reset of the context, and
/// after a change that the request cannot judge in memory, results stay as they are until the next
/// ``performFetch()``. Use it on the context's queue.
///
/// `ResultType` has no constraint, for the reason that `NSFetchRequest` states.
open class NSFetchedResultsController<ResultType>: NSObject {
    private let request: NSFetchRequest<ResultType>
    let tracker: ResultsTracker
    private var typed: (list: ResultsList, objects: [ResultType])?

    /// Makes a controller; it fetches nothing yet.
    ///
    /// - Parameters:
    ///   - fetchRequest: has sort descriptors; the first ones order by section. Changing it later
    ///     has no effect before the next fetch.
    ///   - sectionNameKeyPath: the value that names an object's section; nil for one section.
    ///   - name: a name under which a changed request is noticed; nil for none.
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

    /// A controller of the same results for delegates, which know no result type.
    fileprivate init(sharing tracker: ResultsTracker) {
        request = NSFetchRequest<ResultType>()
        request.options = tracker.request.options
        self.tracker = tracker
        super.init()
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

    /// Forgets what a cache was made for; for nil, all of them.
    open class func deleteCache(withName name: String?) { ResultsConfiguration.forget(name) }

    /// The request.
    open var fetchRequest: NSFetchRequest<ResultType> { request }
    /// The context that fetches and is followed.
    open var managedObjectContext: NSManagedObjectContext { tracker.context }
    /// The value that names an object's section.
    open var sectionNameKeyPath: String? { tracker.sectionNameKeyPath }
    /// The name under which a changed request is noticed.
    open var cacheName: String? { tracker.cacheName }
    /// Who is told of changes; without, results do not change between fetches.
    open var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { tracker.delegate }
        set { tracker.delegate = newValue }
    }

    /// Fetches, and follows the context from here on. One fetch; with sections, values of all
    /// objects are read.
    ///
    /// - Throws: a section that the order does not keep together, a request for other things than
    ///   objects of this controller's type, and what a fetch throws.
    open func performFetch() throws {
        try bridgingErrors { () throws(CoreDataError) in
            try tracker.fetch()
            guard let list = tracker.list else { return }
            guard Array(list.objects) is [ResultType] else {
                throw CoreDataError(
                    .invalidArgument,
                    "The fetch returned objects that are no \(ResultType.self). Declare the request"
                        + " for NSManagedObject, or set managedObjectClassName of the entity.")
            }
        }
    }

    /// The objects, in order; nil before the first fetch.
    open var fetchedObjects: [ResultType]? {
        guard let list = tracker.list else { return nil }
        tracker.tellShown(isBySection: false)
        if let typed, typed.list === list { return typed.objects }
        let objects = list.objects.compactMap { $0 as? ResultType }
        typed = (list, objects)
        return objects
    }

    /// The sections; nil before the first fetch.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        tracker.tellShown(isBySection: true)
        return tracker.list.map { list in list.sections.map { tracker.sectionInfo($0, list) } }
    }

    /// The object at a section and a place in it; traps for a path that leads nowhere.
    open func object(at indexPath: IndexPath) -> ResultType {
        orTrap { () throws(CoreDataError) in
            guard let list = tracker.list else {
                throw CoreDataError(
                    .invalidArgument, "There are no results yet; call performFetch() first.")
            }
            guard let object = try list.object(at: indexPath) as? ResultType else {
                throw CoreDataError(
                    .invalidArgument, "The object at \(indexPath) is no \(ResultType.self).")
            }
            return object
        }
    }

    /// The section and the place in it of an object; nil for one that is not among the results.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        (object as? NSManagedObject).flatMap { tracker.list?.path(of: $0) }
    }

    // MARK: Index of sections

    /// The title of a section: the first letter of its name, in upper case.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        sectionName.first.map { $0.uppercased() }
    }

    /// The titles of the sections, each once.
    open var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return tracker.sectionTitles.filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// The first section with a title; traps for a title that no section has.
    ///
    /// - Parameter sectionIndex: the place of the title among ``sectionIndexTitles``.
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

    /// Whether both controllers show the same results: what a delegate is given equals the
    /// controller that has the delegate.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? any ResultsSharing)?.tracker === tracker
    }

    open override var hash: Int { ObjectIdentifier(tracker).hashValue }
}

/// Whoever shows the results of a tracker.
protocol ResultsSharing {
    var tracker: ResultsTracker { get }
}

extension NSFetchedResultsController: ResultsSharing {}

/// The controller as delegates see it, whatever its result type is.
private final class ResultsView: NSFetchedResultsController<any NSFetchRequestResult> {
    private let title: (String) -> String?

    init(sharing tracker: ResultsTracker, title: @escaping (String) -> String?) {
        self.title = title
        super.init(sharing: tracker)
    }

    override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        title(sectionName)
    }
}
