import BenchResults
import CBaseline
import CoreData
import LabBench

/// The import operation, during which the main context fetches. A parameter selects one of three
/// stacks: parent and child contexts, sibling contexts, or two coordinators.
extension LabBench.Operation {
    static let imports = [importing]

    private static let importing = Self(
        "import",
        parameters: [
            .word("stack", ["nested", "sibling", "separate"]),
            .integer("records", 1...10_000_000, 15_000), .integer("chunk", 1...10_000_000, 500),
        ],
        access: .disturbs,
        library: BookLibrary(),
        rows: { variant in
            var shape = variant.shape
            shape.authors = max(1, variant.integer("records") / shape.books)
            // With another seed, the imported rows differ from the rows in the file.
            shape.seed += 1
            return Dataset(shape)
        },
        scale: Scale(parameter: "records", unit: "records"),
        countsVary: true,
        sentence: { variant in
            let stack =
                switch variant.word("stack") {
                case "nested":
                    "a child of the main context, which is a child of a private writer"
                case "sibling": "a sibling of the main context, whose saves it merges"
                default: "a context with a separate coordinator on the same file"
                }
            return "Imports \(variant.integer("records")) books in saves of "
                + "\(variant.chunk) through \(stack), while the main context fetches "
                + "50 books and edits one, again and again."
        },
        twinSentence: { _ in
            "One connection inserts the rows in as many transactions, while another connection"
                + " fetches 50 rows again and again."
        },
        engine: .standalone { run in try ImportStack(run).finish() },
        twin: TwinWork { run, result in
            let chunk = Int64(run.variant.chunk)
            run.dataset?.withBaseline { cb_import(run.file, $0, chunk, result) }
        })
}

/// One of the three stacks, and the two tasks that run on it concurrently.
private final class ImportStack {
    let run: StandaloneRun
    let dataset: Dataset
    let lens: Lens
    let stack: EngineStack
    /// The stack that imports. With two coordinators, it is a second stack.
    let importing: EngineStack
    let main: NSManagedObjectContext
    let importer: NSManagedObjectContext
    /// The parent of the main context; nil if the main context saves into the store.
    let writer: NSManagedObjectContext?
    private var observer: (any NSObjectProtocol)?

    init(_ run: StandaloneRun) throws {
        guard let dataset = run.dataset else {
            throw MeasurementError("the import has no rows")
        }
        self.run = run
        self.dataset = dataset
        // Conflicts and merges are figures of this operation, so they are always counted.
        lens = run.lens ?? Lens()
        stack = try EngineStack(run.file, run.model, lens: lens)
        let kind = run.variant.word("stack")
        importing = kind == "separate" ? try EngineStack(run.file, run.model, lens: lens) : stack
        switch kind {
        case "nested":
            let above = stack.container.newBackgroundContext()
            let shown = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            shown.parent = above
            let below = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            below.parent = shown
            (writer, main, importer) = (above, shown, below)
        default:
            (writer, main) = (nil, stack.container.viewContext)
            importer = importing.container.newBackgroundContext()
        }
        for context in [main, importer, writer].compactMap(\.self) {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        }
        if kind == "sibling" { main.automaticallyMergesChangesFromParent = true }
        if kind == "separate" { deliverAcrossCoordinators() }
    }

    /// Lets the main context merge the importer's saves on the main queue.
    private func deliverAcrossCoordinators() {
        let main = main
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: importer, queue: nil
        ) { saved in
            // Safe: the notification is passed to one other queue, as apps do.
            nonisolated(unsafe) let saved = saved
            main.perform { main.mergeChanges(fromContextDidSave: saved) }
        }
    }

    /// Imports on the importer's queue while the main context fetches.
    func finish() throws -> EngineOutcome {
        let crew = Crew<Int>(1)
        let chunk = run.variant.chunk
        let clock = ContinuousClock()
        let start = clock.now
        importer.perform { [self] in
            crew.finish(0, Result { try importAll(chunk) })
        }
        var latencies: [Double] = []
        repeat { latencies.append(try fetchAndEdit()) } while !crew.isDone
        let imported = try crew.wait()[0]
        // The last changes have not reached the store yet. The elapsed time includes their saves.
        try main.performAndWait { try main.save() }
        try writer?.performAndWait { try writer?.save() }
        let elapsed = clock.now - start
        observer.map(NotificationCenter.default.removeObserver)
        var outcome = EngineOutcome(UInt64(imported))
        outcome.elapsed = elapsed
        let events = lens.events
        outcome.figures =
            BenchFigure.fetchTimes(latencies) + [
                BenchFigure("conflicts", Double(events.conflicts), unit: .count),
                BenchFigure("merges", Double(events.merges), unit: .count),
            ]
        if importing !== stack { try importing.close([importer]) }
        try stack.close([writer, main, importer].compactMap(\.self))
        return outcome
    }

    /// Imports all rows. Each save also updates the first 20 books by title.
    private func importAll(_ chunk: Int) throws -> Int {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchLimit = 20
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let known = try importer.fetch(request)
        var imported = 0
        func save() throws {
            for book in known { book.pages += 1 }
            try importer.save()
            guard let writer else { return }
            // With nested contexts, the importer's save only passes the rows to the main context.
            // This line saves them from the main context to its parent.
            try main.performAndWait { try main.save() }
            try writer.performAndWait { try writer.save() }
        }
        _ = try dataset.insert(into: importer) { books in
            imported = books
            if books.isMultiple(of: chunk) { try save() }
        }
        try save()
        return imported
    }

    /// Fetches the contents of a screen, and changes one book.
    private func fetchAndEdit() throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        var waited = Duration.zero
        try main.performAndWait {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.fetchLimit = 50
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let books = try main.fetch(request)
            var sum: UInt64 = 0
            for book in books { sum &+= book.touched }
            waited = clock.now - start
            guard sum != 0, let first = books.first else { return }
            first.copies += 1
            if writer == nil { try main.save() }
        }
        Pause.untilNextFrame()
        let parts = waited.components
        return Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9
    }
}

// `@unchecked Sendable` because its properties are constants, except for the observer. The observer
// is set before the importer's queue begins, and removed after it has finished.
extension ImportStack: @unchecked Sendable {}

private enum Pause {
    static func untilNextFrame() { Thread.sleep(forTimeInterval: 0.004) }
}
