import CoreData
import LabBench

/// The operation that simulates a list on a screen with a fetched results controller.
extension LabBench.Operation {
    static let results = [watchResults]

    private static let watchResults = Self(
        "watch-results", parameters: [.word("delegate", ["none", "told"])],
        library: BookLibrary(),
        rows: { variant in
            var shape = variant.shape
            shape.seed += 1
            return Dataset(shape)
        },
        sentence: { variant in
            let told =
                variant.word("delegate") == "told" ? ", whose delegate receives each change" : ""
            return "Inserts \(variant.shape.bookTotal) books into a context with a results "
                + "controller that sorts by title\(told); nothing is saved."
        },
        twinSentence: { _ in "" },
        engine: .confined { run, _ in
            guard let dataset = run.dataset else {
                throw MeasurementError("a results controller needs rows to watch")
            }
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: run.context,
                sectionNameKeyPath: nil, cacheName: nil)
            let listener = ResultsListener()
            if run.variant.word("delegate") == "told" { controller.delegate = listener }
            try controller.performFetch()
            let inserted = try dataset.insert(into: run.context) { _ in }
            run.context.processPendingChanges()
            let found = controller.fetchedObjects?.count ?? 0
            return EngineOutcome(
                UInt64(found &+ listener.inserted), keeping: (controller, listener, inserted))
        },
        twin: nil)
}

private final class ResultsListener: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var inserted = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        if type == .insert { inserted += 1 }
    }
}
