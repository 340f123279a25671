import Synchronization

/// The delays of sleeps, by the lane that sleeps and the number of its sleep.
///
/// The delay that the lab receives is too short by the time for which the thread has run since the
/// program asked for the delay. This time differs from run to run, so the lab uses the longest
/// delay that it has seen.
final class CodeDelays: Sendable {
    /// The largest difference that timing explains; if delays differ more, the program has asked
    /// for another delay.
    private static let lossMax = Duration.milliseconds(50)

    private let longest = Mutex<[String: Duration]>([:])

    /// - Returns: the delay to use, and whether earlier schedules used a shorter delay.
    func settled(_ delay: Duration, of key: String) -> (delay: Duration, isNew: Bool) {
        longest.withLock { longest in
            guard let known = longest[key], abs(known - delay) < Self.lossMax else {
                longest[key] = delay
                return (delay, false)
            }
            if delay <= known { return (known, false) }
            longest[key] = delay
            return (delay, CodeClock.rounded(delay) != CodeClock.rounded(known))
        }
    }

    private func abs(_ time: Duration) -> Duration { max(time, .zero - time) }
}
