import CoreData
import LabResults

/// The engine's side of an operation. It uses the public API, as an app does. `EngineSide` runs and
/// times it.
enum EngineWork: Sendable {
    typealias Prepare = @Sendable (EngineRun) throws -> Prepared
    typealias Run = @Sendable (EngineRun, Prepared) throws -> EngineOutcome

    /// Runs on the queue of one private context.
    case onContext(prepare: Prepare, run: Run)
    /// Runs on the caller's thread, which belongs to no context.
    case free(prepare: Prepare, run: Run)
    /// Runs on the caller's thread. It opens its own stack.
    case standalone(@Sendable (StandaloneRun) throws -> EngineOutcome)

    static func confined(
        prepare: @escaping Prepare = { _ in Prepared() }, run: @escaping Run
    ) -> EngineWork { .onContext(prepare: prepare, run: run) }

    static func confined(_ run: @escaping Run) -> EngineWork {
        .onContext(prepare: { _ in Prepared() }, run: run)
    }
}

/// The parameters of an operation on an open stack.
struct EngineRun {
    let variant: WorkloadVariant
    let dataset: Dataset?
    let stack: EngineStack
    let plant: Plant?

    var context: NSManagedObjectContext { stack.context }
}

/// The parameters of an operation that opens its own stack.
struct StandaloneRun {
    let variant: WorkloadVariant
    let dataset: Dataset?
    let file: String
    let model: NSManagedObjectModel
    let lens: Lens?
}

/// Objects that are prepared before the measurement starts.
final class Prepared {
    var objects: [NSManagedObject]
    var contexts: [NSManagedObjectContext] = []
    var notification: Notification?
    private var kept: [Any] = []

    init(_ objects: [NSManagedObject] = []) { self.objects = objects }

    func keep(_ thing: Any) { kept.append(thing) }
}

/// The result of an operation.
struct EngineOutcome {
    /// The checksum of the values that were read.
    var checksum: UInt64
    /// Objects that live until the measurement has ended.
    var survivors: Any?
    var figures: [BenchFigure] = []
    /// The measured time; nil to measure the whole call.
    var elapsed: Duration?

    init(_ checksum: UInt64, keeping survivors: Any? = nil) {
        self.checksum = checksum
        self.survivors = survivors
    }
}

/// A deliberate regression of the engine side. A test or a hidden option selects it.
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
    /// The key paths to prefetch; nil if the plant omits prefetching.
    func prefetching(_ keyPaths: [String]) -> [String]? { plant == .prefetch ? nil : keyPaths }

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

    /// The first books of the file. Their values are loaded.
    func firstBooks(in context: NSManagedObjectContext) throws -> [Book] {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchLimit = variant.integer("count")
        let books = try context.fetch(request)
        for book in books { _ = book.touched }
        return books
    }

    /// Another context of the coordinator. It holds all books, so the row cache contains their
    /// rows.
    func contextWithAllBooks() throws -> (NSManagedObjectContext, [Book]) {
        let other = stack.container.newBackgroundContext()
        return try other.performAndWait {
            let books = try other.fetch(NSFetchRequest<Book>(entityName: "Book"))
            for book in books { _ = book.pages }
            return (other, books)
        }
    }
}
