import BenchResults
import CoreDataTrace
import Foundation

/// Measures one side of one workload in this process. A hidden subcommand of the tool runs it.
package enum SampleWorker {
    package static let subcommand = "bench-sample"

    /// The prefix of the error message of a build that lacks the workload's operation.
    static let noOperation = "this build has no operation"

    /// Reads a request from standard input, executes it, and writes the reply to standard output.
    /// Ends the process with exit code 0, or with 70 and the reason on standard error.
    ///
    /// The operation runs on another thread, so that this thread can serve the main queue.
    package static func main() -> Never {
        let worker = Thread { exit(answer()) }
        worker.stackSize = 8 << 20
        worker.start()
        dispatchMain()
    }

    private static func answer() -> Int32 {
        do {
            let input = try FileHandle.standardInput.readToEnd() ?? Data()
            let request = try JSONDecoder().decode(SampleRequest.self, from: input)
            let reply = try perform(request)
            try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(reply))
            return 0
        } catch {
            StandardStream.log("\(error)\n")
            return 70
        }
    }

    package static func perform(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        guard let variant = request.variant else {
            throw MeasurementError("\(noOperation) `\(request.operation)`")
        }
        switch request.pass {
        case .prepare:
            try EngineSide().makeLibrary(request.library, variant)
            return SampleReply(
                nanoseconds: [], checksum: "", counts: BenchCounts(), statements: [],
                peakMemoryBytes: 0)
        case .timing, .counting, .allocations:
            return try measure(Job(request: request, variant: variant))
        }
    }

    private struct Job {
        let request: SampleRequest
        let variant: WorkloadVariant
        let dataset: Dataset?

        init(request: SampleRequest, variant: WorkloadVariant) {
            self.request = request
            self.variant = variant
            dataset = variant.operation.rows?(variant)
        }
    }

    private static func measure(_ job: Job) throws(MeasurementError) -> SampleReply {
        let request = job.request
        var first: SideRun?
        var warm: [Int64] = []
        var runs: [SideRun] = []
        while runs.count < request.runs {
            let run = try freshRun(job)
            if let first, first.checksum != run.checksum {
                throw MeasurementError(
                    "\(job.variant.operation.name): run \(warm.count + runs.count + 1) returned "
                        + "the result \(String(run.checksum, radix: 16)), but the first returned "
                        + String(first.checksum, radix: 16))
            }
            if first == nil { first = run }
            if isWarm(warm, request) { runs.append(run) } else { warm.append(run.nanoseconds) }
        }
        guard let first else { throw MeasurementError("the sample has no runs") }
        return SampleReply(
            nanoseconds: runs.map(\.nanoseconds), checksum: String(first.checksum, radix: 16),
            counts: first.counts, statements: first.statements,
            peakMemoryBytes: ProcessMemory.peakBytes(), figures: figures(runs),
            warmUps: warm.count)
    }

    /// The maximum number of additional warm-ups.
    private static let warmUpsBeyond = 3
    /// The relative change between two warm-ups below which times count as stable.
    private static let stableWithin = 0.1

    /// Whether times are stable: two successive warm-ups took a similar time, or the maximum number
    /// of warm-ups is reached.
    private static func isWarm(_ warm: [Int64], _ request: SampleRequest) -> Bool {
        guard warm.count >= request.warmUps else { return false }
        guard request.warmUps > 1, warm.count < request.warmUps + warmUpsBeyond else { return true }
        let (last, before) = (Double(warm[warm.count - 1]), Double(warm[warm.count - 2]))
        return abs(last - before) <= stableWithin * before
    }

    private static func figures(_ runs: [SideRun]) -> [BenchFigure]? {
        guard let first = runs.first, !first.figures.isEmpty else { return nil }
        return first.figures.map { figure in
            let values = runs.compactMap { run in
                run.figures.first { $0.name == figure.name }?.value
            }
            return BenchFigure(figure.name, Statistics.median(values), unit: figure.unit)
        }
    }

    /// Runs the operation once. If it writes, it gets a new copy of the data file.
    private static func freshRun(_ job: Job) throws(MeasurementError) -> SideRun {
        let plantsIndex = job.request.plant == .index && job.request.side == .engine
        guard job.variant.operation.writes || plantsIndex else {
            return try run(job, job.request.library)
        }
        let file = job.request.folder + "/run.sqlite"
        removeStore(file)
        defer { removeStore(file) }
        if job.variant.operation.access != .creates,
            !job.variant.operation.library.isFilledBySamples
        {
            do {
                try FileManager.default.copyItem(atPath: job.request.library, toPath: file)
            } catch {
                throw MeasurementError("the library could not be copied: \(error)")
            }
            if plantsIndex { try BaselineSide.dropIndexes(file) }
        }
        if job.request.side == .twin, job.variant.operation.access == .creates {
            try BaselineSide.create(file)
        }
        // While a connection is open, the write-ahead log stays on disk. So the measured time does
        // not include its creation. If the engine creates the file, it also creates the log before
        // the measurement.
        let held = FileManager.default.fileExists(atPath: file) ? BaselineSide.HeldLog(file) : nil
        var result = try run(job, file)
        _ = consume held
        switch job.variant.operation.access {
        case .changes, .creates: result.checksum = try BaselineSide.digest(file)
        case .reads, .disturbs: break
        }
        return result
    }

    private static func run(_ job: Job, _ file: String) throws(MeasurementError) -> SideRun {
        switch job.request.side {
        case .twin:
            return try BaselineSide.run(job.variant, file: file, dataset: job.dataset)
        case .engine:
            let isCounting = job.request.pass == .counting
            let allocations = job.request.pass == .allocations ? AllocationCounter() : nil
            var run = try EngineSide().run(
                job.variant, file: file, dataset: job.dataset,
                options: EngineSide.Options(
                    isCounting: isCounting, allocations: allocations, plant: job.request.plant))
            if isCounting { run.statements = QueryPlans.explain(run.statements, file: file) }
            return run
        case .peer: throw MeasurementError("this program is not a peer")
        }
    }

    private static func removeStore(_ file: String) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file + suffix)
        }
    }
}
