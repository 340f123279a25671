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
    /// beyond the threshold and the ranks differ. The same is claimed only where the whole
    /// interval lies within the threshold. Anything else is unresolved.
    ///
    /// - Precondition: There are as many samples before as now, and at least one.
    package func judge(
        before: [Double], now: [Double]
    ) -> (verdict: TimeComparison.Verdict, ratio: Ratio, chance: Double) {
        let interval = bootstrap.pairedRatio(now, before)
        let ratio = Ratio(median: interval.estimate, low: interval.low, high: interval.high)
        let chance = MannWhitney.chance(now, before)
        let differs = chance < significance
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
