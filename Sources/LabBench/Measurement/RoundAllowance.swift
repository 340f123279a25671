/// Decides which subjects have time for one more round.
///
/// The measurement asks it before each round of each subject. A subject that has no time for a
/// round has none later, so that the n-th sample of every subject is of the n-th round.
struct RoundAllowance {
    private let limit: BenchPreset.TimeLimit?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let began: ContinuousClock.Instant
    /// When the subject that is measured began.
    private var since: ContinuousClock.Instant
    /// What the last round of each subject took.
    private var costs: [Int: Duration] = [:]
    private var ended: Set<Int> = []

    /// Begins to count the time.
    init(_ limit: BenchPreset.TimeLimit?, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.limit = limit
        self.now = now
        began = now()
        since = began
    }

    /// Seconds since it was made.
    var seconds: Double { (now() - began) / .seconds(1) }

    /// Whether a subject makes this round: it is one of the floor, or will likely end in time.
    mutating func permits(_ subject: Int, _ round: Int) -> Bool {
        since = now()
        guard let limit, round >= limit.floor else { return true }
        if since - began + (costs[subject] ?? .zero) > .seconds(limit.seconds) {
            ended.insert(subject)
        }
        return !ended.contains(subject)
    }

    /// Notes that the subject which was permitted last has made its round.
    mutating func note(_ subject: Int) { costs[subject] = now() - since }
}
