import CoreData

/// The headlines that a screen shows. The list belongs to the main actor. It updates itself after
/// background saves.
@MainActor
public final class HeadlineList: NSObject, NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<Headline>
    public private(set) var refreshes = 0

    public init(_ desk: NewsDesk) throws {
        let request = NSFetchRequest<Headline>(entityName: "Headline")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: desk.container.viewContext,
            sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        controller.delegate = self
        try controller.performFetch()
    }

    public var texts: [String] { (controller.fetchedObjects ?? []).map(\.text) }

    public nonisolated func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        MainActor.assumeIsolated { refreshes += 1 }
    }
}
