import CoreData
import Synchronization

/// Operations from outside this package.
///
/// The library product adds them before anything is measured.
package enum UserOperations {
    private static let added = Mutex<[(operation: Operation, workload: OwnWorkload)]>([])

    static var all: [Operation] { added.withLock { $0.map(\.operation) } }

    /// The workloads that the program declares, in the order in which they were added. They are
    /// measured if the command line names no file.
    package static var workloads: [OwnWorkload] { added.withLock { $0.map(\.workload) } }

    /// Adds an operation that runs on a private context of a new, empty store.
    ///
    /// - Parameters:
    ///   - workload: its name, its purpose and its declaration.
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
