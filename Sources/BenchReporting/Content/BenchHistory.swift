import BenchResults
import ReportParts

/// Saved results of one package's workloads, sorted from the oldest to the newest commit.
package struct BenchHistory: Sendable {
    package struct Run: Sendable {
        package var file: String
        package var report: BenchReport

        /// The commit, or the file's name if the commit is unknown.
        var label: String {
            guard let origin = report.origin else { return file }
            return origin.commit.prefix(9) + (origin.isChanged ? "+" : "")
        }

        /// Older commits come first. Results of one commit are sorted by the date of the
        /// measurement.
        fileprivate var order: (String, String, String) {
            (report.origin?.committed ?? "", report.origin?.measured ?? "", file)
        }
    }

    /// The values of one figure in all results; nil for a result that lacks the figure.
    struct Series: Sendable {
        var title: String
        var values: [Double?]
        var text: @Sendable (Double) -> String
        /// Whether the figure depends only on the sources, as counts do.
        var isExact: Bool

        /// The last two values. Nil if they are equal or one is missing.
        var change: (before: Double, now: Double)? {
            guard values.count > 1, let now = values[values.count - 1],
                let before = values[values.count - 2], before != now
            else { return nil }
            return (before, now)
        }
    }

    struct Line: Sendable {
        var workload: String
        var strategy: String
        var series: [Series]
    }

    package let runs: [Run]

    /// Sorts results by the dates of their commits. Results without a commit come first.
    package init(_ runs: [(file: String, report: BenchReport)]) {
        self.runs = runs.map { Run(file: $0.file, report: $0.report) }
            .sorted { $0.order < $1.order }
    }

    var lines: [Line] {
        var names: [(workload: String, strategy: String)] = []
        for run in runs {
            for result in run.report.results {
                for strategy in result.strategies
                where !names.contains(where: { $0 == (result.workload, strategy.name) }) {
                    names.append((result.workload, strategy.name))
                }
            }
        }
        return names.map { workload, strategy in
            let found = runs.map { run in
                run.report.results.first { $0.workload == workload }?.strategies
                    .first { $0.name == strategy }
            }
            return Line(workload: workload, strategy: strategy, series: series(found))
        }
    }

    /// The exact figures that changed in the newest result, as sentences.
    var changes: [String] {
        lines.flatMap { line in
            line.series.filter(\.isExact).compactMap { series in
                series.change.map {
                    "\(line.workload), \(line.strategy): \(series.title) "
                        + "\(series.text($0.before)) → \(series.text($0.now))"
                }
            }
        }
    }

    private func series(_ found: [StrategyResult?]) -> [Series] {
        func count(_ title: String, _ value: (StrategyResult) -> Int?) -> Series {
            Series(
                title: title, values: found.map { $0.flatMap(value).map(Double.init) },
                text: { Figures.count(Int($0)) }, isExact: true)
        }
        // Without a C baseline, the time is divided by the time of the yardstick in the same
        // result. This corrects for the speed of the machine.
        let ratios = zip(found, runs).map { strategy, run -> Double? in
            guard let time = strategy?.time else { return nil }
            if let ratio = strategy?.twin?.ratio { return ratio.median }
            return run.report.yardstick.map {
                Double(time.medianNanoseconds) / Double(max(1, $0.medianNanoseconds))
            }
        }
        return [
            count("statements") { $0.counts.statementTotal }, count("rows") { $0.counts.rows },
            count("faults") { $0.counts.faults },
            Series(
                title: "time", values: found.map { $0?.time.map { Double($0.medianNanoseconds) } },
                text: { Figures.time(UInt64($0)) }, isExact: false),
            Series(
                title: "ratio to C", values: ratios, text: { Figures.ratio($0) }, isExact: false),
            Series(
                title: "peak memory", values: found.map { $0?.peakMemoryBytes.map(Double.init) },
                text: { Figures.bytes(Int($0)) }, isExact: false),
        ].filter { $0.values.contains { $0 != nil } }
    }
}
