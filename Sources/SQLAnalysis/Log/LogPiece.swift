/// What sort of entry a line is.
///
/// The entry reader calls it for each line.
enum LogCategory: Sendable {
    case sql
    case annotation
    case details
    /// Errors, warnings and what else Core Data says.
    case other
}

/// The part of a line that one thread wrote.
struct LogPiece: Sendable {
    /// Counted from 1.
    var line: Int
    var prefix: LogPrefix
    /// Nil for a line that does not say that it is Core Data's.
    var category: LogCategory?
    var text: String
    /// Whether another entry begins in the same line, so that this one may go on elsewhere.
    var isCut = false

    private static let mark = Array("CoreData: ".utf8)
    private static let words: [(word: [UInt8], category: LogCategory)] = {
        let others = ["error:", "debug:", "warning:", "fault:", "info:"]
        return [
            (Array("sql:".utf8), .sql), (Array("annotation:".utf8), .annotation),
            (Array("details:".utf8), .details),
        ] + others.map { (Array($0.utf8), .other) }
    }()

    /// The pieces of a line, at least one.
    static func pieces(of line: ArraySlice<UInt8>, number: Int) -> [LogPiece] {
        let bytes = clean(line)
        let marks = self.marks(in: bytes)
        guard let first = marks.first else {
            let text = String(decoding: bytes, as: UTF8.self)
            return [LogPiece(line: number, prefix: LogPrefix(text), category: nil, text: text)]
        }
        var prefix = LogPrefix(String(decoding: bytes[..<first.start], as: UTF8.self))
        var pieces: [LogPiece] = []
        for (index, mark) in marks.enumerated() {
            let isLast = index + 1 == marks.count
            var end = isLast ? bytes.count : marks[index + 1].start
            var next = LogPrefix("")
            // The second entry's own prefix stands at the end of the first's text.
            if !isLast, let start = LogPrefix.start(in: bytes[mark.text..<end]) {
                next = LogPrefix(String(decoding: bytes[start..<end], as: UTF8.self))
                end = start
            }
            pieces.append(
                LogPiece(
                    line: number, prefix: prefix, category: mark.category,
                    text: String(decoding: bytes[mark.text..<end], as: UTF8.self), isCut: !isLast))
            prefix = next
        }
        return pieces
    }

    private struct Mark {
        var start: Int
        var text: Int
        var category: LogCategory
    }

    private static func marks(in bytes: [UInt8]) -> [Mark] {
        var marks: [Mark] = []
        var index = 0
        while index + mark.count < bytes.count {
            guard bytes[index] == mark[0], bytes[index...].starts(with: mark) else {
                index += 1
                continue
            }
            let after = index + mark.count
            guard let word = words.first(where: { bytes[after...].starts(with: $0.word) }) else {
                index = after
                continue
            }
            var text = after + word.word.count
            if text < bytes.count, bytes[text] == UInt8(ascii: " ") { text += 1 }
            marks.append(Mark(start: index, text: text, category: word.category))
            index = text
        }
        return marks
    }

    /// Without the colours that `SyntaxColoredLogging` adds, and without a carriage return.
    private static func clean(_ line: ArraySlice<UInt8>) -> [UInt8] {
        guard line.contains(where: { $0 == 0x1B || $0 == 0x0D || $0 == 0 }) else {
            return Array(line)
        }
        var result: [UInt8] = []
        var isInEscape = false
        for byte in line {
            if isInEscape {
                let isLetter = (0x40...0x7E).contains(byte) && byte != UInt8(ascii: "[")
                if isLetter { isInEscape = false }
            } else if byte == 0x1B {
                isInEscape = true
            } else if byte != 0x0D, byte != 0 {
                result.append(byte)
            }
        }
        return result
    }
}
