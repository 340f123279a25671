import CoreData
import Synchronization

/// The operations that this program can run.
///
/// The program adds its operations before it measures: the tool adds the built-in operations, and
/// the library product adds the workloads of a user's program.
package enum KnownOperations {
    private struct State {
        var operations: [Operation] = []
        var workloads: [OwnWorkload] = []
    }

    private static let state = Mutex(State())

    /// Every operation, in the order in which they were added.
    package static var all: [Operation] { state.withLock(\.operations) }

    /// The workloads that the program declares, in order. They are measured if the command line
    /// names no file.
    package static var workloads: [OwnWorkload] { state.withLock(\.workloads) }

    /// The operation with a name.
    package static func named(_ name: String) -> Operation? { all.first { $0.name == name } }

    package static func add(_ operations: [Operation]) {
        state.withLock { $0.operations += operations }
    }

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
            workload.name, access: .disturbs, library: OwnLibrary(model: model),
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
        state.withLock {
            $0.operations.append(operation)
            $0.workloads.append(workload)
        }
    }
}
