import Foundation
import SourceRewriting

/// Writes a rewritten copy of each file of a target.
struct RewriteCommand {
    private let output: URL
    private let platform: String?
    private let files: [String]

    init(_ arguments: [String]) throws {
        var output: String?
        var platform: String?
        var files: [String] = []
        var rest = arguments[...]
        while let next = rest.popFirst() {
            switch next {
            case "--output": output = rest.popFirst()
            case "--platform": platform = rest.popFirst()
            default:
                if next.hasPrefix("--") { throw UsageError() }
                files.append(next)
            }
        }
        guard let output, !files.isEmpty else { throw UsageError() }
        self.output = URL(fileURLWithPath: output)
        self.platform = platform
        self.files = files
    }

    /// Writes the copies; those that say the same as before are left alone, so that nothing is
    /// compiled again because of them.
    func run() throws -> Bool {
        let sources = try files.map { path in
            SourceRewriter.Source(
                path: path, text: try String(contentsOfFile: path, encoding: .utf8))
        }
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        for file in SourceRewriter(sources, platform: platform).rewrite() {
            for warning in file.warnings { print(warning.text, to: &standardError) }
            let place = output.appendingPathComponent(file.copyName)
            let text = Data(file.located.utf8)
            if (try? Data(contentsOf: place)) == text { continue }
            try text.write(to: place)
        }
        return false
    }
}
