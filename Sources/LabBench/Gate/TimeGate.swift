import LabResults

/// The comparison of times: side by side in one run, through C's time between two runs, and
/// against the limits of the thresholds' file.
extension Comparison {
    /// Compares the times of two builds whose samples were taken side by side.
    mutating func compareTimes(_ current: Gate.Entry, with baseline: Gate.Entry) {
        compareTimes(
            current, "time", Self.times(current.strategy.time),
            Self.times(baseline.strategy.time))
    }

    /// Compares times through C's of the same rounds, which cancels the machine out.
    mutating func compareRatiosToC(_ current: Gate.Entry, with baseline: Gate.Entry) {
        compareTimes(
            current, "ratio-to-c", Self.ratios(current.strategy), Self.ratios(baseline.strategy))
    }

    private mutating func compareTimes(
        _ entry: Gate.Entry, _ metric: String, _ now: [Double], _ before: [Double]
    ) {
        guard !now.isEmpty, now.count == before.count else { return }
        let (workload, strategy) = (entry.result.workload, entry.strategy.name)
        let threshold =
            thresholds.limit(.time, workload, strategy)?.atMost ?? Thresholds.usualTime
        let (verdict, ratio, chance) = TimeJudgement(threshold: threshold)
            .judge(before: before, now: now)
        compared += 1
        times.append(
            TimeComparison(
                workload: workload, strategy: strategy, metric: metric, ratio: ratio,
                chance: chance, threshold: threshold, verdict: verdict))
        guard verdict == .regressed || verdict == .improved else { return }
        let what = metric == "time" ? "time" : "time as a multiple of C's"
        add(
            verdict == .regressed ? .regression : .improvement, entry, metric, "1",
            Self.text(ratio.median), [],
            "\(what): \(Self.text(ratio.median)) of the baseline's (95 % interval "
                + "\(Self.text(ratio.low)) to \(Self.text(ratio.high)); what counts is "
                + "\(Self.text(threshold)))")
    }

    /// Holds the ratio to C to its limit; only a whole interval above it fails.
    mutating func checkRatioToC(_ entry: Gate.Entry) {
        let samples = entry.strategy.time?.samplesNanoseconds.count ?? 0
        let limit = thresholds.limit(
            .ratioToC, entry.result.workload, entry.strategy.name)
        guard let limit, let ratio = entry.strategy.twin?.ratio, samples >= Self.samplesMin
        else { return }
        compared += 1
        guard ratio.low > limit.atMost else { return }
        add(
            .regression, entry, "ratio-to-c", Self.text(limit.atMost), Self.text(ratio.median), [],
            "\(Self.text(ratio.median)) times C's time (95 % interval \(Self.text(ratio.low)) to "
                + "\(Self.text(ratio.high))), the limit is \(Self.text(limit.atMost)): "
                + limit.reason)
    }

    /// Rounds from which on an interval means something.
    private static let samplesMin = 5

    private static func times(_ timing: Timing?) -> [Double] {
        timing?.samplesNanoseconds.map { Double($0) } ?? []
    }

    private static func ratios(_ strategy: StrategyResult) -> [Double] {
        let (engine, twin) = (times(strategy.time), times(strategy.twin?.time))
        guard engine.count == twin.count else { return [] }
        return zip(engine, twin).map { $0 / $1 }
    }

    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = String(hundredths % 100)
        return "\(hundredths / 100)." + (rest.count < 2 ? "0" : "") + rest
    }
}
