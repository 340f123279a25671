// Owns the order of samples: one counting pass for each side, then rounds in which every variant
// and both sides have one process each. The suite hands it all variants and gets their samples.

import LabResults

/// Takes the samples of all variants of a run.
struct Measurement {
    let options: BenchOptions
    let folder: String
    let progress: ProgressSink

    /// What was measured of one variant.
    struct Samples {
        var counted: [Side: SampleReply] = [:]
        /// One process in each round.
        var timed: [Side: [SampleReply]] = [:]
    }

    /// A variant with the name that progress shows.
    struct Subject {
        var label: String
        var variant: WorkloadVariant
    }

    func run(_ subjects: [Subject]) throws(BenchError) -> [Samples] {
        let shapes = Set(subjects.map(\.variant.shape)).sorted { $0.fileName < $1.fileName }
        let total = shapes.count + subjects.count * 2 * (options.preset.rounds + 1)
        var steps = 0
        func step(_ label: String) {
            progress(ProgressUpdate(label, completed: steps, total: total))
            steps += 1
        }
        for shape in shapes {
            step("data \(shape.authors) × \(shape.books)")
            if let subject = subjects.first(where: { $0.variant.shape == shape }) {
                _ = try launch(.prepare, .engine, subject.variant)
            }
        }
        var samples = subjects.map { _ in Samples() }
        for (index, subject) in subjects.enumerated() {
            for side in Side.allCases {
                step("count \(subject.label)")
                samples[index].counted[side] = try launch(.counting, side, subject.variant)
            }
            try checkSameResult(subject, samples[index])
        }
        for round in 0..<options.preset.rounds {
            // The side that goes first changes, so that neither always finds the caches warm.
            let sides = round.isMultiple(of: 2) ? Side.allCases : Side.allCases.reversed()
            for (index, subject) in subjects.enumerated() {
                for side in sides {
                    step("time \(subject.label), round \(round + 1) of \(options.preset.rounds)")
                    let reply = try launch(.timing, side, subject.variant)
                    samples[index].timed[side, default: []].append(reply)
                }
                try checkSameResult(subject, samples[index])
            }
        }
        progress(ProgressUpdate("measured", completed: total, total: total))
        return samples
    }

    private func launch(
        _ pass: SampleRequest.Pass, _ side: Side, _ variant: WorkloadVariant
    ) throws(BenchError) -> SampleReply {
        let isTiming = pass == .timing
        let request = SampleRequest(
            pass: pass, side: side, variant: variant,
            warmUps: isTiming ? options.preset.warmUps : 0,
            runs: isTiming ? options.preset.runs : 1,
            library: folder + "/" + variant.shape.fileName, folder: folder,
            plantsExtraStatement: options.plantsExtraStatement)
        do throws(MeasurementError) {
            return try options.launcher.launch(request)
        } catch {
            throw .measurement(
                MeasurementError("\(variant.operation.rawValue), \(side.rawValue) side: \(error)"))
        }
    }

    private func checkSameResult(_ subject: Subject, _ samples: Samples) throws(BenchError) {
        let replies = Side.allCases.flatMap { side in
            ([samples.counted[side]].compactMap(\.self) + (samples.timed[side] ?? []))
                .map { (side, $0.checksum) }
        }
        guard let (_, first) = replies.first else { return }
        for (side, checksum) in replies where checksum != first {
            throw .differentResults(
                "\(subject.label): a run of the \(side.rawValue) side gave the result "
                    + "\(checksum), another run \(first)")
        }
    }
}
