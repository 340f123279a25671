import BenchResults
import Glibc

/// Estimates from small samples, without assumptions about their distribution.
///
/// Times and ratios are estimated with it.
package enum Statistics {
    /// The middle value, or the mean of the two middle values.
    ///
    /// - Precondition: there is at least one sample.
    package static func median(_ samples: [Double]) -> Double { quantile(samples, 0.5) }

    /// The value below which the fraction `share` of the samples lies. It is interpolated between
    /// neighbours (Hyndman and Fan's type 7, the default of R and NumPy).
    ///
    /// - Precondition: there is at least one sample, and `share` is between 0 and 1.
    package static func quantile(_ samples: [Double], _ share: Double) -> Double {
        precondition(!samples.isEmpty, "quantile(_:_:) needs at least one sample")
        precondition((0...1).contains(share), "quantile(_:_:) needs a share between 0 and 1")
        let sorted = samples.sorted()
        let position = share * Double(sorted.count - 1)
        let below = Int(position)
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
    }

    /// The samples that are more than 1.5 interquartile ranges outside the quartiles (Tukey).
    package static func outliers(_ samples: [Double]) -> [Double] {
        guard !samples.isEmpty else { return [] }
        let (first, third) = (quantile(samples, 0.25), quantile(samples, 0.75))
        let fence = 1.5 * (third - first)
        return samples.filter { $0 < first - fence || $0 > third + fence }
    }

    /// The number of samples beyond 1.5 (mild) and beyond 3 (severe) interquartile ranges. All
    /// figures include them.
    package static func outlierCount(_ samples: [Double]) -> OutlierCount {
        guard !samples.isEmpty else { return OutlierCount(mild: 0, severe: 0) }
        let (first, third) = (quantile(samples, 0.25), quantile(samples, 0.75))
        let far = 3 * (third - first)
        let severe = samples.count { $0 < first - far || $0 > third + far }
        return OutlierCount(mild: outliers(samples).count - severe, severe: severe)
    }

    /// The exponent with which y grows: the slope of the regression line through the logarithms.
    ///
    /// - Precondition: all values are positive, and at least two sizes differ.
    package static func exponent(_ points: [(x: Double, y: Double)]) -> Double {
        let logs = points.map { (x: log($0.x), y: log($0.y)) }
        let count = Double(logs.count)
        let meanX = logs.reduce(0) { $0 + $1.x } / count
        let meanY = logs.reduce(0) { $0 + $1.y } / count
        let spread = logs.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        precondition(spread > 0, "exponent(_:) needs two different sizes")
        return logs.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
    }
}

/// An estimate with its confidence interval.
package struct Interval: Sendable, Equatable {
    package var estimate: Double
    package var low: Double
    package var high: Double

    package init(estimate: Double, low: Double, high: Double) {
        self.estimate = estimate
        self.low = low
        self.high = high
    }
}

/// The percentile bootstrap. It estimates confidence intervals from samples that are drawn with
/// replacement.
package struct Bootstrap: Sendable {
    package var resamples: Int
    package var confidence: Double
    package var seed: UInt64

    /// - Parameter seed: the seed of the resampling. It makes intervals reproducible.
    package init(resamples: Int = 2_000, confidence: Double = 0.95, seed: UInt64 = 1) {
        self.resamples = resamples
        self.confidence = confidence
        self.seed = seed
    }

    /// The median of the samples with its confidence interval.
    ///
    /// - Precondition: there is at least one sample.
    package func median(_ samples: [Double]) -> Interval {
        var generator = SplitMix64(seed: seed)
        var drawn = samples
        let medians = (0..<resamples).map { _ in
            for index in drawn.indices { drawn[index] = samples[generator.below(samples.count)] }
            return Statistics.median(drawn)
        }
        let tail = (1 - confidence) / 2
        return Interval(
            estimate: Statistics.median(samples), low: Statistics.quantile(medians, tail),
            high: Statistics.quantile(medians, 1 - tail))
    }

    /// The median of the ratios of paired samples, with its confidence interval.
    ///
    /// Both samples of a pair are drawn together, so effects on a whole round cancel out.
    ///
    /// - Precondition: there are as many denominators as numerators, and at least one.
    package func pairedRatio(_ numerators: [Double], _ denominators: [Double]) -> Interval {
        precondition(
            numerators.count == denominators.count,
            "pairedRatio(_:_:) needs as many denominators as numerators")
        return median(zip(numerators, denominators).map { $0 / $1 })
    }

    /// The ratio of the medians of two groups of samples from different times, with its confidence
    /// interval. Each group is drawn on its own.
    ///
    /// - Precondition: each group has at least one sample.
    package func ratioOfMedians(_ numerators: [Double], _ denominators: [Double]) -> Interval {
        var generator = SplitMix64(seed: seed)
        func drawnMedian(_ samples: [Double]) -> Double {
            Statistics.median(samples.indices.map { _ in samples[generator.below(samples.count)] })
        }
        let ratios = (0..<resamples).map { _ in
            drawnMedian(numerators) / drawnMedian(denominators)
        }
        let tail = (1 - confidence) / 2
        return Interval(
            estimate: Statistics.median(numerators) / Statistics.median(denominators),
            low: Statistics.quantile(ratios, tail), high: Statistics.quantile(ratios, 1 - tail))
    }
}
