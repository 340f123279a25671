import CoreData
import Synchronization

/// Operations that a user's program adds.
///
/// The library product adds the operations before the measurement begins.
package enum UserOperations {
    private static let added = Mutex<[(operation: Operation, workload: OwnWorkload)]>([])

    static var all: [Operation] { added.withLock { $0.map(\.operation) } }

    /// The workloads that the program declares, in the order in which they were added. These
    /// workloads are measured if the command line does not name a file.
    package static var workloads: [OwnWorkload] { added.withLock { $0.map(\.workload) } }

    /// Adds an operation that runs on a private context of a new, empty store.
    ///
    /// - Parameters:
    ///   - workload: the name, the purpose and the declaration of the operation.
    ///   - prepare: Creates the data before the measurement starts; saves in `prepare` are not
    ///     counted.
    ///   - run: The work; its result must be the same in every run.
    package static func add(
        _ workload: OwnWorkload, model: NSManagedObjectModel,
        prepare: @escaping @Sendable (NSManagedObjectContext) throws -> Void,
        run: @escaping @Sendable (NSManagedObjectContext) throws -> UInt64
    ) {
        let operation = Operation(
            workload.name, access: .disturbs, library: .own(model),
            sentence: { _ in workload.about },
            twinSentence: { _ in "" },
            engine: .confined(
                prepare: { engine in
                    try prepare(engine.context)
                    engine.context.reset()
                    return Prepared()
                },
                run: { engine, _ in EngineOutcome(try run(engine.context)) }),
            twin: nil)
        added.withLock { $0.append((operation, workload)) }
    }
}
