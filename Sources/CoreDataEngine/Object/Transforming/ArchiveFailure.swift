import Synchronization

/// The reason why encoding or decoding an archive failed, as a clause of a sentence.
struct ArchiveFailure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Passes failures out of the methods of `ValueTransformer`, which do not throw.
final class ArchiveFailures: Sendable {
    @TaskLocal private static var current: ArchiveFailures?

    private let first = Mutex<ArchiveFailure?>(nil)

    /// Calls a transformer, and returns its result and the first failure that it recorded.
    static func collected(_ body: () -> Any?) -> (made: Any?, failure: ArchiveFailure?) {
        let failures = ArchiveFailures()
        let made = $current.withValue(failures) { body() }
        return (made, failures.first.withLock { $0 })
    }

    /// Records a failure for the code that called the transformer.
    ///
    /// - Returns: false if the program called the transformer directly.
    static func note(_ failure: ArchiveFailure) -> Bool {
        guard let current else { return false }
        current.first.withLock { $0 = $0 ?? failure }
        return true
    }
}
