import LabResults

/// The rule for times: two estimators and a smallest change must agree, or nothing is claimed.
///
/// The gate and `compare` judge by it.
package struct TimeJudgement: Sendable {
    /// The smallest change that counts, as a factor above 1.
    package var threshold: Double
    package var bootstrap: Bootstrap
    /// The chance below which ranks differ.
    package var significance: Double

    package init(
        threshold: Double, bootstrap: Bootstrap = Bootstrap(), significance: Double = 0.05
    ) {
        self.threshold = threshold
        self.bootstrap = bootstrap
        self.significance = significance
    }

    /// Judges samples that were taken side by side.
    ///
    /// A change is claimed only where the interval of the paired ratio leaves 1 out, its median is
    /// beyond the threshold and the ranks differ, or the whole interval is beyond what scatter
    /// can make. The same is claimed only where the whole
    /// interval lies within the threshold. Anything else is unresolved.
    ///
    /// - Precondition: There are as many samples before as now, and at least one.
    package func judge(
        before: [Double], now: [Double]
    ) -> Judged { judge(before, now, bootstrap.pairedRatio(now, before)) }

    /// Judges samples of two runs, of which there may be different numbers.
    ///
    /// The same rules hold for the ratio of the two medians.
    ///
    /// - Precondition: There is at least one sample of each.
    package func judgeApart(before: [Double], now: [Double]) -> Judged {
        judge(before, now, bootstrap.ratioOfMedians(now, before))
    }

    /// What samples say: the ratio, now divided by before, and the chance of such ranks.
    package typealias Judged = (
        verdict: TimeComparison.Verdict, ratio: Ratio, chance: Double
    )

    /// The factor that no scatter makes, so that ranks of few samples need not differ: whole
    /// processes run up to 1.8 times slower at random.
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
