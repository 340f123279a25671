import Foundation

/// A thread that checks whether a wait has lasted too long. It does not use Dispatch, because a
/// program that hangs may have used up Dispatch's threads.
enum Watchdog {
    /// - Parameters:
    ///   - patience: the longest acceptable wait. The interval between two checks is half of this
    ///     time.
    ///   - look: checks the waits, and returns whether to continue.
    static func start(_ patience: Duration, _ look: @escaping @Sendable () -> Bool) {
        let seconds =
            Double(patience.components.seconds)
            + Double(patience.components.attoseconds) / 1e18
        let thread = Thread {
            let never = DispatchSemaphore(value: 0)
            while look() { _ = never.wait(timeout: .now() + max(0.05, seconds / 2)) }
        }
        thread.name = "Faultline recorder"
        thread.start()
    }
}
