import CoreDataTrace
import Synchronization

/// Keeps the statements that ran.
package final class StatementLog: EventSink {
    private let events = Mutex<[StatementEvent]>([])

    package let wantsBindings = true

    package init() {}

    package func record(_ event: Event) {
        guard case .statement(let statement) = event else { return }
        events.withLock { $0.append(statement) }
    }

    package var all: [StatementEvent] { events.withLock { $0 } }

    package var texts: [String] { all.map(\.sql) }

    /// The texts since the last call.
    package func take() -> [String] {
        let texts = texts
        forget()
        return texts
    }

    package func forget() { events.withLock { $0.removeAll() } }
}
