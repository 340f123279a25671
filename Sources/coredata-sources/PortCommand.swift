import Foundation
import SourceRewriting

/// Writes the rewritten sources of a folder out, shows the difference and counts the edits.
struct PortCommand {
    private let folder: String
    private let output: String

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var folder: String?
        var output: String?
        while let next = rest.popFirst() {
            if next == "--output" {
                output = rest.popFirst()
            } else if next.hasPrefix("--") || folder != nil {
                throw UsageError()
            } else {
                folder = next
            }
        }
        guard let folder, let output else { throw UsageError() }
        self.folder = URL(fileURLWithPath: folder).standardizedFileURL.path
        self.output = URL(fileURLWithPath: output).standardizedFileURL.path
    }

    /// Copies the folder and puts the rewritten files into the copy, which must not exist yet.
    func run() throws -> Bool {
        guard !FileManager.default.fileExists(atPath: output) else {
            print("error: \(output) exists already; name a new folder", to: &standardError)
            return true
        }
        let files = SourceFolder.files(in: folder).filter { !$0.hasSuffix("/Package.swift") }
        let sources = try files.map { path in
            SourceRewriter.Source(
                path: path, text: try String(contentsOfFile: path, encoding: .utf8))
        }
        try FileManager.default.copyItem(atPath: folder, toPath: output)
        var counts: [EditKind: Int] = [:]
        var lines = 0
        for (source, file) in zip(sources, SourceRewriter(sources).rewrite()) {
            counts.merge(file.counts, uniquingKeysWith: +)
            for warning in file.warnings { print(warning.text, to: &standardError) }
            let text = (file.needsImport ? "import CoreData\n" : "") + file.text
            lines += show(source, text)
            let place = output + file.path.dropFirst(folder.count)
            try text.write(toFile: place, atomically: true, encoding: .utf8)
        }
        for kind in EditKind.allCases {
            if let count = counts[kind] { print("\(count)\t\(kind.rawValue)") }
        }
        print("\(lines) lines of \(files.count) files are changed in \(output)")
        return false
    }

    /// Prints the lines that differ, and tells how many of the original there are.
    private func show(_ source: SourceRewriter.Source, _ text: String) -> Int {
        let before = source.text.split(separator: "\n", omittingEmptySubsequences: false)
        let after = text.split(separator: "\n", omittingEmptySubsequences: false)
        let difference = after.difference(from: before)
        guard !difference.isEmpty else { return 0 }
        print("--- \(source.path)")
        for removal in difference.removals {
            guard case .remove(let offset, let line, _) = removal else { continue }
            print("\(offset + 1)- \(line)")
        }
        for insertion in difference.insertions {
            guard case .insert(let offset, let line, _) = insertion else { continue }
            print("\(offset + 1)+ \(line)")
        }
        return difference.removals.count
    }
}
