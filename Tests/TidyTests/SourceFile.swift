// Owns the text of one file as the rules see it: as written, and with comments and the inside of
// strings blanked. Every rule reads its files through this.

import Foundation

struct SourceFile: Sendable {
    /// Relative to the repository's root.
    let path: String
    let lines: [String]
    /// The lines with comments and string contents replaced by spaces.
    let code: [String]

    init(path: String, text: String) {
        self.path = path
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if path.hasSuffix(".swift") {
            var blanker = Blanker(text)
            self.code = blanker.run().split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init)
        } else {
            self.code = lines
        }
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isMarkdown: Bool { path.hasSuffix(".md") }
    var isSource: Bool { path.hasPrefix("Sources/") }
    var isTest: Bool { path.hasPrefix("Tests/") }

    /// The module, for a file below `Sources` or `Tests`.
    var module: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : nil
    }

    /// The first folder inside the module, if any.
    var folder: String? {
        let parts = path.split(separator: "/")
        return parts.count > 3 ? String(parts[2]) : nil
    }

    var baseName: String {
        let name = path.split(separator: "/").last ?? ""
        return String(name.prefix { $0 != "." })
    }

    /// Whether the line holds nothing but white space or a comment.
    func isBlankOrComment(_ index: Int) -> Bool {
        code[index].allSatisfy { $0 == " " || $0 == "\t" }
    }

    /// The comment lines directly above a line; attributes between them, and neighbours that the
    /// comment speaks of too, are left out.
    func commentAbove(_ index: Int) -> String {
        var found: [String] = []
        var current = index - 1
        while current >= 0 {
            let line = lines[current].trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("//") {
                found.append(line)
            } else if !line.hasPrefix("@"), !line.hasPrefix("nonisolated(unsafe)") {
                break
            }
            current -= 1
        }
        return found.reversed().joined(separator: " ")
    }
}

/// Replaces comments and the contents of strings by spaces; what stands in an interpolation stays.
private struct Blanker {
    private enum State {
        /// Inside code; the number counts open parentheses of an interpolation.
        case code(depth: Int)
        case string(hashes: Int, multiline: Bool)
    }

    private let text: [Character]
    private var position = 0
    private var output = ""
    private var states: [State] = [.code(depth: 0)]

    init(_ text: String) { self.text = Array(text) }

    mutating func run() -> String {
        while position < text.count {
            switch states[states.count - 1] {
            case .code(let depth): readCode(depth)
            case .string(let hashes, let multiline): readString(hashes, multiline)
            }
        }
        return output
    }

    private mutating func readCode(_ depth: Int) {
        let character = text[position]
        if starts("//") {
            while position < text.count, text[position] != "\n" { blank() }
        } else if starts("/*") {
            blankBlockComment()
        } else if character == "\"" || (character == "#" && opensRawString()) {
            openString()
        } else {
            if states.count > 1 {
                let change = character == "(" ? 1 : character == ")" ? -1 : 0
                states[states.count - 1] = .code(depth: depth + change)
                if depth + change == 0 { states.removeLast() }
            }
            keep()
        }
    }

    private mutating func readString(_ hashes: Int, _ multiline: Bool) {
        let pad = String(repeating: "#", count: hashes)
        let quotes = multiline ? "\"\"\"" : "\""
        if starts(quotes + pad) {
            for _ in 0..<(quotes.count + hashes) { keep() }
            states.removeLast()
        } else if starts("\\" + pad + "(") {
            for _ in 0..<(hashes + 2) { keep() }
            states.append(.code(depth: 1))
        } else if starts("\\" + pad), position + 1 + hashes < text.count {
            for _ in 0..<(2 + hashes) { blank() }
        } else if text[position] == "\n", !multiline {
            states.removeLast()
        } else {
            blank()
        }
    }

    private mutating func blankBlockComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                blank()
            } else if starts("*/") {
                depth -= 1
                blank()
            }
            blank()
        } while depth > 0 && position < text.count
    }

    private func opensRawString() -> Bool {
        var index = position
        while index < text.count, text[index] == "#" { index += 1 }
        return index < text.count && text[index] == "\""
    }

    private mutating func openString() {
        var hashes = 0
        while text[position] == "#" {
            hashes += 1
            keep()
        }
        let multiline = starts("\"\"\"")
        for _ in 0..<(multiline ? 3 : 1) { keep() }
        states.append(.string(hashes: hashes, multiline: multiline))
    }

    private func starts(_ prefix: String) -> Bool {
        var index = position
        for character in prefix {
            guard index < text.count, text[index] == character else { return false }
            index += 1
        }
        return true
    }

    private mutating func keep() {
        output.append(text[position])
        position += 1
    }

    private mutating func blank() {
        guard position < text.count else { return }
        output.append(text[position] == "\n" ? "\n" : " ")
        position += 1
    }
}
