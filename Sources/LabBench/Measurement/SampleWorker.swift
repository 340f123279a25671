// Owns what a measuring process does: warm up, run, check that all runs gave one result. The
// hidden subcommand of the tool is this worker between standard input and standard output.

import Foundation
import LabResults

/// Measures one side of one workload in this process.
package enum SampleWorker {
    /// The name of the tool's hidden subcommand.
    package static let subcommand = "bench-sample"

    /// Reads a request from standard input, does it, and writes the reply to standard output.
    ///
    /// - Returns: The exit code: 0, or 70 with the reason on standard error.
    package static func main() -> Int32 {
        do {
            let input = try FileHandle.standardInput.readToEnd() ?? Data()
            let request = try JSONDecoder().decode(SampleRequest.self, from: input)
            let reply = try perform(request)
            try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(reply))
            return 0
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 70
        }
    }

    /// Does a request in this process.
    package static func perform(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        let variant = request.variant
        switch request.pass {
        case .prepare:
            try EngineSide().makeLibrary(request.library, Dataset(variant.shape))
            return SampleReply(
                nanoseconds: [], checksum: "", counts: BenchCounts(), statements: [],
                peakMemoryBytes: 0)
        case .timing, .counting:
            let dataset = variant.operation == .insert ? Dataset(variant.shape) : nil
            return try measure(request, variant, dataset)
        }
    }

    private static func measure(
        _ request: SampleRequest, _ variant: WorkloadVariant, _ dataset: Dataset?
    ) throws(MeasurementError) -> SampleReply {
        var reply: SampleReply?
        let engine = EngineSide()
        for index in 0..<(request.warmUps + request.runs) {
            let run = try freshRun(request, variant, dataset, engine)
            let checksum = String(run.checksum, radix: 16)
            if let first = reply?.checksum, first != checksum {
                throw MeasurementError(
                    "\(variant.operation.rawValue): run \(index + 1) gave the result \(checksum), "
                        + "the first gave \(first)")
            }
            var grown =
                reply
                ?? SampleReply(
                    nanoseconds: [], checksum: checksum, counts: run.counts,
                    statements: run.statements, peakMemoryBytes: 0)
            if index >= request.warmUps { grown.nanoseconds.append(run.nanoseconds) }
            reply = grown
        }
        guard var reply else { throw MeasurementError("a sample of no runs was asked for") }
        reply.peakMemoryBytes = ProcessMemory.peakBytes()
        return reply
    }

    /// Runs once, on the library itself or, where the run writes, on a file of its own.
    private static func freshRun(
        _ request: SampleRequest, _ variant: WorkloadVariant, _ dataset: Dataset?,
        _ engine: EngineSide
    ) throws(MeasurementError) -> SideRun {
        guard variant.operation.writes else {
            return try run(request, variant, request.library, dataset, engine)
        }
        let file = request.folder + "/run.sqlite"
        removeStore(file)
        defer { removeStore(file) }
        if variant.operation != .insert {
            do {
                try FileManager.default.copyItem(atPath: request.library, toPath: file)
            } catch {
                throw MeasurementError("the library could not be copied: \(error)")
            }
        }
        return try run(request, variant, file, dataset, engine)
    }

    private static func run(
        _ request: SampleRequest, _ variant: WorkloadVariant, _ file: String, _ dataset: Dataset?,
        _ engine: EngineSide
    ) throws(MeasurementError) -> SideRun {
        switch request.side {
        case .twin:
            if variant.operation == .insert { try BaselineSide.create(file) }
            return try BaselineSide.run(variant, file: file, dataset: dataset)
        case .engine:
            return try engine.run(
                variant, file: file, dataset: dataset,
                options: EngineSide.Options(
                    isCounting: request.pass == .counting,
                    plantsExtraStatement: request.plantsExtraStatement))
        }
    }

    private static func removeStore(_ file: String) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file + suffix)
        }
    }
}
