// Owns the comparison of a run's counts with a baseline's; the tool's `gate` prints its verdict and
// exits by it.

import LabResults

/// Compares counts exactly. Times are left to people.
package enum Gate {
    /// What a run says against a baseline.
    ///
    /// More statements, rows, faults or VM steps are regressions, fewer are improvements. VM steps
    /// are compared only where both ran on the same SQLite. A prediction of a workload file that
    /// does not hold is a regression with or without a baseline.
    ///
    /// - Parameter name: The baseline's file, as the verdict names it.
    package static func compare(
        _ report: BenchReport, baseline: BenchReport, name: String
    ) -> GateVerdict {
        var comparison = Comparison(
            comparesVMSteps: report.environment.sqlite == baseline.environment.sqlite)
        let current = entries(report)
        let expected = entries(baseline)
        for (key, entry) in expected.sorted(by: { $0.key < $1.key }) {
            if let seen = current[key] {
                comparison.compare(seen, with: entry)
            } else {
                comparison.missing.append("\(key): in the baseline, not in this run")
            }
        }
        for (key, entry) in current.sorted(by: { $0.key < $1.key }) {
            comparison.checkPredictions(entry)
            if expected[key] == nil {
                comparison.missing.append("\(key): in this run, not in the baseline")
            }
        }
        return GateVerdict(
            status: comparison.status, baseline: name, compared: comparison.compared,
            differences: comparison.differences, missing: comparison.missing)
    }

    /// A report without what depends on the machine: what is worth committing as a baseline.
    package static func baseline(from report: BenchReport) -> BenchReport {
        var result = report
        for index in result.results.indices {
            for strategy in result.results[index].strategies.indices {
                result.results[index].strategies[strategy].time = nil
                result.results[index].strategies[strategy].peakMemoryBytes = nil
                result.results[index].strategies[strategy].twin = nil
            }
        }
        return result
    }

    struct Entry {
        var result: BenchResult
        var strategy: StrategyResult
    }

    private static func entries(_ report: BenchReport) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for result in report.results {
            for strategy in result.strategies {
                entries["\(result.workload), \(strategy.name)"] = Entry(
                    result: result, strategy: strategy)
            }
        }
        return entries
    }
}

extension GateVerdict {
    /// 0 passed, 1 failed, 3 inconclusive.
    package var exitCode: Int32 {
        switch status {
        case .passed: 0
        case .failed: 1
        case .inconclusive: 3
        }
    }
}
