import Foundation
import TestSupport
import Testing

/// Runs `faultline explore FILE` in a new process, as the recipient of a recorded file does.
enum ExploringCommand {
    static var isBuilt: Bool { BuiltTool.executable != nil }

    /// Expects that some explored schedules have the recorded outcome, and that some have the bug.
    static func expectRecorded(
        _ finding: String, in text: String, _ place: SourceLocation = #_sourceLocation
    ) throws {
        guard isBuilt else { return }
        let (status, said) = try output(for: text)
        let lines = said.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(status == 0, "\(said)", sourceLocation: place)
        #expect(
            lines.contains { $0.hasPrefix("finding ") && $0.contains(": \(finding)") }, "\(said)",
            sourceLocation: place)
        // A row of the table begins with the number of schedules. The grade follows.
        #expect(
            lines.contains { $0.wholeMatch(of: /[1-9][0-9]* +interesting .*/) != nil }, "\(said)",
            sourceLocation: place)
        #expect(
            lines.contains { $0.hasPrefix("interesting ") && $0.contains("./faultline replay ") },
            "\(said)", sourceLocation: place)
    }

    static func output(for text: String, _ arguments: String...) throws -> (
        status: Int32, text: String
    ) {
        let folder = Stacks.folder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("recorded.yaml")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let result = try BuiltTool.run(["explore", file.path] + arguments, in: folder)
        return (result.status, result.output + result.complaint)
    }
}
