/// One whole entry of Core Data's log.
///
/// The log's assembly reads entries.
struct LogEntry: Sendable {
    var line: Int
    var prefix: LogPrefix
    var category: LogCategory
    var text: String
    /// Whether the console says that it left out the rest.
    var isTruncated = false
    /// The lines of a query plan.
    var plan: [String] = []
    /// Whether another entry came into it.
    fileprivate var isCut = false
    /// Whether its list of objects goes on.
    fileprivate var hasOpenList = false
}

/// Reads lines and gives entries in their order.
struct LogEntryReader {
    private(set) var entries: [LogEntry] = []
    private(set) var lineCount = 0
    /// Lines that belong to no entry.
    private(set) var otherLineCount = 0
    /// Where the console broke long lines; nil where it did not, or broke them between words.
    private let width: Int?
    /// The length of the line before.
    private var lastLength = 0

    /// How many entries back a cut one may find its rest.
    private static let cutDistanceMax = 8

    /// Reads a whole log.
    init(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        width = Self.width(of: lines)
        for line in lines { read(line) }
        // What follows the last line break is no line.
        if bytes.last == 0x0A || bytes.isEmpty { lineCount -= 1 }
    }

    /// A console's width is the length of many lines and exceeded by none, and what follows such
    /// a line says nothing of whose it is.
    private static func width(of lines: [ArraySlice<UInt8>]) -> Int? {
        let longest = lines.map(\.count).max() ?? 0
        let full = lines.indices.dropLast().filter { lines[$0].count == longest }
        let broken = full.count { index in
            let next = LogPiece.pieces(of: lines[index + 1], number: 0)[0]
            return next.category == nil && !next.prefix.isEntry
        }
        return full.count >= 3 && broken * 10 >= full.count * 9 ? longest : nil
    }

    private mutating func read(_ line: ArraySlice<UInt8>) {
        lineCount += 1
        defer { lastLength = line.count }
        for piece in LogPiece.pieces(of: line, number: lineCount) {
            guard let category = piece.category else {
                readUnmarked(piece)
                continue
            }
            var entry = LogEntry(
                line: piece.line, prefix: piece.prefix, category: category, text: piece.text,
                isCut: piece.isCut)
            entry.finish()
            entries.append(entry)
        }
    }

    private mutating func readUnmarked(_ piece: LogPiece) {
        if let last = entries.indices.last {
            let cut = entries.indices.suffix(Self.cutDistanceMax).last { entries[$0].isCut }
            if let cut, !piece.prefix.isEntry, entries[cut].take(piece.text, isBroken: true) {
                entries[cut].isCut = false
                return
            }
            let isBroken = lastLength == width
            if !piece.prefix.isEntry, entries[last].take(piece.text, isBroken: isBroken) { return }
            if piece.text.contains("TID: ") || piece.text.contains("Timestamp: ") {
                entries[last].prefix.complete(with: piece.prefix)
            }
        }
        if !piece.text.allSatisfy(\.isWhitespace) { otherLineCount += 1 }
    }
}

extension LogEntry {
    /// What a console or the system log writes in place of the rest.
    private static let ellipses = ["<\u{2026}>", "<...>", "\u{2026}", "..."]

    fileprivate mutating func finish() {
        var end = text[...]
        while end.last?.isWhitespace == true { end.removeLast() }
        for ellipsis in Self.ellipses where end.hasSuffix(ellipsis) {
            text = String(end.dropLast(ellipsis.count))
            isTruncated = true
            return
        }
        hasOpenList = category == .annotation && end.hasSuffix("with values: (")
    }

    /// Takes a line that does not say whose it is, where it goes on with this entry.
    ///
    /// - Parameter isBroken: whether the line before was broken in the middle of what it says.
    fileprivate mutating func take(_ line: String, isBroken: Bool) -> Bool {
        if hasOpenList { return takeFromList(line) }
        guard !isTruncated, !line.allSatisfy(\.isWhitespace) else { return false }
        switch category {
        case .sql:
            guard isBroken || SQLText.isIncomplete(text) || SQLText.goesOn(line) else {
                return false
            }
            if isBroken { text += line } else { join(line) }
            finish()
            return true
        case .annotation:
            if isBroken {
                text += line
                finish()
                return true
            }
            guard Annotation(text) == nil else { return false }
            for separator in ["", " "] where Annotation(text + separator + line) != nil {
                text += separator + line
                finish()
                return true
            }
            return false
        case .details:
            guard text.hasPrefix("SQLite: EXPLAIN QUERY PLAN"), Self.isPlan(line) else {
                return false
            }
            plan.append(line)
            return true
        case .other: return false
        }
    }

    private mutating func takeFromList(_ line: String) -> Bool {
        let inner = line.drop { $0.isWhitespace }
        if inner.hasPrefix(")") {
            hasOpenList = false
            return true
        }
        hasOpenList = inner.hasPrefix("\"<") || inner.hasPrefix("<")
        return hasOpenList
    }

    /// Without a known width it is open whether the break was inside a word.
    private mutating func join(_ line: String) {
        guard let last = text.last, let first = line.first, SQLText.isWord(last),
            SQLText.isWord(first)
        else {
            text +=
                text.last?.isWhitespace == true || line.first?.isWhitespace == true
                ? line : SQLText.needsSpace(text, line) ? " " + line : line
            return
        }
        let before = text.reversed().prefix(while: SQLText.isWord)
        let after = line.prefix(while: SQLText.isWord)
        let isBetweenWords =
            SQLText.isKeyword(String(before.reversed())) || SQLText.isKeyword(String(after))
        text += isBetweenWords ? " " + line : line
    }

    /// `2 0 0 SCAN t0`.
    private static func isPlan(_ line: String) -> Bool {
        let words = line.split(maxSplits: 3, whereSeparator: \.isWhitespace)
        return words.count == 4 && words.prefix(3).allSatisfy { Int($0) != nil }
    }
}
