import Foundation
import TestSupport
import Testing

/// Runs the built tool in a new process, with pipes or with a terminal.
enum Tool {
    typealias Result = BuiltTool.Result

    /// The executable next to the running tests. Nil if it has not been built.
    static let executable = BuiltTool.executable

    /// The path of the running test product, for the option `--tests`.
    static let testProduct =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

    static var isBuilt: Bool { executable != nil }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Runs the tool with both outputs in pipes.
    static func run(
        _ arguments: String..., in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> Result {
        try run(list: arguments, in: folder, environment: environment)
    }

    static func run(
        list arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> Result {
        try BuiltTool.run(arguments, in: folder ?? root, environment: environment)
    }

    /// Runs the tool with both outputs on a pseudo-terminal, and returns the shown text.
    static func runOnTerminal(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> String {
        let tool = try #require(executable).path
        let command = ([tool] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let output = Pipe()
        let process = BuiltTool.makeProcess(
            script, ["-q", "-c", command, "/dev/null"], in: root, environment)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let shown = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: shown, as: UTF8.self)
    }

    /// The program that runs a command in a pseudo-terminal.
    private static let script = URL(fileURLWithPath: "/usr/bin/script")

    static var hasTerminal: Bool { FileManager.default.isExecutableFile(atPath: script.path) }
}

final class Scratch: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ text: String, to name: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
