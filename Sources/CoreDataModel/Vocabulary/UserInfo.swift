import Synchronization

/// An author's additional information about a description; mutable while the model is in use.
final class UserInfo {
    private let lock = Mutex(())
    private var entries: [AnyHashable: Any]

    init(_ entries: [AnyHashable: Any] = [:]) { self.entries = entries }

    var value: [AnyHashable: Any] {
        get { lock.withLock { _ in entries } }
        set { lock.withLock { _ in entries = newValue } }
    }
}

/// `@unchecked Sendable` because the entries are only read and replaced under the lock.
extension UserInfo: @unchecked Sendable {}
