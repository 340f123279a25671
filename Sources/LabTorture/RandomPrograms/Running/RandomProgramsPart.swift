import Foundation
import TortureCampaigns

/// Runs random programs in every kind of store. Compares the observations with those of a reference
/// on plain values.
struct RandomProgramsPart: TorturePart {
    /// Runs a job. By default it runs in a worker process, because a program may end its process.
    typealias Launch = @Sendable (ProgramJob, (ProgramLine) -> Void) throws -> WorkerEnd

    static let attemptsOfJob = 500
    /// The maximum number of crashes in a job whose programs are shrunk. Each trial starts a
    /// process, which is slow.
    private static let shrunkCrashes = 1
    private static let crashTrials = 120

    let name = "programs"
    var workers = ParallelAttempts()
    var launch: Launch = { job, hear in
        try WorkerProcess(arguments: [ProgramWorker.subcommand])
            .run(job, folder: job.folder, hear: hear)
    }

    var attemptsOfSliceMin: Int { workers.jobs * Self.attemptsOfJob }

    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        let folder = try ScenarioWorkers.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let size = Self.attemptsOfJob
        let jobs = (attempts.count + size - 1) / size
        return try workers.run(
            0..<jobs, progress: { progress(min($0 * size, attempts.count)) },
            { number, slice in
                let first = attempts.lowerBound + number * size
                let path = "\(folder)/\(number)"
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: path) }
                let job = ProgramJob(
                    seed: seed, first: first, last: min(first + size, attempts.upperBound),
                    folder: path)
                try work(job, &slice)
            })
    }

    /// Runs a job. If an attempt ends the worker process, continues with the next attempt in a new
    /// process.
    private func work(_ job: ProgramJob, _ slice: inout TortureSlice) throws {
        var job = job
        var crashes = 0
        while job.first < job.last {
            var current = job.first
            var known: ProgramFailure?
            var counts: [String: Int] = [:]
            var failures: [ProgramFailure] = []
            let end = try launch(job) { line in
                switch line {
                case .begins(let attempt): (current, known) = (attempt, nil)
                case .shrinks(let failure): known = failure
                case .fails(let failure):
                    failures.append(failure)
                    known = nil
                case .counts(_, let more): counts.merge(more, uniquingKeysWith: +)
                }
            }
            for (name, number) in counts { slice.count(name, number) }
            for failure in failures {
                slice.fail(failure.attempt, failure.what, input: failure.program)
            }
            guard let complaint = ScenarioWorkers.complaint(end) else { return }
            if let known {
                slice.fail(current, known.what, input: known.program)
            } else {
                crashes += 1
                let program = try crashing(current, job, isFirst: crashes <= Self.shrunkCrashes)
                slice.fail(current, complaint.text, input: program.text)
            }
            job.first = current + 1
        }
    }

    /// The program that ended its process. It is shrunk if it also ends the process without the
    /// programs before it.
    private func crashing(
        _ attempt: Int, _ job: ProgramJob, isFirst: Bool
    ) throws -> RandomProgram {
        let program = ProgramGenerator.program(attempt, seed: job.seed)
        guard isFirst else { return program }
        var kept = Array(program.steps.indices)
        var trials = 0
        func fails(_ steps: [Int]) -> Bool {
            trials += 1
            var one = job
            (one.first, one.last, one.steps) = (attempt, attempt + 1, steps)
            let end = try? launch(one) { _ in }
            return end.flatMap(ScenarioWorkers.complaint) != nil
        }
        var size = max(kept.count / 2, 1)
        while trials < Self.crashTrials {
            let before = kept.count
            var start = 0
            while start < kept.count, trials < Self.crashTrials {
                var candidate = kept
                candidate.removeSubrange(start..<min(start + size, kept.count))
                if fails(candidate) { kept = candidate } else { start += size }
            }
            if size == 1, kept.count == before { break }
            size = max(size / 2, 1)
        }
        var small = program
        small.steps = kept.map { program.steps[$0] }
        return small
    }

    static var plan: TortureCampaign.Plan {
        TortureCampaign.Plan(RandomProgramsPart(), attempts: 100_000, floor: 100, weight: 3)
    }
}
