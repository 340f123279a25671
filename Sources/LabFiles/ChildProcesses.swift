import Foundation
import Glibc
import Synchronization

/// The child processes that this process has started and waits for.
///
/// If a signal ends this process, its children are also ended. Otherwise they would continue to
/// write into temporary folders.
package enum ChildProcesses {
    /// How a child process is ended.
    package enum End: Sendable {
        /// The child is killed with SIGKILL, because it has nothing to clean up.
        case kill
        /// The child receives SIGINT, so that it can end its own children.
        case interrupt

        var signal: Int32 { self == .kill ? SIGKILL : SIGINT }
    }

    private static let running = Mutex<[pid_t: End]>([:])
    private static let isEnding = Atomic(false)

    /// Starts a process and registers it until ``finish(_:)``.
    package static func start(_ process: Process, endsBy end: End) throws {
        let isStarted = try running.withLock { running in
            // The check happens under the lock. So `endAll()` either finds this process or prevents
            // its start.
            if isEnding.load(ordering: .acquiring) { return false }
            try process.run()
            running[process.processIdentifier] = end
            return true
        }
        if !isStarted { parkIfEnding() }
    }

    /// Waits until a process has ended, and unregisters it.
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

    /// Blocks forever if a signal is about to end this process. Otherwise the caller would report a
    /// failure, because its child has received the same signal.
    package static func parkIfEnding() {
        while isEnding.load(ordering: .acquiring) { pause() }
    }
}

/// A command that runs another program to its end and reads its output line by line.
package struct ChildCommand: Sendable {
    /// The program, which is looked up in PATH, and its arguments.
    package var words: [String]
    /// Additional environment variables.
    package var environment: [String: String] = [:]

    package init(_ words: [String], environment: [String: String] = [:]) {
        self.words = words
        self.environment = environment
    }

    /// The exit status of a command, and its combined standard output and standard error.
    package struct Outcome: Sendable {
        package var status: Int32
        package var text: String
    }

    /// Runs the command.
    ///
    /// - Parameter line: called with each line as soon as it is complete.
    /// - Throws: an error if the program cannot be started.
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
