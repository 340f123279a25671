import BenchResults
import LabFiles

/// Builds the result of one workload from its samples. Each build of the program has its own
/// result.
struct BenchResultBuilder {
    let workload: Workload
    let options: BenchOptions
    /// The variants with their samples. Variants at smaller sizes come before the one at full size.
    /// They only serve to compute how the time grows.
    let measured: [(subject: Measurement.Subject, samples: Measurement.Samples)]

    private var bootstrap: Bootstrap { Bootstrap(seed: options.seed ?? 1) }

    static func yardstick(_ replies: [SampleReply], _ options: BenchOptions) -> Timing? {
        timing(times(replies), Bootstrap(seed: options.seed ?? 1))
    }

    /// The result of one build. It omits variants that the build could not run.
    func result(_ build: Measurement.Runner) throws(BenchError) -> BenchResult {
        let swept = workload.settings.filter { $0.values.count > 1 }.map(\.spec.name)
        let fixed = workload.shownSettings.filter { $0.values.count == 1 }
        var strategies: [StrategyResult] = []
        var smaller: [(WorkloadVariant, Measurement.Samples)] = []
        var times: [(WorkloadVariant, Double, Double)] = []
        for (subject, samples) in measured {
            guard !subject.isScaled else {
                smaller.append((subject.variant, samples))
                continue
            }
            defer { smaller = [] }
            guard samples.counted[build] != nil else { continue }
            var strategy = try strategy(subject.variant, samples, build)
            strategy.scaling = scaling(smaller + [(subject.variant, samples)], build)
            strategies.append(strategy)
            if let time = strategy.time, let twin = strategy.twin?.time {
                times.append(
                    (
                        subject.variant, Double(time.medianNanoseconds),
                        Double(twin.medianNanoseconds)
                    ))
            }
        }
        return BenchResult(
            workload: workload.name, file: workload.file, line: workload.line,
            sentence: workload.about,
            parameters: fixed.filter { !swept.contains($0.spec.name) }
                .map { .init($0.spec.name, $0.values[0].description) },
            strategies: strategies, figures: derived(times))
    }

    private func strategy(
        _ variant: WorkloadVariant, _ samples: Measurement.Samples, _ build: Measurement.Runner
    ) throws(BenchError) -> StrategyResult {
        guard let engine = samples.counted[build] else {
            throw .measurement(MeasurementError("\(workload.name) was not counted"))
        }
        let replies = samples.timed[build] ?? []
        var counts = engine.counts
        counts.allocations = samples.allocated[build]?.counts.allocations
        counts.allocatedBytes = samples.allocated[build]?.counts.allocatedBytes
        return StrategyResult(
            name: variant.name, sentence: variant.operation.sentence(variant),
            counts: counts, statements: ordered(engine.statements),
            time: timing(times(replies)), peakMemoryBytes: replies.map(\.peakMemoryBytes).max(),
            twin: twin(variant, samples, times(replies)), checksum: engine.checksum,
            expectations: try expectations(variant, engine.counts), notes: notes(samples),
            figures: figures(samples, build), peers: peers(samples),
            countsVary: variant.operation.countsVary ? true : nil)
    }

    private func twin(
        _ variant: WorkloadVariant, _ samples: Measurement.Samples, _ engine: [Double]
    ) -> TwinResult? {
        guard let twin = samples.counted[.twin] else { return nil }
        let replies = samples.timed[.twin] ?? []
        return TwinResult(
            sentence: variant.operation.twinSentence(variant),
            statements: ordered(twin.statements), rows: twin.counts.rows,
            vmSteps: twin.counts.vmSteps, time: timing(times(replies)),
            ratio: ratio(engine, times(replies)),
            peakMemoryBytes: replies.map(\.peakMemoryBytes).max(), checksum: twin.checksum)
    }

    private func notes(_ samples: Measurement.Samples) -> [String] {
        var notes: [String] = []
        if let plant = options.plant {
            notes.append(
                "Measured with a deliberate regression (\(plant.rawValue)), so this is not a valid"
                    + " result.")
        }
        for (index, peer) in options.peers.enumerated() {
            guard let why = samples.refusals[.peer(index)] else { continue }
            notes.append("`\(peer.command.joined(separator: " "))` was left out: \(why)")
        }
        return notes
    }

    private func peers(_ samples: Measurement.Samples) -> [PeerResult]? {
        let twin = times(samples.timed[.twin] ?? [])
        let results = options.peers.indices.compactMap { index -> PeerResult? in
            guard let replies = samples.timed[.peer(index)], let first = replies.first,
                let time = timing(times(replies))
            else { return nil }
            return PeerResult(
                name: first.name ?? options.peers[index].command.joined(separator: " "),
                sentence: first.sentence ?? "", time: time,
                ratio: ratio(times(replies), Array(twin.prefix(replies.count))),
                peakMemoryBytes: replies.map(\.peakMemoryBytes).max() ?? 0)
        }
        return results.isEmpty ? nil : results
    }

    private func figures(
        _ samples: Measurement.Samples, _ build: Measurement.Runner
    ) -> [BenchFigure]? {
        func median(_ runner: Measurement.Runner, _ name: String) -> Double? {
            let values = (samples.timed[runner] ?? []).compactMap { reply in
                reply.figures?.first { $0.name == name }?.value
            }
            return values.isEmpty ? nil : Statistics.median(values)
        }
        guard let first = samples.timed[build]?.first?.figures else { return nil }
        return first.compactMap { figure in
            median(build, figure.name).map {
                BenchFigure(
                    figure.name, $0, twin: median(.twin, figure.name), unit: figure.unit)
            }
        }
    }

    /// Figures that compare each variant with the first value of a parameter.
    private func derived(_ times: [(WorkloadVariant, Double, Double)]) -> [BenchFigure]? {
        guard let rule = workload.operation.derived, let first = times.first else { return nil }
        let figures = times.dropFirst().flatMap { variant, engine, twin in
            let own = rule.value(variant, engine, first.1)
            let inC = rule.value(variant, twin, first.2)
            return [
                BenchFigure(rule.name(variant), own, twin: inC, unit: .ratio),
                BenchFigure("\(rule.name(variant)), of C's", own / inC, unit: .ratio),
            ]
        }
        return figures.isEmpty ? nil : figures
    }

    private func scaling(
        _ sizes: [(WorkloadVariant, Measurement.Samples)], _ build: Measurement.Runner
    ) -> Scaling? {
        guard sizes.count > 1, let scale = sizes.first?.0.operation.scale else { return nil }
        let points = sizes.compactMap { variant, samples -> Scaling.Point? in
            let (engine, twin) = (
                times(samples.timed[build] ?? []), times(samples.timed[.twin] ?? [])
            )
            guard !engine.isEmpty, !twin.isEmpty else { return nil }
            let unit = variant.integer(scale.parameter)
            return Scaling.Point(
                size: scale.parameter == "authors" ? unit * variant.shape.books : unit,
                nanoseconds: UInt64(Statistics.median(engine)),
                twinNanoseconds: UInt64(Statistics.median(twin)))
        }
        guard points.count > 1 else { return nil }
        return Scaling(
            unit: scale.unit, points: points,
            exponent: Statistics.exponent(points.map { (Double($0.size), Double($0.nanoseconds)) }),
            twinExponent: Statistics.exponent(
                points.map { (Double($0.size), Double($0.twinNanoseconds)) }))
    }

    private func expectations(
        _ variant: WorkloadVariant, _ counts: BenchCounts
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

    /// The median of the runs of each process.
    private func times(_ replies: [SampleReply]) -> [Double] { Self.times(replies) }

    private static func times(_ replies: [SampleReply]) -> [Double] {
        replies.map { Statistics.median($0.nanoseconds.map(Double.init)) }
    }

    private func timing(_ samples: [Double]) -> Timing? { Self.timing(samples, bootstrap) }

    private static func timing(_ samples: [Double], _ bootstrap: Bootstrap) -> Timing? {
        guard !samples.isEmpty else { return nil }
        let interval = bootstrap.median(samples)
        return Timing(
            samplesNanoseconds: samples.map { UInt64($0.rounded()) },
            medianNanoseconds: UInt64(interval.estimate.rounded()),
            lowNanoseconds: UInt64(interval.low.rounded()),
            highNanoseconds: UInt64(interval.high.rounded()),
            outliers: Statistics.outlierCount(samples))
    }

    private func ratio(_ engine: [Double], _ twin: [Double]) -> Ratio? {
        guard !engine.isEmpty, engine.count == twin.count else { return nil }
        let interval = bootstrap.pairedRatio(engine, twin)
        return Ratio(median: interval.estimate, low: interval.low, high: interval.high)
    }

    private func ordered(_ statements: [StatementCount]) -> [StatementCount] {
        statements.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
    }
}
