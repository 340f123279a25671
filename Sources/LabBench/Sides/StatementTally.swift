// Owns the count of statements by kind and text: what the gate names when a statement appears.

import CoreDataTrace
import LabResults
import Synchronization

/// A listener that counts statements by their text.
final class StatementTally: EventSink {
    private struct Key: Hashable {
        var kind: StatementEvent.Kind
        var text: String
    }

    private let executions = Mutex<[Key: Int]>([:])

    func record(_ event: Event) {
        guard case .statement(let statement) = event else { return }
        let key = Key(kind: statement.kind, text: statement.sql)
        executions.withLock { $0[key, default: 0] += 1 }
    }

    /// What was counted, in no order.
    var counts: [StatementCount] {
        executions.withLock { executions in
            executions.map {
                StatementCount(kind: $0.kind.rawValue, text: $0.text, count: $1)
            }
        }
    }
}
