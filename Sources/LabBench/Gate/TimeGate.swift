import BenchResults

/// Compares times. Times of two builds in the same run are compared in pairs. In separate runs,
/// times relative to the C baseline are compared.
extension Comparison {
    mutating func compareTimes(_ current: Gate.Entry, with baseline: Gate.Entry) {
        let (now, before) = (Self.times(current.strategy.time), Self.times(baseline.strategy.time))
        guard !now.isEmpty, now.count == before.count else { return }
        let judgement = judgement(.time, current)
        let judged = judgement.judge(before: before, now: now)
        note(current, .time, judged, judgement.threshold, what: "time")
    }

    func judgement(_ metric: Thresholds.Metric, _ entry: Gate.Entry) -> TimeJudgement {
        let (workload, strategy) = (entry.result.workload, entry.strategy.name)
        // A limit for `time` in the file also applies to times relative to C.
        let figure = metric == .ratioToC ? .time : metric
        return TimeJudgement(
            threshold: thresholds.limit(figure, workload, strategy)?.atMost ?? figure.usualFactor)
    }

    /// Records the result of comparing times.
    ///
    /// - Parameter what: the name of the time in sentences.
    mutating func note(
        _ entry: Gate.Entry, _ metric: Thresholds.Metric, _ judged: TimeJudgement.Judged,
        _ threshold: Double, what: String
    ) {
        note(metric.rawValue, of: entry)
        let (verdict, ratio, chance) = judged
        times.append(
            TimeComparison(
                workload: entry.result.workload, strategy: entry.strategy.name,
                metric: metric.rawValue, ratio: ratio, chance: chance, threshold: threshold,
                verdict: verdict))
        let samples = entry.strategy.time?.samplesNanoseconds.count ?? 0
        if verdict == .unresolved, ratio.median >= TimeJudgement.gross, samples >= Self.medianMin {
            // The samples do not prove a regression. But the workload is probably much slower, so
            // the gate must not pass.
            missing.append(
                "\(entry.result.workload), \(entry.strategy.name): \(what) is"
                    + " \(Self.text(ratio.median)) times the baseline's, but varies too much for a"
                    + " verdict (\(Self.text(ratio.low)) to \(Self.text(ratio.high))); measure more"
                    + " rounds")
        }
        guard verdict == .regressed || verdict == .improved else { return }
        add(
            verdict == .regressed ? .regression : .improvement, entry, metric.rawValue, "1",
            Self.text(ratio.median), [],
            "\(what): \(Self.text(ratio.median)) times the baseline's (95 % interval"
                + " \(Self.text(ratio.low)) to \(Self.text(ratio.high)); the limit is"
                + " \(Self.text(threshold)))")
    }

    /// Checks that the ratio to the C baseline's time is within its limit. The check fails only if
    /// the whole confidence interval is above the limit.
    mutating func checkRatioToC(_ entry: Gate.Entry) {
        let samples = entry.strategy.time?.samplesNanoseconds.count ?? 0
        let limit = thresholds.limit(
            .ratioToC, entry.result.workload, entry.strategy.name)
        guard let limit, let ratio = entry.strategy.twin?.ratio, samples >= Self.samplesMin
        else { return }
        note("ratio-to-c", of: entry)
        guard ratio.low > limit.atMost else { return }
        add(
            .regression, entry, "ratio-to-c", Self.text(limit.atMost), Self.text(ratio.median), [],
            "\(Self.text(ratio.median)) times the C baseline's time (95 % interval"
                + " \(Self.text(ratio.low)) to \(Self.text(ratio.high))); the limit is"
                + " \(Self.text(limit.atMost)): "
                + limit.reason)
    }

    private static let samplesMin = 5
    /// The minimum number of samples for a meaningful median. Other programs may have disturbed one
    /// or two samples.
    private static let medianMin = 3

    static func times(_ timing: Timing?) -> [Double] {
        timing?.samplesNanoseconds.map { Double($0) } ?? []
    }

    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = String(hundredths % 100)
        return "\(hundredths / 100)." + (rest.count < 2 ? "0" : "") + rest
    }
}
