enum LogCategory: Sendable {
    case sql
    case annotation
    case details
    /// Errors, warnings and other messages of Core Data.
    case other
}

/// The part of a line that one thread wrote. If several threads wrote at the same time, a line has
/// several pieces.
struct LogPiece: Sendable {
    var line: Int
    var prefix: LogPrefix
    /// The category of the entry; nil if no entry of Core Data begins here.
    var category: LogCategory?
    var text: [UInt8]
    /// The text before the piece.
    var head: [UInt8] = []
    var isNamed = false
    /// Whether another entry begins on the same line, so this one may continue on a later line.
    var isCut = false

    /// The pieces of a line. Every line has at least one piece.
    ///
    /// - Parameter allowsBare: whether `sql: SELECT …` without `CoreData:` is an entry.
    static func pieces(of line: LogLine, allowsBare: Bool) -> [LogPiece] {
        let bytes = line.bytes
        let marks = LogMark.all(in: bytes, allowsBare: allowsBare)
        guard let first = marks.first else {
            return [LogPiece(line: line.number, prefix: line.prefix, category: nil, text: bytes)]
        }
        var head = Array(bytes[..<first.start])
        var prefix = line.prefix
        prefix.complete(with: LogPrefix(head))
        var pieces: [LogPiece] = []
        for (index, mark) in marks.enumerated() {
            let isLast = index + 1 == marks.count
            var end = isLast ? bytes.count : marks[index + 1].start
            var next: [UInt8] = []
            // The end of the first text is the prefix of the next entry.
            if !isLast, let stamp = LogClock.stamp(in: Array(bytes[mark.text..<end])) {
                let start = mark.text + stamp.range.lowerBound
                next = Array(bytes[start..<end])
                end = start
            }
            pieces.append(
                LogPiece(
                    line: line.number, prefix: prefix, category: mark.category,
                    text: text(bytes[mark.text..<end]), head: head,
                    isNamed: mark.isNamed, isCut: !isLast))
            head = next
            prefix = line.prefix
            prefix.complete(with: LogPrefix(next))
        }
        return pieces
    }

    /// The text without the white space and non-ASCII characters before its first word.
    private static func text(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text = bytes
        while let first = text.first, first >= 0x80 || ByteText.isSpace(first) {
            text.removeFirst()
        }
        return Array(text)
    }
}

/// The start of an entry, and its category.
struct LogMark {
    var start: Int
    var text: Int
    var category: LogCategory
    var isNamed = false

    private static let name = Array("CoreData:".utf8)
    private static let words: [(word: [UInt8], category: LogCategory)] =
        [("sql:", .sql), ("annotation:", .annotation), ("details:", .details)].map {
            (Array($0.utf8), $1)
        }
        + ["error:", "debug:", "warning:", "fault:", "info:"].map { (Array($0.utf8), .other) }

    static func all(in bytes: [UInt8], allowsBare: Bool) -> [LogMark] {
        var marks: [LogMark] = []
        var index = 0
        while let start = ByteText.find(name, in: bytes, from: index) {
            index = start + name.count
            var after = index
            while after < bytes.count, ByteText.isSpace(bytes[after]) { after += 1 }
            guard var mark = mark(in: bytes, start: start, at: after) else { continue }
            mark.isNamed = true
            if let first = marks.last, isQuoted(bytes, from: first.text, to: start) { break }
            marks.append(mark)
            index = mark.text
        }
        if marks.isEmpty, let tagged = tagged(in: bytes, allowsBare: allowsBare) {
            marks.append(tagged)
        }
        return marks
    }

    private static func mark(in bytes: [UInt8], start: Int, at after: Int) -> LogMark? {
        guard let word = words.first(where: { bytes[after...].starts(with: $0.word) })
        else { return nil }
        var text = after + word.word.count
        while text < bytes.count, ByteText.isSpace(bytes[text]) { text += 1 }
        return LogMark(start: start, text: text, category: word.category)
    }

    private static func isQuoted(_ bytes: [UInt8], from start: Int, to end: Int) -> Bool {
        guard ByteText.starts(bytes, at: start, with: "SQLite bind[") else { return false }
        return bytes[start..<end].count { $0 == UInt8(ascii: "\"") } % 2 == 1
    }

    // MARK: Marks without the name

    private static let tags = ["[sql]", "coredata:sql]", "CoreData:sql]"].map { Array($0.utf8) }

    /// The mark in `[sql] SELECT …` of the unified log. In a log from which `CoreData` was removed,
    /// the mark in `sql: SELECT …`.
    private static func tagged(in bytes: [UInt8], allowsBare: Bool) -> LogMark? {
        for tag in tags {
            guard let place = ByteText.find(tag, in: bytes) else { continue }
            var after = place + tag.count
            while after < bytes.count, ByteText.isSpace(bytes[after]) { after += 1 }
            if let mark = mark(in: bytes, start: after, at: after) { return mark }
            return bare(in: bytes, at: after)
        }
        if let cut = withoutBeginning(bytes) { return cut }
        guard allowsBare else { return nil }
        for (word, category) in words.prefix(3) {
            guard let start = ByteText.find(word, in: bytes),
                start == 0 || !ByteText.isWord(bytes[start - 1]),
                let mark = mark(in: bytes, start: start, at: start), mark.category == category,
                isKnown(bytes, mark)
            else { continue }
            return mark
        }
        return nil
    }

    /// The mark in a line whose first letters are missing, such as `oreData: sql: SELECT …`.
    private static func withoutBeginning(_ bytes: [UInt8]) -> LogMark? {
        let start = bytes.firstIndex { !ByteText.isSpace($0) } ?? bytes.count
        for (word, category) in words.prefix(3) {
            let whole = name + [0x20] + word
            guard let end = ByteText.find(word.suffix(3) + [0x20], in: bytes, from: start),
                case let length = end + 3 - start, length < whole.count,
                bytes[start..<(start + length)].elementsEqual(whole.suffix(length))
            else { continue }
            var text = start + length
            while text < bytes.count, ByteText.isSpace(bytes[text]) { text += 1 }
            let mark = LogMark(start: start, text: text, category: category)
            if isKnown(bytes, mark) { return mark }
        }
        return nil
    }

    private static func isKnown(_ bytes: [UInt8], _ mark: LogMark) -> Bool {
        let text = Array(bytes[mark.text...])
        return switch mark.category {
        case .sql: SQLText.startsStatement(text)
        case .annotation: Annotation.begins(text)
        case .details: ByteText.starts(text, with: "SQLite")
        case .other: false
        }
    }

    /// Guesses the category of the text after a mark from its first words.
    private static func bare(in bytes: [UInt8], at start: Int) -> LogMark? {
        let text = Array(bytes[min(start, bytes.count)...])
        if SQLText.startsStatement(text) {
            return LogMark(start: start, text: start, category: .sql)
        }
        if Annotation.begins(text) {
            return LogMark(start: start, text: start, category: .annotation)
        }
        if ByteText.starts(text, with: "SQLite bind[") {
            return LogMark(start: start, text: start, category: .details)
        }
        return nil
    }
}
