import Foundation
import SourceRewriting

/// Copies a folder, rewrites the sources in the copy, prints the differences, and counts the edits.
struct PortCommand {
    private let folder: String
    private let output: String

    static let help = """
        usage: ./faultline port FOLDER --output NEW

        Copies FOLDER to NEW and rewrites the Swift files in the copy, so that Swift compiles them
        without Objective-C. Shows the lines that differ, counts the edits by their
        kinds, and warns of what cannot be translated. The folder itself does not change. To build
        an app's sources without a copy, use the plugin CoreDataSources.

          FOLDER        the folder of the sources, or one Swift file
          --output NEW  the folder of the copy; must not exist yet
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var folder: String?
        var output: String?
        while let next = rest.popFirst() {
            if next == "--output" {
                guard let value = rest.popFirst() else {
                    throw UsageError("--output needs the name of a new folder")
                }
                output = value
            } else if next.hasPrefix("-") {
                throw UsageError("unknown option \(next); see `./faultline port --help`")
            } else if let folder {
                throw UsageError("two folders are named, \(folder) and \(next); name only one")
            } else {
                folder = next
            }
        }
        guard let folder else {
            throw UsageError("name the folder: ./faultline port Sources/App --output Ported")
        }
        guard let output else {
            throw UsageError("name a new folder: ./faultline port \(folder) --output Ported")
        }
        self.folder = URL(fileURLWithPath: folder).standardizedFileURL.path
        self.output = URL(fileURLWithPath: output).standardizedFileURL.path
    }

    func run() throws -> Bool {
        let sources = try readSources()
        let parent = URL(fileURLWithPath: output).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder, toPath: output)
        var counts: [EditKind: Int] = [:]
        var lines = 0
        var warnings = 0
        for (source, file) in zip(sources, SourceRewriter(sources).rewrite()) {
            counts.merge(file.counts, uniquingKeysWith: +)
            warnings += file.warnings.count
            for warning in file.warnings { print(warning.text, to: &standardError) }
            let text = file.standalone
            if text == source.text { continue }
            lines += show(source, text)
            let place = output + file.path.dropFirst(folder.count)
            try text.write(toFile: place, atomically: true, encoding: .utf8)
        }
        for kind in EditKind.allCases {
            if let count = counts[kind] { print("\(count)\t\(kind.rawValue)") }
        }
        print("\(lines) lines of \(sources.count) files have changed in \(output)")
        if warnings > 0 { print("edit \(warnings) positions by hand; each has a warning above") }
        return false
    }

    /// Reads the sources. Problems with the folders are thrown before anything is written.
    private func readSources() throws -> [SourceRewriter.Source] {
        let manager = FileManager.default
        guard manager.fileExists(atPath: folder) else {
            throw PortError("the folder \(folder) does not exist; name the one with the sources")
        }
        guard !manager.fileExists(atPath: output) else {
            throw PortError("\(output) exists already; name a new folder, or remove it first")
        }
        guard output != folder, !output.hasPrefix(folder + "/") else {
            throw PortError("\(output) is inside \(folder); name a folder next to it")
        }
        let files = SourceFolder.files(in: folder).filter { !$0.hasSuffix("/Package.swift") }
        guard !files.isEmpty else {
            throw PortError("\(folder) has no Swift file; name the folder with the sources")
        }
        return try files.map { path in
            do {
                return SourceRewriter.Source(
                    path: path, text: try String(contentsOfFile: path, encoding: .utf8))
            } catch {
                throw PortError("\(path) cannot be read as UTF-8: \(error.localizedDescription)")
            }
        }
    }

    /// Prints the lines that differ. Returns the number of lines of the original that differ.
    private func show(_ source: SourceRewriter.Source, _ text: String) -> Int {
        let before = source.text.split(omittingEmptySubsequences: false, whereSeparator: Self.isEnd)
        let after = text.split(omittingEmptySubsequences: false, whereSeparator: Self.isEnd)
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

    private static func isEnd(_ character: Character) -> Bool {
        character == "\n" || character == "\r\n" || character == "\r"
    }
}

/// A problem that prevents a folder from being ported, and the remedy.
struct PortError: Error, CustomStringConvertible {
    let description: String
    init(_ message: String) { description = "error: " + message }
}
