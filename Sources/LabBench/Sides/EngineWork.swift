import CoreData
import LabResults

/// The engine's side of an operation, which uses the public API as an app would.
///
/// `EngineSide` runs and times it.
enum EngineWork: Sendable {
    typealias Prepare = @Sendable (EngineRun) throws -> Prepared
    typealias Run = @Sendable (EngineRun, Prepared) throws -> EngineOutcome

    /// Runs on the queue of one private context.
    case onContext(prepare: Prepare, run: Run)
    /// Runs on the calling thread, which belongs to no context.
    case free(prepare: Prepare, run: Run)
    /// Runs on the calling thread, with no stack open.
    case standalone(@Sendable (StandaloneRun) throws -> EngineOutcome)

    /// Creates work that runs on the queue of one private context.
    static func confined(
        prepare: @escaping Prepare = { _ in Prepared() }, run: @escaping Run
    ) -> EngineWork { .onContext(prepare: prepare, run: run) }

    /// Creates work that runs on the queue of one private context, without preparation.
    static func confined(_ run: @escaping Run) -> EngineWork {
        .onContext(prepare: { _ in Prepared() }, run: run)
    }
}

/// The environment of an operation on a stack that is already open.
struct EngineRun {
    let variant: WorkloadVariant
    /// The rows to insert; nil for operations that insert none.
    let dataset: Dataset?
    let stack: EngineStack
    let plant: Plant?

    /// The stack's private context.
    var context: NSManagedObjectContext { stack.context }
}

/// The environment of an operation that opens its own stack.
struct StandaloneRun {
    let variant: WorkloadVariant
    let dataset: Dataset?
    let file: String
    let model: NSManagedObjectModel
    /// The counters; nil while times are measured.
    let lens: Lens?
}

/// The objects that an operation prepares before the measurement starts.
final class Prepared {
    var objects: [NSManagedObject]
    var contexts: [NSManagedObjectContext] = []
    var notification: Notification?
    private var kept: [Any] = []

    init(_ objects: [NSManagedObject] = []) { self.objects = objects }

    /// Retains an object until the measurement has ended.
    func keep(_ thing: Any) { kept.append(thing) }
}

/// The result of an operation.
struct EngineOutcome {
    /// The checksum of the values that were read.
    var checksum: UInt64
    /// Objects that stay alive until the measurement has ended.
    var survivors: Any?
    var figures: [BenchFigure] = []
    /// The measured time; nil if the time of the whole call is measured.
    var elapsed: Duration?

    init(_ checksum: UInt64, keeping survivors: Any? = nil) {
        self.checksum = checksum
        self.survivors = survivors
    }
}

/// A deliberate regression of the engine side, which a test or a hidden option selects.
package enum Plant: String, Codable, Sendable, CaseIterable {
    /// Executes one additional count of the authors.
    case statement
    /// Omits the key paths for prefetching.
    case prefetch
    /// Drops every index of the file.
    case index
    /// Fires every fault a second time.
    case fault
}

extension EngineRun {
    /// The key paths for prefetching.
    func prefetching(_ keyPaths: [String]) -> [String]? { plant == .prefetch ? nil : keyPaths }

    /// Fetches books and reads every property of each.
    func readBooks(_ request: NSFetchRequest<Book>) throws -> EngineOutcome {
        let books = try context.fetch(request)
        var sum: UInt64 = 0
        if plant == .fault { try fireTwice(books) }
        for book in books { sum &+= book.touched }
        return EngineOutcome(sum, keeping: books)
    }

    private func fireTwice(_ books: [Book]) throws {
        context.stalenessInterval = 0
        for book in books {
            _ = book.touched
            context.refresh(book, mergeChanges: false)
        }
    }

    /// The first books of the file, with their values loaded.
    func firstBooks(in context: NSManagedObjectContext) throws -> [Book] {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchLimit = variant.integer("count")
        let books = try context.fetch(request)
        for book in books { _ = book.touched }
        return books
    }

    /// Another context of the coordinator. It holds all books, so that the row cache contains them.
    func contextWithAllBooks() throws -> (NSManagedObjectContext, [Book]) {
        let other = stack.container.newBackgroundContext()
        return try other.performAndWait {
            let books = try other.fetch(NSFetchRequest<Book>(entityName: "Book"))
            for book in books { _ = book.pages }
            return (other, books)
        }
    }
}
