import CoreDataTrace
import Synchronization

final class Statements: EventSink {
    private let heard = Mutex<[String]>([])

    var texts: [String] { heard.withLock { $0 } }

    func record(_ event: Event) {
        guard case .statement(let statement) = event else { return }
        heard.withLock { $0.append(statement.sql) }
    }
}
