import LabResults

extension BenchFigure {
    /// The figures of a run's fetch times; empty without a fetch.
    ///
    /// - Parameter latencies: the duration of each fetch, in nanoseconds.
    static func fetchTimes(_ latencies: [Double]) -> [BenchFigure] {
        if latencies.isEmpty { return [] }
        return fetchTimes(
            latencies.count, median: Statistics.median(latencies),
            percentile99: Statistics.quantile(latencies, 0.99))
    }

    /// - Parameters:
    ///   - median: in nanoseconds, like the next one.
    ///   - percentile99: the time that one fetch in a hundred exceeds.
    static func fetchTimes(_ count: Int, median: Double, percentile99: Double) -> [BenchFigure] {
        [
            BenchFigure("fetches", Double(count), unit: .count),
            BenchFigure("fetch, median", median, unit: .nanoseconds),
            BenchFigure("fetch, 99th percentile", percentile99, unit: .nanoseconds),
        ]
    }
}
