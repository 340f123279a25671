import Foundation

/// A thread that looks whether something has waited for too long. A thread of its own, because a
/// program that hangs may have used up those of Dispatch.
enum Watchdog {
    /// - Parameters:
    ///   - patience: how long to wait between two looks, halved.
    ///   - look: says whether to look again.
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
