import CoreDataTrace
import Synchronization

/// Records the SQL of one step, without the queries of the lab. A timeline uses one log for all
/// coordinators.
final class StatementLog: EventSink {
    private let state = Mutex((statements: [String](), isOn: false, isPaused: false))

    var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set { state.withLock { $0.isPaused = newValue } }
    }

    func begin() {
        state.withLock { state in
            state.statements = []
            state.isOn = true
        }
    }

    func end() -> [String] {
        state.withLock { state in
            state.isOn = false
            return state.statements
        }
    }

    func record(_ event: Event) {
        guard case .statement(let statement) = event else { return }
        state.withLock { state in
            guard state.isOn, !state.isPaused else { return }
            let count = statement.rows == 1 ? "1 row" : "\(statement.rows) rows"
            let rows = statement.kind == .select ? "  -- \(count)" : ""
            state.statements.append(statement.sql + rows)
        }
    }
}
