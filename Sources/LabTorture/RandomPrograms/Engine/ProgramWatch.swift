import CoreData

/// A fetched results controller that exists while a program runs.
final class ProgramWatch: NSObject, NSFetchedResultsControllerDelegate {
    private let query: ProgramQuery
    private var controller: NSFetchedResultsController<NSManagedObject>?

    init(_ query: ProgramQuery) { self.query = query }

    func start(_ context: NSManagedObjectContext) throws {
        let made = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
            cacheName: nil)
        made.delegate = self
        controller = made
        try fetch()
    }

    /// Performs the fetch again, which is necessary after a reset.
    func fetch() throws {
        let context = controller?.managedObjectContext
        try context?.performAndWait { try controller?.performFetch() }
    }

    private var request: NSFetchRequest<NSManagedObject> { query.request { _ in nil } }

    var listed: String { Self.text(controller?.fetchedObjects ?? []) }

    var found: String? {
        (try? controller?.managedObjectContext.fetch(request)).map(Self.text)
    }

    private static func text(_ objects: [NSManagedObject]) -> String {
        objects.map { "#\(ProgramContexts.number(of: $0) ?? 0)" }.joined(separator: " ")
    }

    /// The controller tracks changes only if its delegate implements this method.
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
}
