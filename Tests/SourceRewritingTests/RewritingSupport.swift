import Foundation
import SourceRewriting
import SwiftParser
import SwiftSyntax

/// Rewrites sources and inspects the result.
enum Rewriting {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func file(_ text: String, _ path: String = "/app/Original.swift") -> RewrittenFile {
        files([(path, text)])[0]
    }

    static func files(_ sources: [(path: String, text: String)]) -> [RewrittenFile] {
        SourceRewriter(sources.map { SourceRewriter.Source(path: $0.path, text: $0.text) })
            .rewrite()
    }

    static func sources(_ folder: String) throws -> [(path: String, text: String)] {
        let start = root.appendingPathComponent(folder)
        let walker = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
        return try (walker?.compactMap { $0 as? URL } ?? [])
            .filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
            .map { ($0.path, try String(contentsOf: $0, encoding: .utf8)) }
    }

    static func parses(_ text: String) -> Bool { !Parser.parse(source: text).hasError }

    /// The words of Objective-C in the code. Strings and comments are ignored.
    static func leftovers(_ text: String) -> [String] {
        let words: Set = ["NSManaged", "objc", "nonobjc", "objcMembers", "keyPath", "selector"]
        let tokens = Array(Parser.parse(source: text).tokens(viewMode: .sourceAccurate))
        return zip(tokens, tokens.dropFirst()).compactMap { mark, word in
            let isMarked = mark.tokenKind == .atSign || mark.tokenKind == .pound
            return isMarked && words.contains(word.text) ? word.text : nil
        }
    }

    /// The lines of a copy with the numbers that the compiler reports.
    static func numbered(_ text: String) -> [(line: Int, text: String)] {
        var number = 1
        var found: [(Int, String)] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#sourceLocation(file:"),
                let told = line.split(separator: "line: ").last?.dropLast(), let next = Int(told)
            {
                number = next
                continue
            }
            found.append((number, String(line)))
            number += 1
        }
        return found
    }
}

/// The numbers depend only on the seed.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
