import Synchronization

/// How long the explorations of one body wait for foreign threads (threads that the lab did not
/// create) if no other thread can continue. A foreign thread may resume a task or release a lock.
///
/// If none did so during the last wait, the next wait is short.
final class OutsidePatience: Sendable {
    private static let first = Duration.seconds(1)
    private static let afterVain = Duration.milliseconds(20)

    private let isVain = Mutex(false)
    private let expected = Mutex<Set<String>>([])
    private let ended = Mutex<String?>(nil)
    private let count = Atomic(0)

    var limit: Duration { isVain.withLock { $0 } ? Self.afterVain : Self.first }

    func note(hasCome: Bool) { isVain.withLock { $0 = !hasCome } }

    /// A wait that a foreign thread has ended; nil if no foreign thread has ended a wait.
    var endedWait: String? { ended.withLock { $0 } }

    /// - Returns: whether the wait was not expected before.
    func expect(_ key: String) -> Bool {
        ended.withLock { $0 = $0 ?? key }
        return expected.withLock { expected in
            defer { count.store(expected.count, ordering: .relaxed) }
            return expected.insert(key).inserted
        }
    }

    func forget(_ key: String) {
        expected.withLock { expected in
            expected.remove(key)
            count.store(expected.count, ordering: .relaxed)
        }
    }

    func expects(_ key: String) -> Bool { expected.withLock { $0.contains(key) } }

    var expectsAny: Bool { count.load(ordering: .relaxed) > 0 }
}
