import LabBench
import Testing

@Suite struct StatisticsTests {
    @Test func `the median is the middle value or the mean of the two middle values`() {
        #expect(Statistics.median([7]) == 7)
        #expect(Statistics.median([9, 1, 5]) == 5)
        #expect(Statistics.median([4, 1, 3, 2]) == 2.5)
    }

    // Among 1, 2, 4, 8 and 16, the quartile is at position 0.25 × 4 = 1. The quantile 0.1 is at
    // position 0.4, which is between 1 and 2.
    @Test func `quantiles interpolate between neighbours`() {
        let samples: [Double] = [16, 1, 8, 2, 4]
        #expect(Statistics.quantile(samples, 0) == 1)
        #expect(Statistics.quantile(samples, 0.25) == 2)
        #expect(Statistics.quantile(samples, 1) == 16)
        #expect(abs(Statistics.quantile(samples, 0.1) - 1.4) < 1e-12)
        #expect(abs(Statistics.quantile(samples, 0.9) - 12.8) < 1e-12)
    }

    // The quartiles are 11 and 13, so the fences are at 8 and 16.
    @Test func `outliers lie beyond one and a half interquartile ranges`() {
        #expect(Statistics.outliers([10, 11, 12, 13, 14]).isEmpty)
        #expect(Statistics.outliers([10, 11, 12, 13, 16]).isEmpty)
        #expect(Statistics.outliers([10, 11, 12, 13, 16.5]) == [16.5])
        #expect(Statistics.outliers([7.5, 11, 12, 13, 14]) == [7.5])
    }

    @Test func `a bootstrap interval is the same for the same seed and differs for another`() {
        let samples: [Double] = [10, 12, 9, 15, 11, 30, 10.5, 12.5, 11.5]
        let first = Bootstrap(seed: 7).median(samples)
        #expect(first == Bootstrap(seed: 7).median(samples))
        let others = (1...20).map { Bootstrap(resamples: 50, seed: $0).median(samples) }
        #expect(others.contains { $0 != others[0] })
    }

    @Test func `a bootstrap interval contains its estimate and stays inside the samples`() {
        let samples: [Double] = [10, 12, 9, 15, 11, 30, 10.5, 12.5, 11.5]
        let interval = Bootstrap().median(samples)
        #expect(interval.estimate == 11.5)
        #expect(interval.low >= 9 && interval.low < interval.estimate)
        #expect(interval.high <= 30 && interval.high > interval.estimate)
    }

    @Test func `equal samples have an interval without width`() {
        let interval = Bootstrap().median([3, 3, 3])
        #expect(interval == Interval(estimate: 3, low: 3, high: 3))
    }

    // Of all 27 medians of three draws from {1, 2, 3}, 7 are 1, 13 are 2, and 7 are 3.
    @Test func `the distribution of resampled medians agrees with a count of all draws`() {
        let bootstrap = Bootstrap(resamples: 20_000, confidence: 1 - 2 * 7.0 / 27 - 0.05, seed: 3)
        #expect(bootstrap.median([1, 2, 3]) == Interval(estimate: 2, low: 2, high: 2))
        let wider = Bootstrap(resamples: 20_000, confidence: 1 - 2 * 7.0 / 27 + 0.05, seed: 3)
        #expect(wider.median([1, 2, 3]) == Interval(estimate: 2, low: 1, high: 3))
    }

    @Test func `a paired ratio cancels a delay of a whole round`() {
        let interval = Bootstrap().pairedRatio([20, 40, 60, 22], [10, 20, 30, 11])
        #expect(interval == Interval(estimate: 2, low: 2, high: 2))
    }

    @Test func `the generator returns the published numbers of SplitMix64`() {
        var generator = SplitMix64(seed: 1_234_567)
        let numbers = (0..<3).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }
}
