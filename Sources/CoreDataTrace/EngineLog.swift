import Foundation
import Synchronization

/// Writes lines to the program's log, as Core Data does in methods that cannot throw.
package enum EngineLog {
    @TaskLocal private static var sink: (@Sendable (String) -> Void)?
    private static let told = Mutex<Set<String>>([])

    package static func error(_ message: String) {
        let line = "CoreData: error: \(message)"
        if let sink { return sink(line) }
        SQLLog.writeToStandardError(line)
    }

    package static func note(_ message: String) {
        let line = "CoreData: annotation: \(message)"
        if let sink { return sink(line) }
        SQLLog.writeToStandardError(line)
    }

    /// Writes a line at most once per process.
    package static func errorOnce(_ message: String) {
        // The limit bounds the memory and the size of the log.
        let isNew = told.withLock { $0.count < 10_000 && $0.insert(message).inserted }
        if isNew { error(message) }
    }

    /// Writes a line at most once per object.
    package static func errorOnce(_ message: String, about object: ObjectIdentifier) {
        let isNew = told.withLock {
            $0.count < 10_000 && $0.insert("\(object.hashValue) \(message)").inserted
        }
        if isNew { error(message) }
    }

    /// Passes the lines that the body logs to a closure instead of standard error; for tests.
    package static func capture<T, E: Error>(
        _ write: @escaping @Sendable (String) -> Void, while body: () throws(E) -> T
    ) throws(E) -> T {
        let result = $sink.withValue(write) {
            Result { () throws(E) in try body() }
        }
        return try result.get()
    }
}
