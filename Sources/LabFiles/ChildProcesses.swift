import Foundation
import Glibc
import Synchronization

/// The processes that this one has started and waits for.
///
/// If a signal ends this process, its children are ended, too. Otherwise they would continue to
/// write into temporary folders, and nobody would read their results.
package enum ChildProcesses {
    /// How a child process is ended.
    package enum End: Sendable {
        /// The process is ended by SIGKILL, because it has nothing to clean up.
        case kill
        /// The child receives an interrupt, so that it ends its own children.
        case interrupt

        var signal: Int32 { self == .kill ? SIGKILL : SIGINT }
    }

    private static let running = Mutex<[pid_t: End]>([:])
    private static let isEnding = Atomic(false)

    /// Starts a process and remembers it until ``finish(_:)``.
    package static func start(_ process: Process, endsBy end: End) throws {
        let isStarted = try running.withLock { running in
            // The check is inside the lock, so that `endAll()` either finds this process or
            // prevents its start.
            if isEnding.load(ordering: .acquiring) { return false }
            try process.run()
            running[process.processIdentifier] = end
            return true
        }
        if !isStarted { parkIfEnding() }
    }

    /// Waits for the end of a process.
    package static func finish(_ process: Process) {
        process.waitUntilExit()
        parkIfEnding()
        _ = running.withLock { $0.removeValue(forKey: process.processIdentifier) }
    }

    /// Ends all child processes, and prevents further ones from being started.
    static func endAll() {
        isEnding.store(true, ordering: .releasing)
        for (child, end) in running.withLock({ $0 }) { kill(child, end.signal) }
    }

    /// Never returns if a signal is about to end this process. Otherwise the end of a child, which
    /// the same signal caused, would be reported as a failure.
    package static func parkIfEnding() {
        while isEnding.load(ordering: .acquiring) { pause() }
    }
}

/// A command that runs another program to its end and reads its output line by line.
package struct ChildCommand: Sendable {
    /// The program, which is searched for in PATH, and its arguments.
    package var words: [String]
    /// Variables to add to those of this process.
    package var environment: [String: String] = [:]

    package init(_ words: [String], environment: [String: String] = [:]) {
        self.words = words
        self.environment = environment
    }

    /// The result of a command: its exit status, and the text of standard output and standard error
    /// together.
    package struct Outcome: Sendable {
        package var status: Int32
        package var text: String
    }

    /// Runs the command.
    ///
    /// - Parameter line: called with each line as soon as it is complete.
    /// - Throws: the error of starting the program.
    package func run(_ line: (String) -> Void = { _ in }) throws -> Outcome {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        if !environment.isEmpty {
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try ChildProcesses.start(process, endsBy: .interrupt)
        var bytes = Data()
        var told = 0
        while true {
            let piece = pipe.fileHandleForReading.availableData
            if piece.isEmpty { break }
            bytes += piece
            while let end = bytes[told...].firstIndex(of: UInt8(ascii: "\n")) {
                line(String(decoding: bytes[told..<end], as: UTF8.self))
                told = end + 1
            }
        }
        ChildProcesses.finish(process)
        let text = String(decoding: bytes, as: UTF8.self)
        return Outcome(
            status: process.terminationStatus,
            text: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
