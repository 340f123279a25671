import BenchResults

/// Compares two benchmark results: counts exactly, and times only as ratios.
///
/// The command `gate` prints the verdict, which determines the exit code.
package enum Gate {
    /// The times of two reports that can be compared.
    package enum Times: Sendable {
        case none
        /// Both builds were measured in the same rounds. Their times are compared in pairs.
        case paired
        /// The two runs are separate. Each time is divided by the time of the C baseline in the
        /// same round. If the workload has no C baseline, a fixed task in C (the yardstick)
        /// replaces it.
        case apart
    }

    /// Compares a run with a baseline.
    ///
    /// More statements, rows, faults or VM steps are regressions, and fewer are improvements. VM
    /// steps and query plans are compared only if both runs used the same version of SQLite. Two
    /// things are regressions even without a baseline: a wrong prediction of a workload file, and
    /// work that could not be measured.
    ///
    /// - Parameters:
    ///   - name: the name of the baseline's file, for the verdict.
    ///   - allowsNew: whether the verdict ignores workloads that the baseline lacks.
    package static func compare(
        _ report: BenchReport, baseline: BenchReport, name: String,
        thresholds: Thresholds = Thresholds(), times: Times = .none, allowsNew: Bool = false
    ) -> GateVerdict {
        var comparison = Comparison(
            comparesPlans: report.environment.sqlite == baseline.environment.sqlite,
            thresholds: thresholds)
        let current = entries(report)
        let expected = entries(baseline)
        let failed = Dictionary(
            (report.failures ?? []).map { (Self.name($0.workload, $0.strategy), $0) },
            uniquingKeysWith: { first, _ in first })
        for (_, failure) in failed.sorted(by: { $0.key < $1.key }) { comparison.add(failure) }
        let apart = times == .apart ? TimesApart(report, baseline, name: name) : nil
        for (key, entry) in expected.sorted(by: { $0.key < $1.key }) {
            guard let seen = current[key] else {
                if failed[key] == nil {
                    comparison.missing.append("\(key): is in the baseline, but not in this run")
                }
                continue
            }
            comparison.compare(seen, with: entry)
            switch times {
            case .none: break
            case .paired: comparison.compareTimes(seen, with: entry)
            case .apart: apart?.compare(seen, with: entry, in: &comparison)
            }
        }
        if let apart { comparison.missing += apart.gaps(comparison) }
        var added: [String] = []
        for (key, entry) in current.sorted(by: { $0.key < $1.key }) {
            comparison.checkPredictions(entry)
            comparison.checkRatioToC(entry)
            guard expected[key] == nil else { continue }
            if allowsNew {
                added.append(key)
            } else {
                comparison.missing.append("\(key): is in this run, but not in the baseline")
            }
        }
        return GateVerdict(
            status: comparison.status(hasNew: !added.isEmpty), baseline: name,
            compared: comparison.compared,
            differences: comparison.differences, missing: comparison.missing,
            times: comparison.times.isEmpty ? nil : comparison.times,
            subjects: comparison.subjects, added: added.isEmpty ? nil : added)
    }

    /// The report in the form of a baseline to commit: without the parts that depend on the
    /// machine.
    package static func baseline(from report: BenchReport) -> BenchReport {
        var result = report
        result.warnings = nil
        result.yardstick = nil
        result.origin = nil
        result.timeBudget = nil
        for index in result.results.indices {
            result.results[index].figures = nil
            for strategy in result.results[index].strategies.indices {
                result.results[index].strategies[strategy].counts.allocations = nil
                result.results[index].strategies[strategy].counts.allocatedBytes = nil
                result.results[index].strategies[strategy].time = nil
                result.results[index].strategies[strategy].peakMemoryBytes = nil
                result.results[index].strategies[strategy].twin = nil
                result.results[index].strategies[strategy].figures = nil
                result.results[index].strategies[strategy].peers = nil
                result.results[index].strategies[strategy].scaling = nil
            }
        }
        return result
    }

    struct Entry {
        var result: BenchResult
        var strategy: StrategyResult
    }

    private static func name(_ workload: String, _ strategy: String) -> String {
        "\(workload), \(strategy)"
    }

    private static func entries(_ report: BenchReport) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for result in report.results {
            for strategy in result.strategies {
                entries[name(result.workload, strategy.name)] = Entry(
                    result: result, strategy: strategy)
            }
        }
        return entries
    }
}

extension GateVerdict {
    package var exitCode: Int32 {
        switch status {
        case .passed: 0
        case .failed: 1
        case .inconclusive: 3
        }
    }
}
