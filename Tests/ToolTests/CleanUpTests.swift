import Foundation
import Glibc
import TestSupport
import Testing

/// A command that a signal ends leaves no files in the temporary folder.
@Suite(.enabled(if: Tool.isBuilt, "build the product faultline first"))
struct CleanUpTests {
    private static let scenario = """
        name: waiting
        about: Somebody looks at each step.
        model: {entities: {Account: {attributes: {name: string}}}}
        contexts: {A: {}}
        setup: ['insert Account as a']
        sessions: {one: {context: A, steps: {s1: 'set a.name = "x"', s2: save}}}
        observe: {n: count Account}
        outcomes: [{grade: acceptable, is: {n: 1}, because: There is one.}]
        store: sqlite
        """

    /// Starts a command that waits for input while its store is in the temporary folder, and ends
    /// it by a signal.
    private func end(by signal: Int32, in temporary: String, _ file: String) throws -> Process {
        let tool = try #require(Tool.executable)
        let process = Process()
        // The tool would inherit the signals that the test runner ignores, so `env` restores the
        // default handling.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal", tool.path, "step", file]
        process.currentDirectoryURL = Tool.root
        process.environment = ProcessInfo.processInfo.environment
            .merging(["TMPDIR": temporary, "NO_COLOR": "1"]) { $1 }
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var shown = ""
        while !shown.contains("next:") {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            shown += String(decoding: piece, as: UTF8.self)
        }
        #expect(shown.contains("next:"))
        #expect(!(try names(temporary)).isEmpty)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        try input.fileHandleForWriting.close()
        return process
    }

    /// A workload for a gate that measures repeatedly. It is small, so that a test waits only
    /// briefly.
    private static let workload = """
        name: small
        about: A few books are read.
        operation: full-fetch
        data: {authors: 5, books: 5}
        """

    /// Starts a gate that measures in separate processes, and ends it by a signal during a
    /// measurement.
    private func endGate(by signal: Int32, in temporary: String, _ file: String) throws -> Int32 {
        let tool = try #require(Tool.executable)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "--default-signal", tool.path, "gate", file, "--preset", "smoke",
            "--allow-debug-build", "--self-test", "1000",
        ]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["TMPDIR": temporary]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The gate has printed the first comparison and is measuring the second one.
        _ = output.fileHandleForReading.availableData
        while try names(temporary).isEmpty { sched_yield() }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal that ends a gate ends its samples and leaves no folder`(signal: Int32) throws {
        let scratch = try Scratch()
        let temporary = scratch.path("tmp")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false)
        let file = try scratch.write(Self.workload, to: "small.yaml")
        #expect(try endGate(by: signal, in: temporary, file) == signal)
        #expect(try names(temporary) == [])
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal that ends the tool leaves no copy of a store`(signal: Int32) throws {
        let scratch = try Scratch()
        let temporary = scratch.path("tmp")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false)
        let file = try scratch.write(Self.scenario, to: "waiting.yaml")
        let process = try end(by: signal, in: temporary, file)
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
        #expect(try names(temporary) == [])
    }

    @Test func `the next run removes the leftovers of a killed one`() throws {
        let scratch = try Scratch()
        let temporary = scratch.path("tmp")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false)
        let file = try scratch.write(Self.scenario, to: "waiting.yaml")
        _ = try end(by: SIGKILL, in: temporary, file)
        #expect(try names(temporary).count == 2)
        let result = try Tool.run("run", file, environment: ["TMPDIR": temporary])
        #expect(result.status == 0)
        #expect(try names(temporary) == [])
    }
}
