import LabFiles

/// Measures all variants of a benchmark run.
struct Measurement {
    let options: BenchOptions
    let folder: String
    /// Another build of this program, which is measured in the same rounds.
    var base: (any SampleLauncher)?
    let progress: ProgressSink

    /// The program and the side that a measuring process runs.
    enum Runner: Hashable {
        case engine, twin
        case base
        case peer(Int)

        var side: Side {
            switch self {
            case .engine, .base: .engine
            case .twin: .twin
            case .peer: .peer
            }
        }

        var isEngine: Bool { side == .engine }

        /// Whether a report can be valid without this runner's samples.
        var mayBeLeftOut: Bool { self != .engine && self != .twin }
    }

    /// The samples of one variant.
    struct Samples {
        var counted: [Runner: SampleReply] = [:]
        /// The replies of the timed processes, one per round.
        var timed: [Runner: [SampleReply]] = [:]
        /// The reply of the process that counts allocations, for each build.
        var allocated: [Runner: SampleReply] = [:]
        /// The reasons why the other build or a peer program was not measured.
        var refusals: [Runner: String] = [:]
        /// The reason why the engine or the C baseline was not completely measured.
        var failure: BenchError?

        /// Removes the samples of incomplete rounds. If no round is complete or a result is wrong,
        /// removes all samples.
        mutating func leave(after rounds: Int, because error: BenchError) {
            failure = error
            timed = timed.mapValues { Array($0.prefix(rounds)) }
            guard rounds == 0 || error.isWrongResult else { return }
            (counted, timed, allocated) = ([:], [:], [:])
        }

        mutating func refuse(_ runner: Runner, because error: BenchError) {
            refusals[runner] = "\(error)"
            (counted[runner], timed[runner], allocated[runner]) = (nil, nil, nil)
        }
    }

    /// A variant, and its name in progress messages.
    struct Subject {
        var label: String
        var variant: WorkloadVariant
        /// Whether the variant is measured only to compute how another variant's time grows.
        var isScaled = false
    }

    /// The samples of all variants. Some variants may have failed.
    struct Taken {
        var samples: [Samples]
        /// The yardstick's replies, one for each round; empty if every variant has a C baseline.
        var yardstick: [SampleReply] = []
        /// The duration of the whole measurement in seconds.
        var seconds = 0.0
    }

    /// - Throws: the first variant's error if no variant could be measured; an error if the data
    ///   could not be generated.
    func run(_ subjects: [Subject]) throws(BenchError) -> Taken {
        var allowance = RoundAllowance(options.preset.timeLimit, now: options.now)
        let needsYardstick = subjects.contains { $0.variant.operation.twin == nil }
        var runners = subjects.map(runners)
        let files = files(subjects, needsYardstick: needsYardstick)
        var clock = Steps(
            total: files.count + zip(subjects, runners).reduce(0) { $0 + steps($1.0, $1.1) }
                + (needsYardstick ? options.preset.rounds : 0),
            progress: progress)
        for variant in files {
            clock.step("data \(variant.libraryFile)")
            _ = try launch(.prepare, .engine, variant)
        }
        do throws(MeasurementError) {
            try BaselineSide.create(folder + "/" + Self.emptyFile)
        } catch { throw .measurement(error) }
        var samples = subjects.map { _ in Samples() }
        for (index, subject) in subjects.enumerated() {
            do throws(BenchError) {
                try count(subject, &runners[index], &samples[index], &clock)
            } catch { samples[index].leave(after: 0, because: error) }
        }
        let yardstick = try makeRounds(
            subjects, needsYardstick: needsYardstick, &runners, &samples, &allowance, &clock)
        clock.finish()
        if samples.allSatisfy(\.counted.isEmpty), let failure = samples.first?.failure {
            throw failure
        }
        return Taken(samples: samples, yardstick: yardstick, seconds: allowance.seconds)
    }

    /// Runs all timed rounds, or as many as the time limit permits. Returns the yardstick's
    /// samples.
    private func makeRounds(
        _ subjects: [Subject], needsYardstick: Bool, _ runners: inout [[Runner]],
        _ samples: inout [Samples], _ allowance: inout RoundAllowance, _ clock: inout Steps
    ) throws(BenchError) -> [SampleReply] {
        var yardstick: [SampleReply] = []
        for round in 0..<options.preset.rounds {
            let open = subjects.indices.filter { index in
                samples[index].failure == nil
                    && !(subjects[index].isScaled && round >= Self.scaledRounds)
            }
            guard open.contains(where: { allowance.permits($0, round) }) else { break }
            if needsYardstick {
                clock.step("yardstick, \(name(of: round))")
                yardstick.append(
                    try launch(.timing, .twin, Yardstick.variant, runs: Yardstick.runs))
            }
            for index in open where allowance.permits(index, round) {
                do throws(BenchError) {
                    try time(subjects[index], round, &runners[index], &samples[index], &clock)
                } catch { samples[index].leave(after: round, because: error) }
                allowance.note(index)
            }
        }
        return yardstick
    }

    private func name(of round: Int) -> String {
        options.preset.timeLimit == nil
            ? "round \(round + 1) of \(options.preset.rounds)" : "round \(round + 1)"
    }

    /// Runs one process for each runner (a program that takes samples). If a peer program or
    /// another build fails, later rounds omit it.
    private func time(
        _ subject: Subject, _ round: Int, _ runners: inout [Runner], _ samples: inout Samples,
        _ clock: inout Steps
    ) throws(BenchError) {
        for runner in order(runners, round) where round < rounds(of: runner) {
            clock.step("time \(subject.label), \(name(of: round))")
            do throws(BenchError) {
                let reply = try launch(.timing, runner, subject.variant)
                samples.timed[runner, default: []].append(reply)
            } catch {
                guard runner.mayBeLeftOut else { throw error }
                samples.refuse(runner, because: error)
                runners.removeAll { $0 == runner }
            }
        }
        try checkSameResult(subject, samples)
    }

    /// One variant for each data file, sorted by the file's name.
    private func files(_ subjects: [Subject], needsYardstick: Bool) -> [WorkloadVariant] {
        let wantsYardstick = needsYardstick && options.preset.rounds > 0
        let variants = subjects.map(\.variant) + (wantsYardstick ? [Yardstick.variant] : [])
        return Dictionary(
            variants.map { ($0.libraryFile, $0) }, uniquingKeysWith: { first, _ in first }
        )
        .sorted { $0.key < $1.key }.map(\.value)
    }

    /// The number of rounds for variants that are measured only to compute the growth of times.
    private static let scaledRounds = 3
    /// The number of rounds for a peer program. The gate does not judge its times, so a few
    /// suffice.
    private static let peerRounds = 5
    static let emptyFile = "empty.sqlite"

    private func runners(_ subject: Subject) -> [Runner] {
        var runners: [Runner] = [.engine]
        if subject.variant.operation.twin != nil { runners.append(.twin) }
        if base != nil { runners.append(.base) }
        if !subject.isScaled { runners += options.peers.indices.map { .peer($0) } }
        return runners
    }

    private func rounds(of runner: Runner) -> Int {
        if case .peer = runner { return min(options.preset.rounds, Self.peerRounds) }
        return options.preset.rounds
    }

    private func steps(_ subject: Subject, _ runners: [Runner]) -> Int {
        runners.reduce(0) { sum, runner in
            let timed = rounds(of: runner)
            return sum + 1 + (runner.isEngine && !subject.isScaled ? 1 : 0)
                + (subject.isScaled ? min(timed, Self.scaledRounds) : timed)
        }
    }

    /// The order alternates from round to round, so that caches favour neither side.
    private func order(_ runners: [Runner], _ round: Int) -> [Runner] {
        round.isMultiple(of: 2) ? runners : runners.reversed()
    }

    /// Runs one process for each runner with every counter on. If a peer program or another build
    /// fails, the timed rounds omit it.
    private func count(
        _ subject: Subject, _ runners: inout [Runner], _ samples: inout Samples,
        _ clock: inout Steps
    ) throws(BenchError) {
        var able: [Runner] = []
        for runner in runners {
            clock.step("count \(subject.label)")
            do throws(BenchError) {
                samples.counted[runner] = try launch(.counting, runner, subject.variant)
                able.append(runner)
            } catch {
                guard runner.mayBeLeftOut else { throw error }
                samples.refuse(runner, because: error)
                continue
            }
            guard runner.isEngine, !subject.isScaled else { continue }
            clock.step("allocations of \(subject.label)")
            do throws(BenchError) {
                samples.allocated[runner] = try launch(.allocations, runner, subject.variant)
            } catch {
                // An older build may lack the operation. Its other results can still be compared.
                guard runner == .base else { throw error }
            }
        }
        runners = able
        try checkSameResult(subject, samples)
    }

    private func launch(
        _ pass: SampleRequest.Pass, _ runner: Runner, _ variant: WorkloadVariant,
        runs: Int? = nil
    ) throws(BenchError) -> SampleReply {
        let isTiming = pass == .timing
        let request = SampleRequest(
            pass: pass, side: runner.side, variant: variant,
            warmUps: warmUps(pass),
            runs: isTiming ? runs ?? options.preset.runs : 1,
            library: folder + "/" + variant.libraryFile, folder: folder,
            plant: runner == .engine ? options.plant : nil,
            emptyFile: folder + "/" + Self.emptyFile)
        do throws(MeasurementError) {
            switch runner {
            case .engine, .twin: return try options.launcher.launch(request)
            case .base: return try (base ?? options.launcher).launch(request)
            case .peer(let index): return try options.peers[index].launch(request)
            }
        } catch {
            // The report shows the name of the peer next to the error.
            if case .peer = runner { throw .measurement(error) }
            throw .measurement(
                MeasurementError("\(variant.operation.name), \(runner) side: \(error)"))
        }
    }

    /// A warm-up run keeps one-time work of a process out of times and allocation counts.
    private func warmUps(_ pass: SampleRequest.Pass) -> Int {
        switch pass {
        case .prepare, .counting: 0
        case .allocations: 1
        case .timing: options.preset.warmUps
        }
    }

    private func checkSameResult(_ subject: Subject, _ samples: Samples) throws(BenchError) {
        var all: [(name: String, checksum: String)] = []
        for (runner, reply) in samples.counted { all.append(("\(runner)", reply.checksum)) }
        for (runner, replies) in samples.timed {
            all += replies.map { ("\(runner)", $0.checksum) }
        }
        all.sort { $0.name < $1.name }
        guard let first = all.first else { return }
        for (name, checksum) in all where checksum != first.checksum {
            throw .differentResults(
                "\(subject.label): a run of the \(name) side returned the result \(checksum), "
                    + "the \(first.name) side \(first.checksum)")
        }
    }
}

/// Counts the measuring processes, for the progress display.
private struct Steps {
    var completed = 0
    let total: Int
    let progress: ProgressSink

    mutating func step(_ label: String) {
        progress(ProgressUpdate(label, completed: min(completed, total), total: total))
        completed += 1
    }

    func finish() { progress(ProgressUpdate("measured", completed: total, total: total)) }
}
