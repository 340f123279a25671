import Foundation
import Glibc
import LabFiles
import LabResults

/// Executes a request and returns its reply. The measurement uses a launcher for every sample.
package protocol SampleLauncher: Sendable {
    func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply
}

/// Runs each sample in a new process of this program.
///
/// Whole processes run up to 1.8 times slower at random (because of memory layout, for example), so
/// samples of one process cannot replace samples of many.
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

    /// The path of this program. This process resolves the link `/proc/self/exe`, because in a
    /// child process the link names the child's program.
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
            // Neither pipe can fill up and block the child process: the output of each is smaller
            // than a pipe's buffer.
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

    /// Variables to add to a sample process's environment.
    ///
    /// The variables make the C library keep freed memory. Otherwise the library may return the top
    /// of the heap to the system after one run and request it again, page by page, in the next run.
    /// The caller can override this with `GLIBC_TUNABLES`.
    private static func environment(_ pass: SampleRequest.Pass) -> [String: String] {
        let own = ProcessInfo.processInfo.environment
        if pass == .allocations { return own.merging(AllocationCounter.environment) { $1 } }
        let kept = ["GLIBC_TUNABLES": "glibc.malloc.trim_threshold=\(Int32.max)"]
        return own.merging(kept) { mine, _ in mine }
    }

    /// Writes to a process that may have ended without reading. SIGPIPE is blocked, so that this
    /// process can report the error instead of being killed.
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

/// Runs each sample in this process, for tests. (The program of a test cannot run as a measuring
/// process.)
package struct InProcessLauncher: SampleLauncher {
    package init() {}

    package func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        try SampleWorker.perform(request)
    }
}
