import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Synchronization

/// Updates a results controller's list after changes of its context, and notifies the delegate.
///
/// The controller owns its tracker, which works on the context's queue. Some changes cannot be
/// evaluated in memory; for example, sections are out of order. Tracking then ends until the next
/// fetch, which throws.
final class ResultsTracker {
    let context: NSManagedObjectContext
    let request: any FetchRequestHolder
    let sectionNameKeyPath: String?
    let cacheName: String?
    weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet { tracksChanges = true }
    }
    var view: () -> NSFetchedResultsController<any NSFetchRequestResult>?
    private(set) var list: ResultsList?
    private var scope: ResultsScope?
    private var observers: [any NSObjectProtocol] = []
    private var takesDifference = true
    /// Whether the delegate implements a method that reports changes; known after the first change.
    private var tracksChanges = true
    /// The number of delegate calls for the current change that reached a default implementation.
    private var callsLeftOut = 0

    init(
        _ request: any FetchRequestHolder, _ context: NSManagedObjectContext, _ keyPath: String?,
        _ cacheName: String?
    ) {
        self.request = request
        self.context = context
        sectionNameKeyPath = keyPath
        self.cacheName = cacheName
        view = { nil }
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    func checkOrder() throws(CoreDataError) {
        // An empty list of sort descriptors is permitted; the store then determines the order.
        if request.options.sortDescriptors != nil { return }
        throw CoreDataError(
            .invalidArgument,
            "An instance of NSFetchedResultsController requires a fetch request with sort"
                + " descriptors; set sortDescriptors.")
    }

    // MARK: Fetching

    /// Fetches the results, builds the sections, and then follows the changes of the context.
    ///
    /// - Throws: the fetch's errors, and an error in these cases:
    ///   - The request has no order, or its results are not objects.
    ///   - A section is out of order.
    ///   - The named cache belongs to another request.
    func fetch() throws(CoreDataError) {
        try checkOrder()
        let options = request.options
        guard options.resultType == .managedObjectResultType else {
            throw CoreDataError(
                .invalidArgument,
                "An NSFetchedResultsController fetches objects; leave resultType at"
                    + " .managedObjectResultType.")
        }
        let scope = try scope(options)
        let configuration = ResultsConfiguration(scope)
        try cacheName.map { name throws(CoreDataError) in
            try ResultsConfiguration.check(configuration, name)
        }
        let results = try context.unheard { () throws(CoreDataError) in
            try context.fetchResults(options)
        }
        guard case .objects(let objects) = results else { return }
        context.emit(
            .watched(
                ObjectIdentifier(self), options, sections: sectionNameKeyPath, objects))
        if request.options.entity == nil, let name = options.entityName {
            request.options.entity = context.binding.entity(named: name)
        }
        do {
            let names = try scope.sectionKeys.map { _ in
                try ContiguousArray(objects.map { try scope.section(of: $0) })
            }
            list = try ResultsList(ContiguousArray(objects), sections: names)
        } catch {
            throw (error as? CoreDataError) ?? CoreDataError(.invalidArgument, "\(error)")
        }
        self.scope = scope
        if let cacheName { ResultsConfiguration.keep(configuration, cacheName) }
        observe()
    }

    private func scope(_ options: FetchRequestOptions) throws(CoreDataError) -> ResultsScope {
        guard let name = options.entityName else {
            throw CoreDataError(
                .invalidArgument, "A fetch request must have an entity. Set entityName or entity.")
        }
        return ResultsScope(
            entity: try context.entityDescription(named: name).layout,
            includesSubentities: options.includesSubentities, predicate: options.predicate,
            sortDescriptors: options.sortDescriptors ?? [],
            sectionKeys: sectionNameKeyPath?.split(separator: ".").map(String.init))
    }

    // MARK: Following the context

    private func observe() {
        guard observers.isEmpty else { return }
        observers = [
            on(.NSManagedObjectContextObjectsDidChange) { $0.noteChange($1) },
            on(.NSManagedObjectContextDidMergeChangesObjectIDs) { $0.noteMerge($1) },
        ]
    }

    private func on(
        _ name: Notification.Name,
        _ body: @escaping @Sendable (ResultsTracker, [AnyHashable: Any]) -> Void
    ) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: name, object: context, queue: nil
        ) { [weak self] notification in
            guard let self else { return }
            body(self, notification.userInfo ?? [:])
        }
    }

    private func noteChange(_ info: [AnyHashable: Any]) {
        if info[NSInvalidatedAllObjectsKey] != nil {
            scope = nil
            return
        }
        func objects(_ key: String) -> Set<NSManagedObject> {
            info[key] as? Set<NSManagedObject> ?? []
        }
        follow(
            [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey].map(objects),
            gone: [NSDeletedObjectsKey, NSInvalidatedObjectsKey].map(objects))
    }

    /// A merge refreshes only registered objects. Other objects that it names may match the request
    /// now.
    private func noteMerge(_ info: [AnyHashable: Any]) {
        guard let scope, let ids = info[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> else {
            return
        }
        let registry = context.registry
        let unseen = ids.filter { scope.covers($0.layout) && registry.registered($0.key) == nil }
        follow([Set(unseen.map { registry.object(for: $0.key) })], gone: [])
    }

    private func follow(_ touched: [Set<NSManagedObject>], gone: [Set<NSManagedObject>]) {
        guard let scope, let list, let delegate, tracksChanges else { return }
        do {
            let event = try ResultsEvent(touched: touched, gone: gone, list, scope)
            guard !event.isEmpty else { return }
            let change = try ResultsChange(event, to: list, in: scope)
            if change.isEmpty {
                self.list = change.new
            } else {
                deliver(change, to: delegate)
            }
        } catch {
            self.scope = nil
        }
    }

    // MARK: Notifying the delegate

    private func deliver(
        _ change: ResultsChange, to delegate: any NSFetchedResultsControllerDelegate
    ) {
        guard let view = view() else { return }
        if sectionNameKeyPath == nil {
            let old = list
            list = change.new
            takesDifference = true
            delegate.controller(view, didChangeContentWith: change.difference)
            if takesDifference { return }
            list = old
        }
        let old = list
        callsLeftOut = 0
        delegate.controllerWillChangeContent(view)
        list = change.new
        let calls = change.report(to: delegate, from: view) { self.sectionInfo($0, $1) }
        delegate.controllerDidChangeContent(view)
        guard callsLeftOut == calls + 2 else { return }
        // The delegate implements none of the methods that report changes.
        tracksChanges = false
        list = old
    }

    func emitShown(isBySection: Bool) {
        context.emit(.shown(ObjectIdentifier(self), isBySection: isBySection))
    }

    /// Called by the default implementation of the delegate's difference method.
    func delegateTakesNoDifference() { takesDifference = false }

    /// Called by the default implementations of the other delegate methods.
    func delegateLeftCallOut() { callsLeftOut += 1 }

    // MARK: Sections

    func sectionInfo(
        _ section: ResultsList.Section, _ list: ResultsList
    ) -> any NSFetchedResultsSectionInfo {
        ResultsSection(
            list: list, range: section.range, name: section.name,
            indexTitle: indexTitle(section.name))
    }

    private func indexTitle(_ name: String) -> String? {
        guard let view = view() else { return nil }
        guard let delegate else { return view.sectionIndexTitle(forSectionName: name) }
        return delegate.controller(view, sectionIndexTitleForSectionName: name)
    }

    var sectionTitles: [String] {
        (list?.sections ?? []).map { indexTitle($0.name) ?? "" }
    }
}

// @unchecked Sendable because a tracker is only used on its context's queue: programs call its
// controller there, and the context posts there.
extension ResultsTracker: @unchecked Sendable {}
