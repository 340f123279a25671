/// Decides whether the time limit permits another round of a variant.
///
/// The measurement calls `permits` before each round of each variant. After a refusal, the variant
/// is refused in all later rounds. So its n-th sample is always from the n-th round.
struct RoundAllowance {
    private let limit: BenchPreset.TimeLimit?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let began: ContinuousClock.Instant
    /// The time at which the current variant's round began.
    private var since: ContinuousClock.Instant
    /// The duration of each variant's last round.
    private var costs: [Int: Duration] = [:]
    private var ended: Set<Int> = []

    init(_ limit: BenchPreset.TimeLimit?, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.limit = limit
        self.now = now
        began = now()
        since = began
    }

    var seconds: Double { (now() - began) / .seconds(1) }

    /// Whether a variant is measured in this round: the minimum number of rounds is not reached
    /// yet, or the round will probably end in time.
    mutating func permits(_ subject: Int, _ round: Int) -> Bool {
        since = now()
        guard let limit, round >= limit.floor else { return true }
        if since - began + (costs[subject] ?? .zero) > .seconds(limit.seconds) {
            ended.insert(subject)
        }
        return !ended.contains(subject)
    }

    /// Records that the variant has completed its permitted round.
    mutating func note(_ subject: Int) { costs[subject] = now() - since }
}
