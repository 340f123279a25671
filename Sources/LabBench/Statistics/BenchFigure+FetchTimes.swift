import LabResults

extension BenchFigure {
    /// How long each fetch of a run took; none where there was no fetch.
    ///
    /// - Parameter latencies: a fetch each, in nanoseconds.
    static func fetchTimes(_ latencies: [Double]) -> [BenchFigure] {
        if latencies.isEmpty { return [] }
        return fetchTimes(
            latencies.count, median: Statistics.median(latencies),
            percentile99: Statistics.quantile(latencies, 0.99))
    }

    /// - Parameters:
    ///   - median: in nanoseconds, as the next.
    ///   - percentile99: what one fetch in a hundred exceeds.
    static func fetchTimes(_ count: Int, median: Double, percentile99: Double) -> [BenchFigure] {
        [
            BenchFigure("fetches", Double(count), unit: .count),
            BenchFigure("fetch, median", median, unit: .nanoseconds),
            BenchFigure("fetch, 99th percentile", percentile99, unit: .nanoseconds),
        ]
    }
}
