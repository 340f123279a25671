import BenchResults

extension BenchFigure {
    /// The figures for the fetch times of a run; empty if it contains no fetch.
    ///
    /// - Parameter latencies: the duration of each fetch in nanoseconds.
    package static func fetchTimes(_ latencies: [Double]) -> [BenchFigure] {
        if latencies.isEmpty { return [] }
        return fetchTimes(
            latencies.count, median: Statistics.median(latencies),
            percentile99: Statistics.quantile(latencies, 0.99))
    }

    /// - Parameters:
    ///   - median: the median time in nanoseconds.
    ///   - percentile99: the time that one fetch in a hundred exceeds, in nanoseconds.
    static func fetchTimes(_ count: Int, median: Double, percentile99: Double) -> [BenchFigure] {
        [
            BenchFigure("fetches", Double(count), unit: .count),
            BenchFigure("fetch, median", median, unit: .nanoseconds),
            BenchFigure("fetch, 99th percentile", percentile99, unit: .nanoseconds),
        ]
    }
}
