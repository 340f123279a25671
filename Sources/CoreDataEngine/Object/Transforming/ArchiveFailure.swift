import Synchronization

/// The reason why an object has no keyed archive, or an archive no object: a clause of a sentence.
struct ArchiveFailure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Carries a failure past the methods of `ValueTransformer`, which throw nothing.
final class ArchiveFailures: Sendable {
    @TaskLocal private static var current: ArchiveFailures?

    private let first = Mutex<ArchiveFailure?>(nil)

    /// Runs a transformer, and returns what it made with the failure that it noted.
    static func collected(_ body: () -> Any?) -> (made: Any?, failure: ArchiveFailure?) {
        let failures = ArchiveFailures()
        let made = $current.withValue(failures) { body() }
        return (made, failures.first.withLock { $0 })
    }

    /// Notes a failure for the caller of the transformer.
    ///
    /// - Returns: false where the program itself has called the transformer.
    static func note(_ failure: ArchiveFailure) -> Bool {
        guard let current else { return false }
        current.first.withLock { $0 = $0 ?? failure }
        return true
    }
}
