import CoreDataTrace
import Synchronization

/// Counts what steps cost the store. Worlds listen with one to every coordinator if a scenario
/// observes costs, and pause it while they look at the store themselves.
final class CostMeter: EventSink {
    /// What has been counted.
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

    /// What has been counted since an earlier time.
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
