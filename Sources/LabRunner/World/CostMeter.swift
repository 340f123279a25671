import CoreDataTrace
import Synchronization

/// Counts the statements and rows of steps. If a scenario observes costs, the world attaches a
/// meter to every coordinator. The world pauses it while the world itself reads the store.
final class CostMeter: EventSink {
    struct Cost: Sendable {
        var statements = 0
        var rows = 0
        var faults = 0
    }

    private let state = Mutex((cost: Cost(), isPaused: false))

    var current: Cost { state.withLock { $0.cost } }

    var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set { state.withLock { $0.isPaused = newValue } }
    }

    func cost(since earlier: Cost) -> Cost {
        let now = current
        return Cost(
            statements: now.statements - earlier.statements, rows: now.rows - earlier.rows,
            faults: now.faults - earlier.faults)
    }

    func record(_ event: Event) {
        state.withLock { state in
            if state.isPaused { return }
            switch event {
            case .statement(let statement):
                switch statement.kind {
                case .select:
                    state.cost.statements += 1
                    state.cost.rows += statement.rows
                case .insert, .update, .delete: state.cost.statements += 1
                default: break
                }
            case .fault, .relationshipFault: state.cost.faults += 1
            default: break
            }
        }
    }
}
