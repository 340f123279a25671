import Foundation
import Glibc
import LabFiles

/// Executes a request and returns its reply. The measurement uses a launcher for every sample.
package protocol SampleLauncher: Sendable {
    func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply
}

/// Runs each sample in a new process of this program.
///
/// The speed of whole processes varies at random by a factor of up to 1.8 (because of memory
/// layout, for example). Samples of one process therefore cannot replace samples of several
/// processes.
package struct ProcessLauncher: SampleLauncher {
    /// The program to run; by default this program.
    package var executable: String
    package var arguments: [String]

    package init(
        executable: String = own, arguments: [String] = [SampleWorker.subcommand]
    ) {
        self.executable = executable
        self.arguments = arguments
    }

    /// The path of this program. The path is resolved here, because in a child process
    /// `/proc/self/exe` refers to the child's program.
    package static var own: String {
        let link = "/proc/self/exe"
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? link
    }

    package func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        let process = Process()
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = Self.environment(request.pass)
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        do {
            try ChildProcesses.start(process, endsBy: .kill)
            try Self.write(JSONEncoder().encode(request), to: input.fileHandleForWriting)
            try input.fileHandleForWriting.close()
            // The output to each pipe is smaller than the pipe's buffer, so the child process never
            // blocks.
            let reply = try output.fileHandleForReading.readToEnd() ?? Data()
            let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
            ChildProcesses.finish(process)
            guard process.terminationStatus == 0 else {
                throw MeasurementError(Self.complaint(complaint, process.terminationStatus))
            }
            return try JSONDecoder().decode(SampleReply.self, from: reply)
        } catch let error as MeasurementError {
            throw error
        } catch {
            ChildProcesses.parkIfEnding()
            throw MeasurementError("a measuring process failed: \(error)")
        }
    }

    /// Environment variables for a measuring process.
    ///
    /// The variables make the C library keep freed memory. Otherwise the library may return memory
    /// to the system after one run and request it again in the next run. `GLIBC_TUNABLES` in the
    /// caller's environment overrides the variables.
    private static func environment(_ pass: SampleRequest.Pass) -> [String: String] {
        let own = ProcessInfo.processInfo.environment
        if pass == .allocations { return own.merging(AllocationCounter.environment) { $1 } }
        let kept = ["GLIBC_TUNABLES": "glibc.malloc.trim_threshold=\(Int32.max)"]
        return own.merging(kept) { mine, _ in mine }
    }

    /// Writes to a process that may have ended without reading. SIGPIPE is blocked, so that a
    /// failed write throws an error and does not end this process.
    private static func write(_ bytes: Data, to pipe: FileHandle) throws {
        var broken = sigset_t()
        var old = sigset_t()
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &broken, &old)
        defer {
            var atOnce = timespec()
            while sigtimedwait(&broken, nil, &atOnce) == SIGPIPE {}
            pthread_sigmask(SIG_SETMASK, &old, nil)
        }
        try pipe.write(contentsOf: bytes)
    }

    private static func complaint(_ bytes: Data, _ status: Int32) -> String {
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        return text.isEmpty ? "a measuring process ended with status \(status)" : text
    }
}

/// Runs each sample in this process. Tests use this launcher, because a test program cannot run as
/// a measuring process.
package struct InProcessLauncher: SampleLauncher {
    package init() {}

    package func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        try SampleWorker.perform(request)
    }
}
