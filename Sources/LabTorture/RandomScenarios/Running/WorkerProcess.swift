import Foundation
import Glibc

/// The reason why a worker process ended.
enum WorkerEnd: Sendable, Equatable {
    case done
    /// A signal or an error ended the process. `said` is a line of its standard error: the first
    /// error, or the last line.
    case crashed(how: String, said: String)
    /// The process wrote nothing for too long and was killed.
    case hung
}

/// Runs one job in a new process of this program, and reads its output line by line.
struct WorkerProcess {
    let executable: String
    let arguments: [String]
    /// The number of seconds without output after which a worker counts as hung.
    let patience: Int

    init(
        executable: String? = nil, arguments: [String] = [ScenarioWorker.subcommand],
        patience: Int = 60
    ) {
        // `/proc/self` refers to a different process in each process that opens it, so the link is
        // resolved here.
        self.executable =
            executable
            ?? (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        self.arguments = arguments
        self.patience = patience
    }

    /// - Parameter folder: the folder for a file with the process's standard error.
    func run<Job: Encodable, Line: Decodable>(
        _ job: Job, folder: String, hear: (Line) -> Void
    ) throws -> WorkerEnd {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        let log = "\(folder)/said"
        try Data().write(to: URL(fileURLWithPath: log))
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_BACKTRACE": "enable=no"]
        ) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        try? output.fileHandleForWriting.close()
        try? input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(job))
        try? input.fileHandleForWriting.close()
        let isHanging = !listen(to: output.fileHandleForReading, hear)
        if isHanging { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        if isHanging { return .hung }
        if process.terminationReason == .exit, process.terminationStatus == 0 { return .done }
        let how =
            process.terminationReason == .uncaughtSignal
            ? "signal \(process.terminationStatus)" : "status \(process.terminationStatus)"
        return .crashed(how: how, said: Self.lastLine(log))
    }

    private func listen<Line: Decodable>(
        to handle: FileHandle, _ hear: (Line) -> Void
    ) -> Bool {
        var rest: [UInt8] = []
        let decoder = JSONDecoder()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var waiting = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(patience * 1000)) > 0 else { return false }
            let count = read(handle.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { return true }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: 10) {
                if let line = try? decoder.decode(Line.self, from: Data(rest[..<end])) {
                    hear(line)
                }
                rest.removeSubrange(...end)
            }
        }
    }

    private static func lastLine(_ path: String) -> String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").filter { !$0.isEmpty }
        let telling = lines.first { $0.contains("rror: ") } ?? lines.last
        return String(telling.map { $0.prefix(300) } ?? "")
    }
}
