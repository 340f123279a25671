import Foundation

/// Reads the comments and the messages of a Swift file.
struct SwiftProse {
    private let file: SourceFile
    private let bytes: [UInt8]

    init(_ file: SourceFile) {
        self.file = file
        self.bytes = Array(file.text.utf8)
    }

    /// Adjacent lines with the same mark are one comment. Code in comments is not included.
    func comments() -> [Prose] {
        var found: [Prose] = []
        var lines = LineCounter(bytes)
        var lastLine = -1
        var code = CodeInComment()
        for range in file.comments {
            let (line, column) = lines.advance(to: range.lowerBound)
            let text = String(decoding: bytes[range], as: UTF8.self)
            let kind = Prose.Kind.of(comment: text)
            let opensLine = bytes[column..<range.lowerBound].allSatisfy { $0 == 0x20 }
            let body = text.drop { $0 == "/" }
            let words = body.trimmingCharacters(in: .whitespaces)
            let continues = opensLine && line == lastLine + 1 && found.last?.kind == kind
            lastLine = opensLine ? line : -1
            if continues, kind != .heading {
                if !code.holds(body) { found[found.count - 1].text += " " + words }
            } else {
                code = CodeInComment()
                found.append(
                    Prose(
                        kind: kind, path: file.path, line: line,
                        text: kind == .heading ? String(words.dropFirst(6)) : words))
            }
        }
        return found
    }

    /// The string literals with at least three words. Interpolations are replaced by `…`. Literals
    /// that a plus joins are one message.
    func messages() -> [Prose] {
        guard file.isSource || file.path.hasPrefix("Plugins/") else { return [] }
        var joined: [Prose] = []
        var lines = LineCounter(bytes)
        var end = 0
        for range in file.strings {
            let text = String(decoding: bytes[range], as: UTF8.self)
                .replacing("\n", with: " ").replacing("\\\"", with: "\"")
            let gap = bytes[end..<range.lowerBound].filter { $0 != 0x20 && $0 != 0x0A }
            let line = lines.advance(to: range.lowerBound).line
            if !joined.isEmpty, gap == Array("\"+\"".utf8) {
                joined[joined.count - 1].text += text
            } else if !joined.isEmpty, gap.starts(with: Array("\\(".utf8)) {
                joined[joined.count - 1].text += "…" + text
            } else {
                joined.append(Prose(kind: .message, path: file.path, line: line, text: text))
            }
            end = range.upperBound
        }
        return joined.filter { Self.isSentence($0.text) }
    }

    private static let statements = [
        "SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", "PRAGMA ", "ALTER ", "DROP ",
        "WITH ",
    ]

    /// Whether a literal is for readers. It is neither SQL nor code, and has at least three words.
    private static func isSentence(_ text: String) -> Bool {
        guard !statements.contains(where: text.hasPrefix) else { return false }
        let words = text.split(separator: " ").filter { word in
            word.count > 1 && word.allSatisfy { $0.isLetter || ",.;:'’-".contains($0) }
        }
        return words.count >= 3
    }
}

extension Prose.Kind {
    fileprivate static func of(comment text: String) -> Prose.Kind {
        if text.hasPrefix("// MARK:") { return .heading }
        return text.hasPrefix("///") ? .documentation : .comment
    }
}

/// Finds the lines of positions. The caller must pass them in ascending order.
private struct LineCounter {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var start = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the line of a position, counted from 1, and the position at which the line begins.
    mutating func advance(to target: Int) -> (line: Int, start: Int) {
        while position < target {
            if bytes[position] == 0x0A {
                line += 1
                start = position + 1
            }
            position += 1
        }
        return (line, start)
    }
}

/// Detects code in a documentation comment. It is fenced, or indented after an empty line.
private struct CodeInComment {
    private var isFenced = false
    private var isBehindEmpty = false
    private var isIndented = false

    /// Whether the next line of the comment is code.
    mutating func holds(_ line: Substring) -> Bool {
        let isEmpty = line.allSatisfy { $0 == " " }
        if line.contains("```") {
            isFenced.toggle()
            return true
        }
        isIndented = !isEmpty && line.hasPrefix("     ") && (isBehindEmpty || isIndented)
        isBehindEmpty = isEmpty
        return isFenced || isIndented
    }
}
