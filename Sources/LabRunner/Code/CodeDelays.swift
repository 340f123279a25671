import Synchronization

/// The delays of sleeps, by lane and by the number of the sleep in its lane.
///
/// The runtime passes only the remaining part of a delay, which varies from run to run. Therefore
/// the lab uses the longest delay that it has received.
final class CodeDelays: Sendable {
    /// The largest difference that timing explains. If the difference is larger, the program has
    /// requested another delay.
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
