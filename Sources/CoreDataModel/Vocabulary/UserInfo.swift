import Synchronization

/// What an author has noted beside a description; may change while the model is in use.
final class UserInfo {
    private let lock = Mutex(())
    private var entries: [AnyHashable: Any]

    init(_ entries: [AnyHashable: Any] = [:]) { self.entries = entries }

    var value: [AnyHashable: Any] {
        get { lock.withLock { _ in entries } }
        set { lock.withLock { _ in entries = newValue } }
    }
}

/// `@unchecked Sendable because` the entries are read and replaced under the lock alone.
extension UserInfo: @unchecked Sendable {}
