import Foundation
import Glibc
import Synchronization

/// The processes that this one has started and waits for.
///
/// When a signal ends this process they end with it: what they write would keep its temporary
/// folders alive, and nobody reads their results.
package enum ChildProcesses {
    /// How a child is told to end.
    package enum End: Sendable {
        /// At once: it has nothing to put away.
        case kill
        /// By an interrupt, so that it ends its own children.
        case interrupt

        var signal: Int32 { self == .kill ? SIGKILL : SIGINT }
    }

    private static let running = Mutex<[pid_t: End]>([:])
    private static let isEnding = Atomic(false)

    /// Starts a process and remembers it until ``finish(_:)``.
    package static func start(_ process: Process, endsBy end: End) throws {
        let isStarted = try running.withLock { running in
            // Under the lock, so that whoever ends all of them finds this one or keeps it away.
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

    /// Ends all of them, and keeps others from being started.
    static func endAll() {
        isEnding.store(true, ordering: .releasing)
        for (child, end) in running.withLock({ $0 }) { kill(child, end.signal) }
    }

    /// Waits for the signal that is about to end this process: what fails meanwhile is no failure
    /// of the work.
    package static func parkIfEnding() {
        while isEnding.load(ordering: .acquiring) { pause() }
    }
}

/// A command of another program, run to its end with its output read line by line.
package struct ChildCommand: Sendable {
    /// The program, which is looked for in PATH, and its arguments.
    package var words: [String]
    /// Variables beside those of this process.
    package var environment: [String: String] = [:]

    package init(_ words: [String], environment: [String: String] = [:]) {
        self.words = words
        self.environment = environment
    }

    /// What a command said, both outputs together, and how it ended.
    package struct Outcome: Sendable {
        package var status: Int32
        package var text: String
    }

    /// Runs the command.
    ///
    /// - Parameter line: told each line as soon as it is there.
    /// - Throws: What keeps the program from being started.
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
