import CoreData

/// A results controller that follows a context through a program.
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

    /// Fetches again after a reset.
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

    /// A delegate with this method makes the controller track objects.
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
}
