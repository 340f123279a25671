import CBaseline
import CoreData
import LabBench

/// The operation that merges the save of one context into another context.
extension LabBench.Operation {
    static let merging = [mergeDelivery]

    private static let mergeDelivery = Self(
        "merge-delivery", parameters: [.integer("count", 1...100_000_000, 10_000)],
        access: .disturbs, library: BookLibrary(),
        scale: Scale(parameter: "count", unit: "changed books"),
        sentence: { variant in
            "Merges another context's save of \(variant.integer("count")) changed books into a"
                + " context that holds these books, and reads each book again."
        },
        twinSentence: { _ in "One SELECT of the changed rows, which replaces the rows in memory." },
        engine: .confined(
            prepare: { run in
                let prepared = Prepared(try run.firstBooks(in: run.context))
                let other = run.stack.container.newBackgroundContext()
                try other.performAndWait {
                    let saved = SaveCatcher(other)
                    let books = try run.firstBooks(in: other)
                    for book in books { book.pages += 1 }
                    try other.save()
                    prepared.notification = saved.notification
                }
                return prepared
            },
            run: { run, prepared in
                guard let notification = prepared.notification else {
                    throw MeasurementError("the save posted no notification")
                }
                run.context.mergeChanges(fromContextDidSave: notification)
                var sum: UInt64 = 0
                for case let book as Book in prepared.objects { sum &+= book.touched }
                return EngineOutcome(sum)
            }),
        twin: TwinWork { cb_merge($0.file, Int64($0.variant.integer("count")), $1) })
}

/// Keeps the notification of a context's next save.
final class SaveCatcher {
    private(set) var notification: Notification?
    private var observer: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext) {
        // Safe: the notification arrives on the thread that saves, and this object outlives the
        // save.
        nonisolated(unsafe) unowned let catcher = self
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { posted in
            catcher.notification = posted
        }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }
}
