import CoreDataModel
import Foundation
import ModelGeneration
import SourceRewriting

/// Writes a rewritten copy of each source file of a target, and generates the classes of its
/// models.
struct RewriteCommand {
    private var output: URL?
    private var platform: String?
    private var files: [String] = []
    private var known: [String] = []
    private var models: [String] = []
    /// The settings of the plugin in its last run.
    private var folders: [String] = []
    private var exceptions: [String] = []
    private var comments: [(file: String, text: String)] = []

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let next = rest.popFirst() {
            switch next {
            case "--output": output = try URL(fileURLWithPath: Self.value(&rest))
            case "--platform": platform = try Self.value(&rest)
            case "--known": known.append(try Self.value(&rest))
            case "--model": models.append(try Self.value(&rest))
            case "--folder": folders.append(try Self.value(&rest))
            case "--except": exceptions.append(try Self.value(&rest))
            case "--comments": comments.append((try Self.value(&rest), try Self.value(&rest)))
            default:
                if next.hasPrefix("--") { throw UsageError() }
                files.append(next)
            }
        }
        if output == nil { throw UsageError() }
    }

    private static func value(_ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw UsageError() }
        return value
    }

    /// Writes the rewritten copies. A copy that has not changed is not written, so that it is not
    /// compiled again.
    func run() throws -> Bool {
        guard let output else { throw UsageError() }
        if let change = try changeOfSettings() {
            print("error: \(change); touch Package.swift and build again", to: &standardError)
            return true
        }
        let sources = try files.map(Self.source) + models.map { try Self.classes(of: $0, output) }
        let others = try known.map(Self.source)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        for file in SourceRewriter(sources, knowing: others, platform: platform).rewrite() {
            for warning in file.warnings { print(warning.text, to: &standardError) }
            let place = output.appendingPathComponent(file.copyName)
            let text = Data(file.located.utf8)
            if (try? Data(contentsOf: place)) == text { continue }
            try text.write(to: place)
        }
        return false
    }

    private static func source(_ path: String) throws -> SourceRewriter.Source {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        guard let text = String(data: data, encoding: .utf8) else { throw NotUTF8(path, data) }
        return SourceRewriter.Source(path: path, text: text)
    }

    /// Generates the classes of a model as a source of this target. The rewriter adds members to
    /// their bodies if extensions override members.
    private static func classes(
        of model: String, _ output: URL
    ) throws -> SourceRewriter.Source {
        let url = URL(fileURLWithPath: model)
        let name = url.deletingPathExtension().lastPathComponent
        let text = ClassGenerator(
            try NSManagedObjectModel.load(contentsOf: url), named: url.lastPathComponent
        ).source()
        let place = output.appendingPathComponent(name + "+CoreDataGenerated.swift")
        return SourceRewriter.Source(path: place.path, text: text)
    }

    /// A change since the last run of the plugin that SwiftPM does not detect, as text; nil if
    /// nothing has changed.
    private func changeOfSettings() throws -> String? {
        for (file, text) in comments {
            let now = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            if now.filter({ $0.hasPrefix("//") }).joined(separator: "\n") != text {
                return "the comments in \(file) have changed"
            }
        }
        guard !folders.isEmpty else { return nil }
        let present = Set(folders.flatMap { SourceFolder.files(in: $0, except: exceptions) })
        let difference = present.symmetricDifference(files)
        guard let one = difference.min() else { return nil }
        return "\(one) was added or removed"
    }
}

enum SourceFolder {
    static func files(in folder: String, except exceptions: [String] = []) -> [String] {
        if folder.hasSuffix(".swift") { return [folder] }
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (names ?? []).filter { name in
            let isHidden = name.split(separator: "/").contains { $0.hasPrefix(".") }
            let isLeftOut = exceptions.contains { name == $0 || name.hasPrefix($0 + "/") }
            return name.hasSuffix(".swift") && !isHidden && !isLeftOut
        }.map { folder + "/" + $0 }.sorted()
    }
}

/// A source in another encoding, which the compiler rejects as well.
struct NotUTF8: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ data: Data) {
        // The first line that differs from its repaired text has the first wrong byte.
        let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
        let line = lines.firstIndex { !String(decoding: $0, as: UTF8.self).utf8.elementsEqual($0) }
        description =
            "\(path):\((line ?? 0) + 1): error: the file is not in UTF-8; save it in that encoding"
    }
}
