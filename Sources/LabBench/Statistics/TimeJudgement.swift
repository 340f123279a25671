import LabResults

/// The rule for times in the gate and `compare`. It claims a change if two estimators and a minimum
/// size support it; without a supported claim, the result is unresolved.
package struct TimeJudgement: Sendable {
    /// The smallest relevant change, as a factor above 1.
    package var threshold: Double
    package var bootstrap: Bootstrap
    /// The probability below which ranks differ significantly.
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
    /// A change is claimed if the interval of the paired ratio excludes 1, its median is beyond the
    /// threshold and the ranks differ, or if the whole interval is beyond the possible scatter.
    /// Equality is claimed only if the whole interval is within the threshold. Any other result is
    /// unresolved.
    ///
    /// - Precondition: There are as many samples before as now, and at least one.
    package func judge(
        before: [Double], now: [Double]
    ) -> Judged { judge(before, now, bootstrap.pairedRatio(now, before)) }

    /// Judges samples of two runs, which may have different numbers of samples.
    ///
    /// The same rules apply to the ratio of the two medians.
    ///
    /// - Precondition: There is at least one sample of each.
    package func judgeApart(before: [Double], now: [Double]) -> Judged {
        judge(before, now, bootstrap.ratioOfMedians(now, before))
    }

    /// The judgement of samples: the ratio of now to before, and the probability of such ranks.
    package typealias Judged = (
        verdict: TimeComparison.Verdict, ratio: Ratio, chance: Double
    )

    /// A factor that random variation does not reach: whole processes run up to 1.8 times slower at
    /// random. A change by this factor is significant even if the ranks of a few samples are not.
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
