import BenchResults
import LabFiles

/// Measures workloads and builds their report, for the commands `bench` and `gate`.
package enum BenchSuite {
    /// Measures the workloads of files and folders.
    ///
    /// - Parameters:
    ///   - files: workload files or folders of them. If empty, the workloads that the program
    ///     declares.
    ///   - progress: called before each process starts.
    package static func run(
        _ files: [String], options: BenchOptions = BenchOptions(),
        progress: @escaping ProgressSink = { _ in }
    ) throws(BenchError) -> BenchReport {
        try measure(try workloads(files, options), options, base: nil, progress).now
    }

    /// The reports of two builds that were measured in the same rounds.
    package struct Pair: Sendable {
        package var now: BenchReport
        package var base: BenchReport
        /// The work that the other build could not do, with the reasons.
        package var refused: [String]
    }

    package static func runInSameRounds(
        _ base: any SampleLauncher, _ files: [String], options: BenchOptions,
        progress: @escaping ProgressSink = { _ in }
    ) throws(BenchError) -> Pair {
        try measure(try workloads(files, options), options, base: base, progress)
    }

    private static func measure(
        _ workloads: [Workload], _ options: BenchOptions, base: (any SampleLauncher)?,
        _ progress: @escaping ProgressSink
    ) throws(BenchError) -> Pair {
        guard options.allowsDebugBuild || !MachineFacts.isDebugBuild else { throw .debugBuild }
        guard !workloads.isEmpty else { throw .nothingToMeasure }
        let warnings = MachineFacts.warnings()
        let groups = workloads.map { Self.subjects($0, options) }
        let subjects = Array(groups.joined())
        let taken = try take(subjects, options, base, progress)
        var samples = taken.samples[...]
        let empty = empty(options, warnings, taken)
        var pair = Pair(now: empty, base: empty, refused: [])
        for (workload, group) in zip(workloads, groups) {
            let own = Array(zip(group, samples.prefix(group.count)))
            samples = samples.dropFirst(group.count)
            let builder = BenchResultBuilder(workload: workload, options: options, measured: own)
            let failures = own.compactMap { Self.failure(workload, $0, $1) }
            if !failures.isEmpty { pair.now.failures = (pair.now.failures ?? []) + failures }
            let result = try builder.result(.engine)
            if !result.strategies.isEmpty { pair.now.results.append(result) }
            guard base != nil else { continue }
            pair.refused += own.compactMap { subject, samples in
                samples.refusals[.base].map { "\(subject.label): \($0)" }
            }
            pair.base.results.append(try builder.result(.base))
        }
        pair.now.yardstick = BenchResultBuilder.yardstick(taken.yardstick, options)
        pair.base.yardstick = pair.now.yardstick
        if !pair.now.results.flatMap(\.strategies).contains(where: { $0.counts.allocations != nil })
        {
            pair.now.warnings = warnings + [AllocationCounter.absence]
        }
        return pair
    }

    private static func failure(
        _ workload: Workload, _ subject: Measurement.Subject, _ samples: Measurement.Samples
    ) -> BenchFailure? {
        guard let failure = samples.failure else { return nil }
        let rounds = samples.timed[.engine]?.count ?? 0
        let place = subject.isScaled ? "\(subject.label): " : ""
        let kept = rounds > 0 ? "; its figures come from \(rounds) rounds" : ""
        return BenchFailure(
            workload: workload.name, strategy: subject.variant.name, file: workload.file,
            line: workload.line, problem: "\(place)\(failure)\(kept)")
    }

    private static func empty(
        _ options: BenchOptions, _ warnings: [String], _ taken: Measurement.Taken
    ) -> BenchReport {
        var report = BenchReport(
            preset: options.preset.name, seed: options.seed ?? 1,
            environment: MachineFacts.environment(), results: [],
            warnings: warnings.isEmpty ? nil : warnings)
        report.timeBudget = options.preset.timeLimit.map { limit in
            BenchTimeBudget(
                seconds: limit.seconds, spentSeconds: taken.seconds,
                floor: min(limit.floor, options.preset.rounds), most: options.preset.rounds)
        }
        return report
    }

    /// The variants of a workload. They include smaller sizes if the preset requests them.
    private static func subjects(
        _ workload: Workload, _ options: BenchOptions
    ) -> [Measurement.Subject] {
        workload.variants.flatMap { variant in
            let label = "\(workload.name) \(variant.name)"
            let own = Measurement.Subject(label: label, variant: variant)
            guard options.preset.scales, variant.operation.twin != nil else { return [own] }
            let parameter = variant.operation.scale.parameter
            let size = variant.integer(parameter)
            let smaller = [size / 100, size / 10].filter { $0 > 0 }.map { size in
                Measurement.Subject(
                    label: "\(label) \(parameter)=\(size)", variant: variant.with(parameter, size),
                    isScaled: true)
            }
            return smaller + [own]
        }
    }

    /// Reads the files. Then applies the preset, the seed and the parameters, in this order.
    static func workloads(
        _ files: [String], _ options: BenchOptions
    ) throws(BenchError) -> [Workload] {
        var workloads: [Workload]
        do throws(InputErrors) {
            workloads =
                files.isEmpty
                ? own : try WorkloadFile.load(files, allowsOutside: options.allowsOutside)
        } catch { throw .input(error) }
        guard !workloads.isEmpty else { throw .nothingToMeasure }
        workloads = workloads.map { $0.applying(preset: options.preset.name) }
        do throws(InputError) {
            if let seed = options.seed {
                try ParameterOverride("seed=\(seed)").apply(to: &workloads)
            }
            for override in options.overrides { try override.apply(to: &workloads) }
            workloads = try chosen(workloads, options.only)
            for workload in workloads {
                guard let excess = WorkloadLimits.excess(of: workload) else { continue }
                throw InputError(
                    file: workload.file, problem: "with these options \(excess.problem)",
                    remedy: excess.remedy)
            }
        } catch { throw .input(InputErrors([error])) }
        return workloads
    }

    private static var own: [Workload] {
        KnownOperations.workloads.compactMap { own in
            guard let operation = KnownOperations.named(own.name) else { return nil }
            return Workload(
                name: own.name, about: own.about, file: own.file, line: own.line,
                operation: operation,
                settings: operation.shape.map { ParameterSetting(spec: $0, values: [$0.standard]) },
                expectations: [], presets: [:])
        }
    }

    private static func chosen(
        _ workloads: [Workload], _ names: Set<String>
    ) throws(InputError) -> [Workload] {
        guard !names.isEmpty else { return workloads }
        let unknown = names.subtracting(workloads.map(\.name))
        guard unknown.isEmpty else {
            let known = workloads.map(\.name).joined(separator: ", ")
            throw InputError(
                file: "--only \(unknown.sorted().joined(separator: ","))",
                problem: "this workload does not exist", remedy: "write one of \(known)")
        }
        return workloads.filter { names.contains($0.name) }
    }

    private static func take(
        _ subjects: [Measurement.Subject], _ options: BenchOptions,
        _ base: (any SampleLauncher)?, _ progress: @escaping ProgressSink
    ) throws(BenchError) -> Measurement.Taken {
        let folder: WorkFolder
        do throws(MeasurementError) {
            folder = try WorkFolder()
        } catch { throw .measurement(error) }
        let measurement = Measurement(
            options: options, folder: folder.path, base: base, progress: progress)
        return try measurement.run(subjects)
    }
}
