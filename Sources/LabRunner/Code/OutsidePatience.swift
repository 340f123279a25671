import Synchronization

/// How long explorations of one body wait for threads that the lab did not make, where nothing else
/// can go on: such a thread may resume a task or give back a lock.
///
/// Where nothing came, nothing is likely to come in the next schedule.
final class OutsidePatience: Sendable {
    private static let first = Duration.seconds(1)
    private static let afterVain = Duration.milliseconds(20)

    private let isVain = Mutex(false)

    /// How long to wait this time.
    var limit: Duration { isVain.withLock { $0 } ? Self.afterVain : Self.first }

    func note(hasCome: Bool) { isVain.withLock { $0 = !hasCome } }
}
