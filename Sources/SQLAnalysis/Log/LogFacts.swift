/// Facts about a log that do not concern individual statements.
struct LogFacts: Sendable {
    private(set) var threads: Set<LogScope> = []
    private(set) var processes: Set<UInt64> = []
    private(set) var firstSecond: Double?
    private(set) var lastSecond: Double?
    private var clock = RunningClock()
    /// Whether the log contains the value of any parameter.
    var hasValues = false
    /// The number of faults that were fulfilled without a statement.
    var cachedFaults = 0
    /// The number of totals of fetches whose statement is not in the log.
    private(set) var looseTotals = 0

    /// The maximum number of threads to distinguish, because a server may use any number of
    /// threads.
    private static let threadsMax = 10_000

    mutating func note(_ prefix: LogPrefix) {
        if prefix.scope.thread != nil, threads.count < Self.threadsMax {
            threads.insert(prefix.scope)
        }
        if let process = prefix.scope.process, processes.count < Self.threadsMax {
            processes.insert(process)
        }
        guard let told = prefix.seconds else { return }
        let seconds = clock.read(told, period: prefix.period)
        firstSecond = min(firstSecond ?? seconds, seconds)
        lastSecond = max(lastSecond ?? seconds, seconds)
    }

    mutating func addLooseTotal() { looseTotals += 1 }
}
