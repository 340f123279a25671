import Foundation

/// The text of one file as the rules use it.
struct SourceFile: Sendable {
    /// The path, relative to the root of the repository.
    let path: String
    let text: String
    let lines: [String]
    /// The lines, in which spaces replace comments and the contents of strings.
    let code: [String]
    /// The byte ranges of one-line comments with their marks, and of the parts of strings between
    /// interpolations. Both lists are empty for languages other than Swift.
    let comments: [Range<Int>]
    let strings: [Range<Int>]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if path.hasSuffix(".swift") {
            var blanker = Blanker(text)
            self.code = blanker.run().split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init)
            self.comments = blanker.comments
            self.strings = blanker.strings
        } else {
            self.code = lines
            self.comments = []
            self.strings = []
        }
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isMarkdown: Bool { path.hasSuffix(".md") }
    var isSource: Bool { path.hasPrefix("Sources/") }
    var isTest: Bool { path.hasPrefix("Tests/") }

    /// The module of a file below `Sources` or `Tests`.
    var module: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : nil
    }

    var folder: String? {
        let parts = path.split(separator: "/")
        return parts.count > 3 ? String(parts[2]) : nil
    }

    var baseName: String {
        let name = path.split(separator: "/").last ?? ""
        return String(name.prefix { $0 != "." })
    }

    func isBlankOrComment(_ index: Int) -> Bool {
        code[index].allSatisfy { $0 == " " || $0 == "\t" }
    }

    /// The comment lines directly above a line. Attributes and neighbouring declarations may be
    /// between them and the line.
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

/// Replaces comments and the contents of strings by spaces. Code in interpolations is kept. All
/// delimiters are ASCII, so UTF-8 bytes are sufficient.
private struct Blanker {
    private enum State {
        /// In an interpolation, `depth` is the number of open parentheses.
        case code(depth: Int)
        case string(hashes: Int, multiline: Bool)
    }

    private let text: [UInt8]
    private var position = 0
    private var output: [UInt8] = []
    private var states: [State] = [.code(depth: 0)]
    private(set) var comments: [Range<Int>] = []
    private(set) var strings: [Range<Int>] = []
    private var pieceStart = 0

    init(_ text: String) {
        self.text = Array(text.utf8)
        output.reserveCapacity(self.text.count)
    }

    mutating func run() -> String {
        while position < text.count {
            switch states[states.count - 1] {
            case .code(let depth): readCode(depth)
            case .string(let hashes, let multiline): readString(hashes, multiline)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func readCode(_ depth: Int) {
        switch text[position] {
        case Sign.slash where next == Sign.slash:
            let start = position
            while position < text.count, text[position] != Sign.newline { blank() }
            comments.append(start..<position)
        case Sign.slash where next == Sign.star: blankBlockComment()
        case Sign.quote: openString()
        case Sign.hash where opensRawString(): openString()
        case let byte:
            if states.count > 1 {
                let change = byte == Sign.open ? 1 : byte == Sign.close ? -1 : 0
                states[states.count - 1] = .code(depth: depth + change)
                if depth + change == 0 { states.removeLast() }
            }
            keep()
            pieceStart = position
        }
    }

    private mutating func readString(_ hashes: Int, _ multiline: Bool) {
        let byte = text[position]
        let quotes = multiline ? 3 : 1
        if byte == Sign.quote, stand(Sign.quote, quotes, at: 0),
            stand(Sign.hash, hashes, at: quotes)
        {
            endPiece()
            keep(quotes + hashes)
            states.removeLast()
        } else if byte == Sign.backslash, stand(Sign.hash, hashes, at: 1) {
            if stand(Sign.open, 1, at: 1 + hashes) {
                endPiece()
                keep(hashes + 2)
                states.append(.code(depth: 1))
            } else {
                for _ in 0..<(2 + hashes) { blank() }
            }
        } else if byte == Sign.newline, !multiline {
            endPiece()
            states.removeLast()
        } else {
            blank()
        }
    }

    private mutating func blankBlockComment() {
        var depth = 0
        repeat {
            if text[position] == Sign.slash, next == Sign.star {
                depth += 1
                blank()
            } else if text[position] == Sign.star, next == Sign.slash {
                depth -= 1
                blank()
            }
            blank()
        } while depth > 0 && position < text.count
    }

    private func opensRawString() -> Bool {
        text[position...].first { $0 != Sign.hash } == Sign.quote
    }

    private mutating func openString() {
        var hashes = 0
        while text[position] == Sign.hash {
            hashes += 1
            keep()
        }
        let multiline = stand(Sign.quote, 3, at: 0)
        keep(multiline ? 3 : 1)
        states.append(.string(hashes: hashes, multiline: multiline))
        pieceStart = position
    }

    private mutating func endPiece() {
        if pieceStart < position { strings.append(pieceStart..<position) }
    }

    private var next: UInt8? { position + 1 < text.count ? text[position + 1] : nil }

    /// Whether `count` copies of a character are `offset` bytes after the current position.
    private func stand(_ sign: UInt8, _ count: Int, at offset: Int) -> Bool {
        let start = position + offset
        return start + count <= text.count
            && text[start..<(start + count)].allSatisfy { $0 == sign }
    }

    private mutating func keep(_ count: Int = 1) {
        output += text[position..<(position + count)]
        position += count
    }

    /// Replaces one scalar by one space, so that the columns stay the same.
    private mutating func blank() {
        guard position < text.count else { return }
        let byte = text[position]
        let isFirstOfScalar = byte & 0b1100_0000 != 0b1000_0000
        if isFirstOfScalar { output.append(byte == Sign.newline ? byte : Sign.space) }
        position += 1
    }

    private enum Sign {
        static let newline = UInt8(ascii: "\n")
        static let space = UInt8(ascii: " ")
        static let slash = UInt8(ascii: "/")
        static let star = UInt8(ascii: "*")
        static let quote = UInt8(ascii: "\"")
        static let hash = UInt8(ascii: "#")
        static let backslash = UInt8(ascii: "\\")
        static let open = UInt8(ascii: "(")
        static let close = UInt8(ascii: ")")
    }
}
