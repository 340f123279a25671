import Synchronization

/// A list of lines to which several threads can append.
package final class Log: Sendable {
    private let storage = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { storage.withLock { $0 } }

    package func add(_ line: String) { storage.withLock { $0.append(line) } }
}
