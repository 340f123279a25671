import CoreDataStore
import CoreDataTrace
import LabResults
import Synchronization

/// Counts the executed statements by their text, and keeps the values of each statement's first
/// execution.
final class FetchTally: EventSink {
    private struct State {
        var order: [String] = []
        var statements: [String: FetchStrategy.Statement] = [:]
        var vmSteps = 0
        var faults = 0
    }

    private let state = Mutex(State())

    var wantsBindings: Bool { true }

    func record(_ event: Event) {
        state.withLock { state in
            switch event {
            case .statement(let statement): Self.add(statement, to: &state)
            case .fault(_, .store), .fault(_, .batch), .relationshipFault(_, _, _, .store):
                state.faults += 1
            default: break
            }
        }
    }

    private static func add(_ statement: StatementEvent, to state: inout State) {
        state.vmSteps += statement.vmSteps
        if state.statements[statement.sql] == nil {
            state.order.append(statement.sql)
            state.statements[statement.sql] = FetchStrategy.Statement(
                text: statement.sql, count: 0, rows: 0, nanoseconds: 0,
                bindings: statement.bindings, plan: [])
        }
        state.statements[statement.sql]?.count += 1
        state.statements[statement.sql]?.rows += statement.rows
        state.statements[statement.sql]?.nanoseconds &+= statement.nanoseconds
    }

    /// Runs a variant once and counts its statements.
    static func count(
        _ run: FetchRun, on store: OpenedStore, named name: String = "", sentence: String = ""
    ) throws -> FetchStrategy {
        let tally = FetchTally()
        store.coordinator.trace.add(tally)
        defer { store.coordinator.trace.remove(tally) }
        var strategy = FetchStrategy(name: name, sentence: sentence)
        strategy.results = try run.run(on: store.coordinator).results
        tally.fill(&strategy)
        for index in strategy.statements.indices {
            strategy.statements[index].plan =
                store.plan(of: strategy.statements[index].text) ?? []
        }
        return strategy
    }

    private func fill(_ strategy: inout FetchStrategy) {
        state.withLock { state in
            strategy.statements = state.order.compactMap { state.statements[$0] }
            strategy.statementTotal = strategy.statements.reduce(0) { $0 + $1.count }
            strategy.rows = strategy.statements.reduce(0) { $0 + $1.rows }
            strategy.vmSteps = state.vmSteps
            strategy.faults = state.faults
        }
    }
}
