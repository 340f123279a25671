import Synchronization

/// How long the explorations of one body wait for threads that the lab did not create, if nothing
/// else can go on: such a thread may resume a task or release a lock.
///
/// After a wait in vain, a wait in the next schedule is probably in vain, too.
final class OutsidePatience: Sendable {
    private static let first = Duration.seconds(1)
    private static let afterVain = Duration.milliseconds(20)

    private let isVain = Mutex(false)

    /// The length of the next wait.
    var limit: Duration { isVain.withLock { $0 } ? Self.afterVain : Self.first }

    func note(hasCome: Bool) { isVain.withLock { $0 = !hasCome } }
}
