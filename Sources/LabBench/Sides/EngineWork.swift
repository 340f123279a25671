import BenchResults
import CoreData

/// The engine's side of an operation. It uses the public API, as an app does. `EngineSide` runs and
/// times it.
package enum EngineWork: Sendable {
    package typealias Prepare = @Sendable (EngineRun) throws -> Prepared
    package typealias Run = @Sendable (EngineRun, Prepared) throws -> EngineOutcome

    /// Runs on the queue of one private context.
    case onContext(prepare: Prepare, run: Run)
    /// Runs on the caller's thread, which belongs to no context.
    case free(prepare: Prepare, run: Run)
    /// Runs on the caller's thread. It opens its own stack.
    case standalone(@Sendable (StandaloneRun) throws -> EngineOutcome)

    package static func confined(
        prepare: @escaping Prepare = { _ in Prepared() }, run: @escaping Run
    ) -> EngineWork { .onContext(prepare: prepare, run: run) }

    package static func confined(_ run: @escaping Run) -> EngineWork {
        .onContext(prepare: { _ in Prepared() }, run: run)
    }
}

/// The parameters of an operation on an open stack.
package struct EngineRun {
    package let variant: WorkloadVariant
    package let dataset: Dataset?
    package let stack: EngineStack
    package let plant: Plant?

    package var context: NSManagedObjectContext { stack.context }
}

/// The parameters of an operation that opens its own stack.
package struct StandaloneRun {
    package let variant: WorkloadVariant
    package let dataset: Dataset?
    package let file: String
    package let model: NSManagedObjectModel
    package let lens: Lens?
}

/// Objects that are prepared before the measurement starts.
package final class Prepared {
    package var objects: [NSManagedObject]
    package var contexts: [NSManagedObjectContext] = []
    package var notification: Notification?
    private var kept: [Any] = []

    package init(_ objects: [NSManagedObject] = []) { self.objects = objects }

    package func keep(_ thing: Any) { kept.append(thing) }
}

/// The result of an operation.
package struct EngineOutcome {
    /// The checksum of the values that were read.
    package var checksum: UInt64
    /// Objects that live until the measurement has ended.
    package var survivors: Any?
    package var figures: [BenchFigure] = []
    /// The measured time; nil to measure the whole call.
    package var elapsed: Duration?

    package init(_ checksum: UInt64, keeping survivors: Any? = nil) {
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
    package func prefetching(_ keyPaths: [String]) -> [String]? {
        plant == .prefetch ? nil : keyPaths
    }
}
