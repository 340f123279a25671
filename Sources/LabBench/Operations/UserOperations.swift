// Owns the operations that a program of a user's own brings; the library product adds them before
// anything is measured.

import CoreData
import Synchronization

/// Operations from outside this package.
package enum UserOperations {
    private struct State {
        var operations: [Operation] = []
        var models: [String: NSManagedObjectModel] = [:]
    }

    private static let state = Mutex(State())

    static var all: [Operation] { state.withLock { $0.operations } }

    static func model(_ name: String) -> NSManagedObjectModel {
        state.withLock { $0.models[name] } ?? NSManagedObjectModel()
    }

    /// Adds an operation that runs on a private context of a new, empty store.
    ///
    /// - Parameters:
    ///   - prepare: Makes the data, before the clock runs; its saves are not counted.
    ///   - run: The work; what it returns must be the same in every run.
    package static func add(
        _ name: String, model: NSManagedObjectModel, sentence: String,
        prepare: @escaping @Sendable (NSManagedObjectContext) throws -> Void,
        run: @escaping @Sendable (NSManagedObjectContext) throws -> UInt64
    ) {
        let operation = Operation(
            name, access: .disturbs, library: .own, sentence: { _ in sentence },
            twinSentence: { _ in "" },
            engine: .confined(
                prepare: { engine in
                    try prepare(engine.context)
                    engine.context.reset()
                    return Prepared()
                },
                run: { engine, _ in EngineOutcome(try run(engine.context)) }),
            twin: nil)
        state.withLock { state in
            state.operations.append(operation)
            state.models[name] = model
        }
    }
}
