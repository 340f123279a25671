// Owns a run of the bench from files to a report; the tool's `bench` and `gate` call it.

import LabResults

/// The workloads of some files, measured.
package enum BenchSuite {
    /// Measures the workloads of files and folders.
    ///
    /// - Parameters:
    ///   - files: Workload files, or folders of them.
    ///   - progress: Told before each process starts.
    package static func run(
        _ files: [String], options: BenchOptions = BenchOptions(),
        progress: @escaping ProgressSink = { _ in }
    ) throws(BenchError) -> BenchReport {
        guard options.allowsDebugBuild || !MachineFacts.isDebugBuild else { throw .debugBuild }
        let workloads = try workloads(files, options)
        let subjects = workloads.map { workload in
            workload.variants.map {
                Measurement.Subject(label: "\(workload.name) \($0.name)", variant: $0)
            }
        }
        let samples = try measure(Array(subjects.joined()), options, progress)
        var rest = samples[...]
        var results: [BenchResult] = []
        for (workload, subjects) in zip(workloads, subjects) {
            let own = rest.prefix(subjects.count)
            rest = rest.dropFirst(subjects.count)
            results.append(
                try result(workload, Array(zip(subjects.map(\.variant), own)), options))
        }
        return BenchReport(
            preset: options.preset.name, seed: options.seed ?? 1,
            environment: MachineFacts.environment(), results: results)
    }

    /// Reads files and applies preset, seed and parameters, in this order.
    static func workloads(
        _ files: [String], _ options: BenchOptions
    ) throws(BenchError) -> [Workload] {
        var workloads: [Workload]
        do throws(InputErrors) {
            workloads = try WorkloadFile.load(files)
        } catch { throw .input(error) }
        guard !workloads.isEmpty else { throw .nothingToMeasure }
        workloads = workloads.map { $0.applying(preset: options.preset.name) }
        do throws(InputError) {
            if let seed = options.seed {
                try ParameterOverride("seed=\(seed)").apply(to: &workloads)
            }
            for override in options.overrides { try override.apply(to: &workloads) }
        } catch { throw .input(InputErrors([error])) }
        return workloads
    }

    private static func measure(
        _ subjects: [Measurement.Subject], _ options: BenchOptions,
        _ progress: @escaping ProgressSink
    ) throws(BenchError) -> [Measurement.Samples] {
        let folder: WorkFolder
        do throws(MeasurementError) {
            folder = try WorkFolder()
        } catch { throw .measurement(error) }
        let measurement = Measurement(options: options, folder: folder.path, progress: progress)
        return try measurement.run(subjects)
    }

    private static func result(
        _ workload: Workload, _ measured: [(WorkloadVariant, Measurement.Samples)],
        _ options: BenchOptions
    ) throws(BenchError) -> BenchResult {
        let swept = workload.settings.filter { $0.values.count > 1 }.map(\.spec.name)
        let fixed = workload.settings.filter { $0.values.count == 1 }
        var strategies: [StrategyResult] = []
        for (variant, samples) in measured {
            strategies.append(try strategy(workload, variant, samples, options))
        }
        return BenchResult(
            workload: workload.name, file: workload.file, sentence: workload.about,
            parameters: fixed.filter { !swept.contains($0.spec.name) }
                .map { .init($0.spec.name, $0.values[0].description) },
            strategies: strategies)
    }

    private static func strategy(
        _ workload: Workload, _ variant: WorkloadVariant, _ samples: Measurement.Samples,
        _ options: BenchOptions
    ) throws(BenchError) -> StrategyResult {
        guard let engine = samples.counted[.engine], let twin = samples.counted[.twin] else {
            throw .measurement(MeasurementError("\(workload.name) was not counted"))
        }
        let bootstrap = Bootstrap(seed: options.seed ?? 1)
        let engineTimes = times(samples.timed[.engine])
        let twinTimes = times(samples.timed[.twin])
        return StrategyResult(
            name: variant.name, sentence: variant.operation.sentence(variant),
            counts: engine.counts, statements: ordered(engine.statements),
            time: timing(engineTimes, bootstrap), peakMemoryBytes: peak(samples.timed[.engine]),
            twin: TwinResult(
                sentence: variant.operation.twinSentence(variant),
                statements: ordered(twin.statements), rows: twin.counts.rows,
                vmSteps: twin.counts.vmSteps, time: timing(twinTimes, bootstrap),
                ratio: ratio(engineTimes, twinTimes, bootstrap),
                peakMemoryBytes: peak(samples.timed[.twin]), checksum: twin.checksum),
            checksum: engine.checksum,
            expectations: try expectations(workload, variant, engine.counts))
    }

    private static func expectations(
        _ workload: Workload, _ variant: WorkloadVariant, _ counts: BenchCounts
    ) throws(BenchError) -> [CountExpectation] {
        var result: [CountExpectation] = []
        for prediction in workload.expectations {
            do throws(CountExpression.Problem) {
                result.append(
                    CountExpectation(
                        count: prediction.count.rawValue, expression: prediction.expression.text,
                        expected: try prediction.expression.value(variant.numbers),
                        seen: prediction.count.value(in: counts)))
            } catch {
                throw .input(
                    InputErrors([
                        InputError(
                            file: workload.file, problem: error.problem, remedy: error.remedy)
                    ]))
            }
        }
        return result
    }

    /// The median of each process's runs.
    private static func times(_ replies: [SampleReply]?) -> [Double] {
        (replies ?? []).map { Statistics.median($0.nanoseconds.map(Double.init)) }
    }

    private static func peak(_ replies: [SampleReply]?) -> Int? {
        replies?.map(\.peakMemoryBytes).max()
    }

    private static func timing(_ samples: [Double], _ bootstrap: Bootstrap) -> Timing? {
        guard !samples.isEmpty else { return nil }
        let interval = bootstrap.median(samples)
        return Timing(
            samplesNanoseconds: samples.map { UInt64($0.rounded()) },
            medianNanoseconds: UInt64(interval.estimate.rounded()),
            lowNanoseconds: UInt64(interval.low.rounded()),
            highNanoseconds: UInt64(interval.high.rounded()))
    }

    private static func ratio(
        _ engine: [Double], _ twin: [Double], _ bootstrap: Bootstrap
    ) -> Ratio? {
        guard !engine.isEmpty, engine.count == twin.count else { return nil }
        let interval = bootstrap.pairedRatio(engine, twin)
        return Ratio(median: interval.estimate, low: interval.low, high: interval.high)
    }

    private static func ordered(_ statements: [StatementCount]) -> [StatementCount] {
        statements.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
    }
}
