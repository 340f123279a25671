import CoreData
import CoreDataEngine
import CoreDataModel

/// A fetch on a user's model, whose objects are generated.
package struct FetchWorkload: MadeLibrary {
    package let file: String
    package let model: NSManagedObjectModel
    package let made: [String]
    let entity: String
    let predicate: String?
    let sort: [WordedSortKey]
    /// The fetch limit; 0 for no limit.
    let limit: Int
    /// The relationships to follow from each result.
    let paths: [[String]]

    /// The request without a batch size and prefetching. The variant sets these.
    func request() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate.map { NSPredicate(format: $0) }
        request.sortDescriptors = sort.map(\.descriptor)
        request.fetchLimit = limit
        return request
    }

    package func model(_ variant: WorkloadVariant) -> NSManagedObjectModel { model }

    package func libraryFile(_ variant: WorkloadVariant) -> String {
        let counts = counts(variant).map { "\($0.entity)-\($0.count)" }.joined(separator: "-")
        let stem = file.split(separator: "/").last ?? ""
        return "\(stem)-\(counts)-\(variant.integer("seed")).sqlite"
    }

    package func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant) {
        var objects = MadeObjects(model, seed: variant.integer("seed"))
        objects.insert(counts(variant), into: context)
    }

    private func counts(_ variant: WorkloadVariant) -> [(entity: String, count: Int)] {
        made.map { (entity: $0, count: variant.integer($0)) }
    }

    func run(_ run: EngineRun) throws -> EngineOutcome {
        let request = request()
        request.fetchBatchSize = run.variant.integer("batch")
        if run.variant.word("prefetch") == "paths" {
            request.relationshipKeyPathsForPrefetching =
                run.prefetching(paths.map { $0.joined(separator: ".") })
        }
        let results = try run.context.fetch(request)
        var sum = UInt64(results.count)
        for result in results {
            sum &+= try Self.read(result)
            for path in paths { sum &+= try Self.follow(path[...], from: result) }
        }
        return EngineOutcome(sum, keeping: results)
    }

    private static func follow(
        _ path: ArraySlice<String>, from object: NSManagedObject
    ) throws -> UInt64 {
        guard let name = path.first else { return try read(object) }
        var sum: UInt64 = 0
        if let slot = object.layout.toManySlot(named: name) {
            for member in try object.toManyMembers(slot) {
                sum &+= try follow(path.dropFirst(), from: member)
            }
        } else if let slot = object.layout.valueSlot(named: name),
            let destination = try object.toOneDestination(slot)
        {
            sum &+= try follow(path.dropFirst(), from: destination)
        }
        return sum
    }

    private static func read(_ object: NSManagedObject) throws -> UInt64 {
        var sum: UInt64 = 0
        for slot in object.layout.values.indices where object.layout.values[slot].toOne == nil {
            sum = sum &* 31
            switch try object.value(at: slot) {
            case .null: break
            case .integer(let number): sum &+= UInt64(bitPattern: number)
            case .double(let number): sum &+= number.bitPattern
            case .string(let text): sum &+= UInt64(text.utf8.count)
            case .data(let bytes): sum &+= UInt64(bytes.count)
            case .uuid, .decimal, .reference, .object: sum &+= 1
            }
        }
        return sum
    }
}

extension Operation {
    /// The name of this operation in workload files.
    static let ownFetch = "fetch"

    /// The operation that fetches from a user's model.
    ///
    /// - Parameter counts: the numbers of objects in the workload file, in the order of `made`.
    static func fetch(_ work: FetchWorkload, counts: [Int]) -> Operation {
        var operation = Operation(
            ownFetch,
            parameters: zip(work.made, counts).map { .integer($0, 0...1_000_000, $1) } + [
                .integer("batch", 0...1_000_000, 0), .word("prefetch", ["none", "paths"]),
            ],
            library: work,
            sentence: { variant in
                let batch = variant.integer("batch")
                return "Fetches \(work.entity)"
                    + (batch > 0 ? " in batches of \(batch)" : "")
                    + (variant.word("prefetch") == "paths" ? ", prefetches the key paths" : "")
                    + ", and reads every attribute."
            },
            twinSentence: { _ in "" }, engine: .confined { run, _ in try work.run(run) },
            twin: nil)
        operation.shape = [.seed]
        return operation
    }
}
