import BenchResults
import CoreDataTrace
import Synchronization

/// A sink that counts SQL statements by their text.
final class StatementTally: EventSink {
    private struct Key: Hashable {
        var kind: StatementEvent.Kind
        var text: String
    }

    private struct Total {
        var executions = 0
        var vmSteps = 0
    }

    private let totals = Mutex<[Key: Total]>([:])

    func record(_ event: Event) {
        guard case .statement(let statement) = event else { return }
        let key = Key(kind: statement.kind, text: statement.sql)
        totals.withLock { totals in
            totals[key, default: Total()].executions += 1
            totals[key, default: Total()].vmSteps += statement.vmSteps
        }
    }

    var counts: [StatementCount] {
        totals.withLock { totals in
            totals.map {
                StatementCount(
                    kind: $0.kind.rawValue, text: $0.text, count: $1.executions,
                    vmSteps: $1.vmSteps)
            }
        }
    }
}
