import BenchResults
import LabFiles

/// The reference of a gate: a saved result or another build.
///
/// The command `gate` creates it.
package enum GateBase: Sendable {
    case file(BenchReport, name: String)
    /// Another build of this program, measured in the same rounds.
    case build(any SampleLauncher, name: String)
    /// A commit whose package does not contain the program yet.
    case nothing(name: String, product: String)
}

/// One run of the gate.
package struct GateRun: Sendable {
    package var files: [String]
    package var options: BenchOptions
    package var thresholds: Thresholds
    package var base: GateBase
    /// Whether the verdict ignores workloads that the earlier build lacks.
    package var allowsNew = false

    package init(
        files: [String], options: BenchOptions, thresholds: Thresholds = Thresholds(),
        base: GateBase
    ) {
        self.files = files
        self.options = options
        // The rank test needs more than three samples. So a gate runs all rounds, without a time
        // limit.
        self.options.preset.timeLimit = nil
        self.thresholds = thresholds
        self.base = base
    }

    /// Measures the workloads and compares them with the base. If a workload fails, it is measured
    /// again. It counts as a failure only if it also fails the second time.
    ///
    /// - Returns: the verdict, and the report of the first measurement.
    package func verdict(
        progress: @escaping ProgressSink = { _ in }
    ) throws(BenchError) -> (verdict: GateVerdict, report: BenchReport) {
        let (first, report) = try compare(options, progress)
        guard first.status == .failed else { return (first, report) }
        var again = options
        again.only = Set(first.differences.filter { $0.effect != .improvement }.map(\.workload))
        do throws(BenchError) {
            let (second, _) = try compare(again, progress)
            return (Self.confirmed(first, by: second), report)
        } catch .measurement, .differentResults {
            // The second measurement covers only the failed workloads. If it cannot be completed,
            // the first verdict remains.
            return (first, report)
        }
    }

    private func compare(
        _ options: BenchOptions, _ progress: @escaping ProgressSink
    ) throws(BenchError) -> (GateVerdict, BenchReport) {
        switch base {
        case .file(var baseline, let name):
            var options = options
            // Times of small data are meaningless, and the baseline has only counts.
            if options.preset.name == BenchPreset.smoke.name, !baseline.hasTimes {
                options.preset.rounds = 0
            }
            let report = try BenchSuite.run(files, options: options, progress: progress)
            if !options.only.isEmpty {
                baseline.results.removeAll { !options.only.contains($0.workload) }
            }
            let verdict = Gate.compare(
                report, baseline: baseline, name: name, thresholds: thresholds,
                times: baseline.hasTimes ? .apart : .none, allowsNew: allowsNew)
            return (verdict, report)
        case .nothing(let name, let product):
            let report = try BenchSuite.run(files, options: options, progress: progress)
            var baseline = report
            baseline.results = []
            var verdict = Gate.compare(
                report, baseline: baseline, name: name, thresholds: thresholds, allowsNew: allowsNew
            )
            if !allowsNew {
                verdict.missing = [
                    "\(name) has no product \(product); to accept all workloads as new, add"
                        + " --allow-new"
                ]
            }
            return (verdict, report)
        case .build(let launcher, let name):
            let pair = try BenchSuite.runInSameRounds(
                launcher, files, options: options, progress: progress)
            if pair.base.results.allSatisfy(\.strategies.isEmpty),
                let why = pair.refused.first(where: { !$0.contains(SampleWorker.noOperation) })
            {
                throw .input(
                    InputErrors([
                        InputError(
                            file: name, problem: "this build measured nothing (\(why))",
                            remedy: "name a build of the same program")
                    ]))
            }
            var verdict = Gate.compare(
                pair.now, baseline: pair.base, name: name, thresholds: thresholds, times: .paired,
                allowsNew: allowsNew)
            let refused = pair.refused.filter {
                !allowsNew || !$0.contains(SampleWorker.noOperation)
            }
            verdict.missing += refused
            if verdict.status == .passed, !refused.isEmpty { verdict.status = .inconclusive }
            return (verdict, pair.now)
        }
    }

    /// The first verdict without the failures that the second verdict does not confirm. If the
    /// second measurement is incomplete, the first verdict is unchanged.
    static func confirmed(_ first: GateVerdict, by second: GateVerdict) -> GateVerdict {
        if second.compared == 0 || second.missing.count > first.missing.count { return first }
        struct Key: Hashable { var workload, strategy, metric: String }
        func key(_ difference: GateDifference) -> Key {
            Key(
                workload: difference.workload, strategy: difference.strategy,
                metric: difference.metric)
        }
        let again = Set(second.differences.filter { $0.effect != .improvement }.map(key))
        var result = first
        result.differences.removeAll { $0.effect != .improvement && !again.contains(key($0)) }
        let gone = first.differences.filter {
            $0.effect != .improvement && !again.contains(key($0))
        }
        if !gone.isEmpty { result.unconfirmed = gone.map(\.message) }
        if !result.differences.contains(where: { $0.effect != .improvement }) {
            result.status = result.missing.isEmpty ? .passed : .inconclusive
        }
        return result
    }
}
