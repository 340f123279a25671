import CoreData
import Synchronization

/// Operations that a user's program adds before the measurement begins.
package enum UserOperations {
    private static let added = Mutex<[(operation: Operation, workload: OwnWorkload)]>([])

    static var all: [Operation] { added.withLock { $0.map(\.operation) } }

    /// The workloads that the program declares, in order. They are measured if the command line
    /// names no file.
    package static var workloads: [OwnWorkload] { added.withLock { $0.map(\.workload) } }

    /// Adds an operation that runs on a private context of a new, empty store.
    ///
    /// - Parameters:
    ///   - workload: the name, the purpose and the declaration of the operation.
    ///   - prepare: creates the data before the measurement starts. Its saves are not counted.
    ///   - run: the work. Its result must be the same in every run.
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
