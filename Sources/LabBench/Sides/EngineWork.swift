import BenchResults
import CoreData

/// The engine's side of an operation, which uses the public API as an app would.
///
/// `EngineSide` runs and times it.
package enum EngineWork: Sendable {
    package typealias Prepare = @Sendable (EngineRun) throws -> Prepared
    package typealias Run = @Sendable (EngineRun, Prepared) throws -> EngineOutcome

    /// Runs on the queue of one private context.
    case onContext(prepare: Prepare, run: Run)
    /// Runs on the calling thread, which belongs to no context.
    case free(prepare: Prepare, run: Run)
    /// Runs on the calling thread, with no stack open.
    case standalone(@Sendable (StandaloneRun) throws -> EngineOutcome)

    /// Creates work that runs on the queue of one private context.
    package static func confined(
        prepare: @escaping Prepare = { _ in Prepared() }, run: @escaping Run
    ) -> EngineWork { .onContext(prepare: prepare, run: run) }

    /// Creates work that runs on the queue of one private context, without preparation.
    package static func confined(_ run: @escaping Run) -> EngineWork {
        .onContext(prepare: { _ in Prepared() }, run: run)
    }
}

/// The environment of an operation on a stack that is already open.
package struct EngineRun {
    package let variant: WorkloadVariant
    /// The rows to insert; nil for operations that insert none.
    package let dataset: Dataset?
    package let stack: EngineStack
    package let plant: Plant?

    /// The stack's private context.
    package var context: NSManagedObjectContext { stack.context }
}

/// The environment of an operation that opens its own stack.
package struct StandaloneRun {
    package let variant: WorkloadVariant
    package let dataset: Dataset?
    package let file: String
    package let model: NSManagedObjectModel
    /// The counters; nil while times are measured.
    package let lens: Lens?
}

/// The objects that an operation prepares before the measurement starts.
package final class Prepared {
    package var objects: [NSManagedObject]
    package var contexts: [NSManagedObjectContext] = []
    package var notification: Notification?
    private var kept: [Any] = []

    package init(_ objects: [NSManagedObject] = []) { self.objects = objects }

    /// Retains an object until the measurement has ended.
    package func keep(_ thing: Any) { kept.append(thing) }
}

/// The result of an operation.
package struct EngineOutcome {
    /// The checksum of the values that were read.
    package var checksum: UInt64
    /// Objects that stay alive until the measurement has ended.
    package var survivors: Any?
    package var figures: [BenchFigure] = []
    /// The measured time; nil if the time of the whole call is measured.
    package var elapsed: Duration?

    package init(_ checksum: UInt64, keeping survivors: Any? = nil) {
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
    package func prefetching(_ keyPaths: [String]) -> [String]? {
        plant == .prefetch ? nil : keyPaths
    }
}
