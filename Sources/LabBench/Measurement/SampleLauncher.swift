import Foundation
import Glibc
import LabFiles

/// Executes requests. The measurement launches each sample with it.
package protocol SampleLauncher: Sendable {
    func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply
}

/// Runs each sample in a new process of this program.
///
/// The speed of whole processes varies at random by a factor of up to 1.8, for example because of
/// the memory layout. Many samples of one process would not show this variation.
package struct ProcessLauncher: SampleLauncher {
    package var executable: String
    package var arguments: [String]

    package init(
        executable: String = own, arguments: [String] = [SampleWorker.subcommand]
    ) {
        self.executable = executable
        self.arguments = arguments
    }

    /// The path of this program. In a child process, `/proc/self/exe` would refer to the child's
    /// program, so the link is resolved here.
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
            // The outputs are smaller than the pipes' buffers, so the child process never blocks.
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
    /// They make the C library keep freed memory. Otherwise it may return memory to the system
    /// after one run and request it again in the next. `GLIBC_TUNABLES` in the caller's environment
    /// takes precedence.
    private static func environment(_ pass: SampleRequest.Pass) -> [String: String] {
        let own = ProcessInfo.processInfo.environment
        if pass == .allocations { return own.merging(AllocationCounter.environment) { $1 } }
        let kept = ["GLIBC_TUNABLES": "glibc.malloc.trim_threshold=\(Int32.max)"]
        return own.merging(kept) { mine, _ in mine }
    }

    /// Writes to a process that may have ended without reading. SIGPIPE is blocked, so a failed
    /// write throws an error and does not end this process.
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

/// Runs each sample in this process. It is for tests, because a test program cannot run as a
/// measuring process.
package struct InProcessLauncher: SampleLauncher {
    package init() {}

    package func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        try SampleWorker.perform(request)
    }
}
