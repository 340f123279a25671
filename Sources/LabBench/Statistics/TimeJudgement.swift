import BenchResults

/// The rule for times in the gate and `compare`. It reports a change only if two estimators agree
/// and the change has a minimum size. Otherwise the result is unresolved or equal.
package struct TimeJudgement: Sendable {
    /// The smallest change that matters, as a factor above 1.
    package var threshold: Double
    package var bootstrap: Bootstrap
    /// The significance level of the rank test.
    package var significance: Double

    package init(
        threshold: Double, bootstrap: Bootstrap = Bootstrap(), significance: Double = 0.05
    ) {
        self.threshold = threshold
        self.bootstrap = bootstrap
        self.significance = significance
    }

    /// Judges paired samples.
    ///
    /// A change is reported in one of two cases:
    ///
    /// - The interval of the paired ratio excludes 1, the median ratio exceeds the threshold, and
    ///   the rank test is significant.
    /// - The whole interval is beyond `gross`.
    ///
    /// Equality is reported only if the whole interval is within the threshold. All other results
    /// are unresolved.
    ///
    /// - Precondition: there are as many samples before as now, and at least one.
    package func judge(
        before: [Double], now: [Double]
    ) -> Judged { judge(before, now, bootstrap.pairedRatio(now, before)) }

    /// Judges the samples of two separate runs. Their numbers may differ. The same rules apply to
    /// the ratio of the two medians.
    ///
    /// - Precondition: each run has at least one sample.
    package func judgeApart(before: [Double], now: [Double]) -> Judged {
        judge(before, now, bootstrap.ratioOfMedians(now, before))
    }

    /// The verdict, the ratio of new to old times, and the p-value of the rank test.
    package typealias Judged = (
        verdict: TimeComparison.Verdict, ratio: Ratio, chance: Double
    )

    /// A change by this factor counts even if the rank test is not significant. The speed of a
    /// process varies at random by a factor of at most 1.8, so random variation does not reach it.
    static let gross = 3.0

    private func judge(_ before: [Double], _ now: [Double], _ interval: Interval) -> Judged {
        let ratio = Ratio(median: interval.estimate, low: interval.low, high: interval.high)
        let chance = MannWhitney.chance(now, before)
        let isGross =
            min(before.count, now.count) > 1
            && (ratio.low >= Self.gross || ratio.high <= 1 / Self.gross)
        let differs = chance < significance || isGross
        let verdict: TimeComparison.Verdict =
            if differs, ratio.low > 1, ratio.median >= threshold {
                .regressed
            } else if differs, ratio.high < 1, ratio.median <= 1 / threshold {
                .improved
            } else if ratio.low > 1 / threshold, ratio.high < threshold {
                .same
            } else {
                .unresolved
            }
        return (verdict, ratio, chance)
    }
}
