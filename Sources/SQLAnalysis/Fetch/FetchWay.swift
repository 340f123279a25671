import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// One variant of a fetch, such as a batch size or prefetching.
enum FetchWay: Hashable {
    case plain
    case ids
    case count
    case dictionaries
    case faults
    case batch(Int)
    /// Fetches without prefetching, then reads the key paths.
    case walk
    case prefetch
    case prefetchInBatches(Int)

    var name: String {
        switch self {
        case .plain: "plain"
        case .ids: "ids"
        case .count: "count"
        case .dictionaries: "dictionaries"
        case .faults: "faults only"
        case .batch(let size): "batch \(size)"
        case .walk: "walk"
        case .prefetch: "prefetch"
        case .prefetchInBatches(let size): "prefetch, batch \(size)"
        }
    }

    func sentence(_ keyPaths: [String]) -> String {
        let paths = keyPaths.map { "\"\($0)\"" }.joined(separator: ", ")
        return switch self {
        case .plain: "Fetches the objects with their values and reads every attribute."
        case .ids: "Fetches only ids: the least cost of finding the rows."
        case .count: "Counts the rows."
        case .dictionaries: "Fetches dictionaries of all attributes, without creating objects."
        case .faults: "includesPropertyValues = false: each object's fault fires separately."
        case .batch(let size): "fetchBatchSize = \(size): a page of rows at a time, when read."
        case .walk:
            "Fetches like plain, then reads \(paths) of every object, one statement for each."
        case .prefetch:
            "relationshipKeyPathsForPrefetching = [\(paths)], then reads the key paths like walk."
        case .prefetchInBatches(let size): "The same prefetching, with fetchBatchSize = \(size)."
        }
    }

    static func all(_ question: CheckedQuestion) -> [FetchWay] {
        let sizes = question.question.batchSizes
        var ways: [FetchWay] = [.count, .ids, .dictionaries, .plain, .faults]
        ways += sizes.map { .batch($0) }
        if !question.paths.isEmpty {
            ways += [.walk, .prefetch]
            if let size = sizes.first(where: { $0 >= 100 }) ?? sizes.last {
                ways.append(.prefetchInBatches(size))
            }
        }
        return ways
    }
}

/// One execution of one variant.
struct FetchRun {
    let question: CheckedQuestion
    let way: FetchWay
    /// The maximum number of objects to read; nil to read all.
    var readMax: Int?
    /// A limit that replaces the limit of the fetch request.
    var limit: Int?

    struct Outcome {
        var results: Int
        /// The time until the request returned.
        var fetchNanoseconds: UInt64
        /// The time until all values were read.
        var totalNanoseconds: UInt64
    }

    /// Runs the fetch in a new context, on the context's queue.
    func run(on coordinator: NSPersistentStoreCoordinator) throws -> Outcome {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try run(in: context) }
    }

    private func run(in context: NSManagedObjectContext) throws -> Outcome {
        let clock = ContinuousClock()
        let start = clock.now
        func nanoseconds() -> UInt64 {
            let parts = (clock.now - start).components
            return UInt64(parts.seconds) * 1_000_000_000
                + UInt64(parts.attoseconds / 1_000_000_000)
        }
        switch way {
        case .count:
            let count = try context.count(for: request(NSManagedObject.self))
            return done(count, nanoseconds())
        case .ids:
            let request = request(NSManagedObjectID.self)
            request.resultType = .managedObjectIDResultType
            return done(try context.fetch(request).count, nanoseconds())
        case .dictionaries:
            let request = request(NSDictionary.self)
            request.resultType = .dictionaryResultType
            return done(try context.fetch(request).count, nanoseconds())
        case .plain, .faults, .batch, .walk, .prefetch, .prefetchInBatches:
            let objects = try context.fetch(objectRequest())
            let fetched = nanoseconds()
            for object in objects.prefix(readMax ?? .max) { try readValues(of: object) }
            if readsPaths {
                for path in question.paths { try walk(objects, path[...]) }
            }
            return Outcome(
                results: objects.count, fetchNanoseconds: fetched, totalNanoseconds: nanoseconds())
        }
    }

    private func done(_ count: Int, _ nanoseconds: UInt64) -> Outcome {
        Outcome(results: count, fetchNanoseconds: nanoseconds, totalNanoseconds: nanoseconds)
    }

    // MARK: The request

    private func request<T: NSFetchRequestResult>(_ type: T.Type) -> NSFetchRequest<T> {
        let request = NSFetchRequest<T>(entityName: question.entity.name)
        request.predicate = question.predicate
        request.sortDescriptors = question.sort
        request.fetchLimit = limit ?? question.question.limit
        request.fetchOffset = question.question.offset
        return request
    }

    private func objectRequest() -> NSFetchRequest<NSManagedObject> {
        let request = request(NSManagedObject.self)
        switch way {
        case .faults: request.includesPropertyValues = false
        case .batch(let size): request.fetchBatchSize = size
        case .prefetch: request.relationshipKeyPathsForPrefetching = question.question.keyPaths
        case .prefetchInBatches(let size):
            request.fetchBatchSize = size
            request.relationshipKeyPathsForPrefetching = question.question.keyPaths
        default: break
        }
        return request
    }

    private var readsPaths: Bool {
        switch way {
        case .walk, .prefetch, .prefetchInBatches: true
        default: false
        }
    }

    // MARK: Reading

    private func readValues(of object: NSManagedObject) throws(CoreDataError) {
        for slot in object.layout.values.indices where object.layout.values[slot].toOne == nil {
            _ = try object.value(at: slot)
        }
    }

    private func walk(
        _ objects: [NSManagedObject], _ path: ArraySlice<String>
    ) throws(CoreDataError) {
        guard let name = path.first else { return }
        var next: [NSManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        for object in objects {
            if let slot = object.layout.toManySlot(named: name) {
                next += try object.toManyMembers(slot)
            } else if let slot = object.layout.valueSlot(named: name),
                let destination = try object.toOneDestination(slot)
            {
                next.append(destination)
            }
        }
        next = next.filter { seen.insert(ObjectIdentifier($0)).inserted }
        for object in next { try readValues(of: object) }
        try walk(next, path.dropFirst())
    }
}
