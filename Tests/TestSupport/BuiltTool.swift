import Foundation
import Testing

/// Runs the built tool, which is in the folder of the running tests, in a new process.
package enum BuiltTool {
    package struct Result {
        package var status: Int32
        package var output: String
        package var complaint: String
    }

    /// The tool; nil if it has not been built.
    package static let executable = program("faultline")

    /// The program `faultline-torture`, which attacks use for their victims and workers; nil if it
    /// has not been built.
    package static let torture = program("faultline-torture")

    private static func program(_ name: String) -> URL? {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        guard let own else { return nil }
        let tool = URL(fileURLWithPath: own).deletingLastPathComponent()
            .appendingPathComponent(name)
        return FileManager.default.isExecutableFile(atPath: tool.path) ? tool : nil
    }

    /// Runs a program, or the tool, with both outputs in pipes.
    package static func run(
        _ arguments: [String], of program: URL? = executable, in folder: URL,
        environment: [String: String] = [:]
    ) throws -> Result {
        let output = Pipe()
        let complaint = Pipe()
        let process = makeProcess(try #require(program), arguments, in: folder, environment)
        process.standardOutput = output
        process.standardError = complaint
        try process.run()
        // Standard output is read first, because its pipe could become full. Standard error has
        // little text.
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let error = try complaint.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            complaint: String(decoding: error, as: UTF8.self))
    }

    /// Creates a process without standard input. Replaces environment variables that would change
    /// the tool's output.
    package static func makeProcess(
        _ program: URL, _ arguments: [String], in folder: URL, _ environment: [String: String]
    ) -> Process {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment
            .merging(["FAULTLINE_ROOT": "", "NO_COLOR": "", "TERM": "xterm"]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        return process
    }
}
