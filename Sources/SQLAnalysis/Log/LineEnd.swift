/// The marks after an entry on its line: closing quotes and brackets, and marks that web pages,
/// wikis and editors add to the ends of lines.
struct LineEnd: Sendable {
    /// The marks that close marks before the entry, the innermost first.
    private var closings: [[UInt8]] = []
    /// The quote directly before the entry.
    private var quote: UInt8?
    /// The separator of a CSV row directly before the entry.
    private var comma: UInt8?
    private var isCell = false

    private static let emphasis = Array("*_~=".utf8)
    private static let brackets = [("(", ")"), ("[", "]"), ("{", "}")].map {
        (Array($0.utf8)[0], Array($1.utf8)[0])
    }

    /// The marks with which RTF ends a line.
    private static let words = ["\\par", "\\line"].map { Array($0.utf8) }

    init() {}

    /// - Parameter head: the text before the entry on its line.
    init(_ head: [UInt8]) {
        guard let last = ByteText.trimmed(head[...]).last else { return }
        isCell = head.contains(UInt8(ascii: "|"))
        if last == UInt8(ascii: "`") || Self.emphasis.contains(last) && head.last == last {
            let sign = ByteText.trimmed(head[...]).reversed().prefix { $0 == last }
            closings.append(Array(sign))
        }
        for (open, close) in Self.brackets
        where head.count(where: { $0 == open }) > head.count(where: { $0 == close }) {
            closings.append([close])
        }
        switch head.last {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = head.last
        case UInt8(ascii: ","), UInt8(ascii: ";"): comma = head.last
        default: break
        }
    }

    /// The line without these marks at its end.
    func removed(from line: [UInt8], of category: LogCategory) -> [UInt8] {
        var text = line[...]
        if isCell { text = Self.cell(text) }
        if let comma, category != .annotation { text = Self.field(text, comma) }
        while let shorter = withoutOne(Self.trimmed(text), category) { text = shorter }
        guard text.count < line.count else { return line }
        text = Self.trimmed(text)
        return isCell || quote == UInt8(ascii: "'") ? withoutEscapes(text) : Array(text)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let last = text.last, ByteText.isSpace(last) { text.removeLast() }
        return text
    }

    // MARK: Ends

    private func withoutOne(
        _ text: ArraySlice<UInt8>, _ category: LogCategory
    ) -> ArraySlice<UInt8>? {
        guard let last = text.last else { return nil }
        if let shorter = Self.withoutSign(text, last, category) { return shorter }
        for closing in closings where text.suffix(closing.count).elementsEqual(closing) {
            let isOpened = Self.brackets.contains { $1 == last && !Self.isUnopened(text, $0, $1) }
            if !isOpened { return text.dropLast(closing.count) }
        }
        return quote.flatMap { Self.withoutQuote(text, $0) }
    }

    /// Removes a mark with which no entry ends.
    private static func withoutSign(
        _ text: ArraySlice<UInt8>, _ last: UInt8, _ category: LogCategory
    ) -> ArraySlice<UInt8>? {
        switch last {
        // Removes the mark of a line break in Markdown, RTF or a shell.
        case UInt8(ascii: "\\"): return text.dropLast()
        case UInt8(ascii: "r"), UInt8(ascii: "e"):
            return words.first { text.suffix($0.count).elementsEqual($0) }
                .map { text.dropLast($0.count) }
        // Removes the end of a table row that begins on an earlier line.
        case UInt8(ascii: "|"):
            return text.dropLast().last != last ? text.dropLast() : nil
        case UInt8(ascii: "`"), UInt8(ascii: "~"):
            let fence = text.reversed().prefix { $0 == last }
            return fence.count >= 3 ? text.dropLast(fence.count) : nil
        case UInt8(ascii: "}"): return withoutBrace(text)
        case UInt8(ascii: "]"): return withoutTag(text)
        case UInt8(ascii: ";"):
            return category == .sql && !SQLText.quotes(in: Array(text)) ? text.dropLast() : nil
        default: return nil
        }
    }

    /// Removes `{color}`, `{code}`, and a closing brace whose opening brace is on an earlier line.
    private static func withoutBrace(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        if let start = text.lastIndex(of: open) {
            let name = text[(start + 1)...].dropLast()
            if !name.isEmpty, name.allSatisfy(ByteText.isLetter) { return text[..<start] }
        }
        return isUnopened(text, open, close) ? text.dropLast() : nil
    }

    /// Removes the tag `[/code]` of forums.
    private static func withoutTag(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let start = text.lastIndex(of: UInt8(ascii: "[")),
            text[(start + 1)...].first == UInt8(ascii: "/"),
            text[(start + 2)...].dropLast().allSatisfy(ByteText.isLetter)
        else { return nil }
        return text[..<start]
    }

    private static func isUnopened(
        _ text: ArraySlice<UInt8>, _ open: UInt8, _ close: UInt8
    ) -> Bool {
        text.count { $0 == close } > text.count { $0 == open }
    }

    /// Removes `'`, `',` or `'])` if the quote closes no quote in the entry.
    private static func withoutQuote(
        _ text: ArraySlice<UInt8>, _ quote: UInt8
    ) -> ArraySlice<UInt8>? {
        var end = text
        while let last = end.last, Array(",;)]".utf8).contains(last) || ByteText.isSpace(last) {
            end.removeLast()
        }
        let count = end.indices.count { end[$0] == quote && !isEscaped(end, $0) }
        return end.last == quote && count % 2 == 1 ? end.dropLast() : nil
    }

    private static func isEscaped(_ text: ArraySlice<UInt8>, _ index: Int) -> Bool {
        index > text.startIndex && text[index - 1] == UInt8(ascii: "\\")
    }

    /// Removes the backslashes before quotes in a quoted string, and before vertical bars in a
    /// table cell.
    private func withoutEscapes(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let sign = isCell ? UInt8(ascii: "|") : UInt8(ascii: "'")
        return text.indices.filter { index in
            !(text[index] == UInt8(ascii: "\\") && text[(index + 1)...].first == sign)
        }.map { text[$0] }
    }

    // MARK: Cells and fields

    /// The text of a table cell. The cell ends at a vertical bar if the row also ends with one.
    private static func cell(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let bar = UInt8(ascii: "|")
        var row = trimmed(text)
        guard row.last == bar else { return text }
        while row.last == bar { row.removeLast() }
        let end = first(bar, in: row) { index in
            // Two vertical bars are the concatenation operator of SQL.
            row[(index + 1)...].first != bar && row[..<index].last != bar && !isEscaped(row, index)
        }
        return row[..<(end ?? row.endIndex)]
    }

    /// The text before the comma that ends the CSV field. In Core Data's messages, a space follows
    /// a comma, or the comma is in brackets. CSV fields with other commas are quoted.
    private static func field(_ text: ArraySlice<UInt8>, _ comma: UInt8) -> ArraySlice<UInt8> {
        let end = first(comma, in: text) { index in
            let isInBrackets = isUnopened(text[..<index], UInt8(ascii: ")"), UInt8(ascii: "("))
            return !isInBrackets && text[(index + 1)...].first.map(ByteText.isSpace) != true
        }
        return text[..<(end ?? text.endIndex)]
    }

    /// The first index at which the mark is outside quotes and `fits` returns true.
    private static func first(
        _ sign: UInt8, in text: ArraySlice<UInt8>, _ fits: (Int) -> Bool
    ) -> Int? {
        var quote: UInt8?
        for index in text.indices {
            let byte = text[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == sign, fits(index) {
                return index
            }
        }
        return nil
    }
}
