import Foundation
import Testing

/// Compares a text with a committed file. FAULTLINE_BLESS=1 updates the files. Review the change
/// like any other.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Golden")

    static func expect(
        _ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.appendingPathComponent(name)
        if ProcessInfo.processInfo.environment["FAULTLINE_BLESS"] == "1" {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        guard text != golden else { return }
        let now = text.split(separator: "\n", omittingEmptySubsequences: false)
        let then = golden.split(separator: "\n", omittingEmptySubsequences: false)
        let line = zip(now, then).enumerated().first { $0.element.0 != $0.element.1 }
        let place = line?.offset ?? min(now.count, then.count)
        let was = place < then.count ? then[place] : "(the end)"
        let new = place < now.count ? now[place] : "(the end)"
        Issue.record(
            "\(name):\(place + 1): expected '\(was)', got '\(new)'",
            sourceLocation: sourceLocation)
    }
}
