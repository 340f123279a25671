/// A log line without the additions of tools. If it was in a JSON object, also the object's fields.
struct LogLine {
    var number: Int
    var bytes: [UInt8]
    /// The prefix from the fields of a JSON object.
    var prefix = LogPrefix()

    /// The log lines in one line of a file: an escaped string may contain several.
    ///
    /// - Parameter isMarkdown: whether the log contains the escapes of Markdown.
    static func lines(
        of raw: ArraySlice<UInt8>, number: Int, isMarkdown: Bool
    ) -> [LogLine] {
        if let json = JSONText(raw) {
            let message = json.message ?? []
            return split(LineCleaner.clean(message[...]), number, json.prefix)
        }
        var plain = CSVText.plain(LineCleaner.clean(raw))
        if isMarkdown { plain = MarkdownText.plain(plain) }
        return split(JSONText.withoutEscapes(plain), number, LogPrefix())
    }

    private static func split(_ bytes: [UInt8], _ number: Int, _ prefix: LogPrefix) -> [LogLine] {
        guard bytes.contains(0x0A) else {
            return [LogLine(number: number, bytes: bytes, prefix: prefix)]
        }
        return bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            LogLine(number: number, bytes: Array($0), prefix: prefix)
        }
    }
}

/// The decoration that all lines of an entry share: quote marks, indentation, a line number, a time
/// stamp, and marks at the end.
struct LineDecoration: Sendable {
    private var quote: [UInt8] = []
    private var gutter: (number: Int, separator: [UInt8])?
    private var isStamped = false
    /// The text before the time stamp, and the text between the time stamp and the entry.
    private var beforeStamp: [UInt8] = []
    private var afterStamp: [UInt8] = []
    private var lineEnd = LineEnd()

    init() {}

    /// - Parameter head: the text before the entry's first word.
    init(_ head: [UInt8]) {
        lineEnd = LineEnd(head)
        var index = Self.endOfQuote(head, from: 0)
        quote = Array(head[..<index])
        if let (number, end) = Self.number(head, at: index) {
            let separator = head[end...].prefix { !ByteText.isWord($0) && $0 != 0x5B }
            let isClock = head[end] == UInt8(ascii: ":") || head[end] == UInt8(ascii: "-")
            if !isClock || separator.count > 1 {
                gutter = (number, Array(separator))
                index = separator.endIndex
            }
        }
        let rest = Array(head[index...])
        guard let stamp = LogClock.stamp(in: rest) else { return }
        isStamped = true
        beforeStamp = Array(rest[..<stamp.range.lowerBound])
        afterStamp = Array(rest[stamp.range.upperBound...])
    }

    /// The index after white space and the marks `> `, `| ` and `▸ `.
    private static func endOfQuote(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if ByteText.isSpace(bytes[index]) || bytes[index] == UInt8(ascii: ">")
                || bytes[index] == UInt8(ascii: "|")
            {
                index += 1
            } else if ByteText.starts(bytes, at: index, with: "▸") {
                index += 3
            } else {
                break
            }
        }
        return index
    }

    /// The line number at the start of a line, and the index after it; nil if no text follows.
    private static func number(_ bytes: [UInt8], at start: Int) -> (Int, Int)? {
        let digits = bytes[min(start, bytes.count)...].prefix { ByteText.isDigit($0) }
        guard (1...8).contains(digits.count), digits.endIndex < bytes.count,
            !ByteText.isWord(bytes[digits.endIndex])
        else { return nil }
        return (Int(ByteText.string(digits)) ?? 0, digits.endIndex)
    }

    func withoutEnd(_ line: [UInt8], of category: LogCategory) -> [UInt8] {
        lineEnd.removed(from: line, of: category)
    }

    /// Removes the decoration from the beginning of another line of the entry.
    ///
    /// - Returns: the rest of the line, and whether a time stamp was removed.
    mutating func strip(_ line: [UInt8]) -> (text: [UInt8], hadStamp: Bool) {
        var index = 0
        if line.starts(with: quote) {
            index = quote.count
        } else if Self.endOfQuote(line, from: 0) > 0, quote.contains(UInt8(ascii: ">")) {
            index = Self.endOfQuote(line, from: 0)
        }
        if let next = skipGutter(line, from: index) { index = next }
        let rest = Array(line[index...])
        guard isStamped, rest.starts(with: beforeStamp) else { return (rest, false) }
        let text = Array(rest[beforeStamp.count...])
        guard let stamp = LogClock.stamp(in: text), stamp.range.lowerBound == 0,
            text[stamp.range.upperBound...].starts(with: afterStamp)
        else { return (rest, false) }
        return (Array(text[(stamp.range.upperBound + afterStamp.count)...]), true)
    }

    /// Skips the line number if it follows the previous line's number.
    private mutating func skipGutter(_ line: [UInt8], from start: Int) -> Int? {
        guard let gutter else { return nil }
        var index = start
        while index < line.count, ByteText.isSpace(line[index]) { index += 1 }
        let digits = line[index...].prefix { ByteText.isDigit($0) }
        guard !digits.isEmpty, Int(ByteText.string(digits)) == gutter.number + 1,
            line[digits.endIndex...].starts(with: gutter.separator)
        else { return nil }
        self.gutter?.number += 1
        return digits.endIndex + gutter.separator.count
    }
}
