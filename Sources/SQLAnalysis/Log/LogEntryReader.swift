/// Builds entries from lines, and passes them on in order. The latest entries are kept, because
/// further lines may belong to them.
struct LogEntryReader {
    private var entries: [LogEntry] = []
    private(set) var lineCount = 0
    /// The lines that belong to no entry.
    private(set) var otherLineCount = 0
    private(set) var entryCount = 0
    /// The width at which the console broke long lines. Nil if lines are not broken, or are broken
    /// between words.
    private let width: Int?
    private let isMarkdown: Bool
    private var lastLength = 0
    /// Whether no line so far contained Core Data's name.
    private var allowsBare = true
    /// The fields of a multi-line JSON object that precede its message. `isFieldOfEntry` is nil
    /// before the message; after it, it is true if the message was an entry.
    private var fields = LogPrefix()
    private var isFieldOfEntry: Bool?

    /// The maximum number of entries that may interrupt an entry.
    private static let cutDistanceMax = 8

    /// - Parameter head: the first lines of the log, from which the console's width and Markdown
    ///   are detected.
    init(head: [[UInt8]]) {
        isMarkdown = MarkdownText.isEscaped(head)
        width = Self.width(of: head)
    }

    /// The console's width, or nil. Lines were broken at this width if many lines have exactly this
    /// length, no line is longer, and only such lines have continuations. If lines were broken
    /// between words, their lengths differ.
    private static func width(of lines: [[UInt8]]) -> Int? {
        let longest = lines.map(\.count).max() ?? 0
        var (full, broken, others) = (0, 0, 0)
        for index in lines.indices.dropLast() {
            let isFull = lines[index].count == longest
            if isFull { full += 1 }
            guard isFull || mayGoOn(lines[index + 1]), isUnmarked(lines[index + 1]),
                !isFull || !isWhole(lines[index], before: lines[index + 1])
            else { continue }
            if isFull { broken += 1 } else { others += 1 }
        }
        return full >= 3 && broken * 10 >= full * 9 && others * 10 <= broken ? longest : nil
    }

    private static func isUnmarked(_ line: [UInt8]) -> Bool {
        guard let piece = firstPiece(line) else { return false }
        return piece.category == nil && !LogPrefix(piece.text).isEntry
    }

    private static func firstPiece(_ line: [UInt8]) -> LogPiece? {
        LogLine.lines(of: line[...], number: 0, isMarkdown: false).first.flatMap {
            LogPiece.pieces(of: $0, allowsBare: false).first
        }
    }

    /// Whether the entry is complete without the next line. Equal statements have lines of equal
    /// length, so the length does not show that a line was broken. The next line may be output of
    /// the app.
    private static func isWhole(_ line: [UInt8], before next: [UInt8]) -> Bool {
        guard let piece = firstPiece(line), let rest = firstPiece(next)?.text else { return false }
        switch piece.category {
        case .sql: return !SQLText.isRest(rest, of: piece.text)
        case .annotation:
            guard let annotation = Annotation(piece.text),
                let last = ByteText.trimmed(piece.text[...]).last
            else { return false }
            return Array("s.>)".utf8).contains(last) && annotation == Annotation(piece.text + rest)
        default: return false
        }
    }

    private static func mayGoOn(_ line: [UInt8]) -> Bool {
        line.contains(UInt8(ascii: "Z")) && SQLText.goesOn(line)
    }

    mutating func read(_ raw: ArraySlice<UInt8>, _ give: (LogEntry) -> Void) {
        lineCount += 1
        for line in LogLine.lines(of: raw, number: lineCount, isMarkdown: isMarkdown) {
            for piece in LogPiece.pieces(of: line, allowsBare: allowsBare) { read(piece) }
        }
        lastLength = raw.count
        while entries.count > Self.cutDistanceMax { give(entries.removeFirst()) }
    }

    mutating func finish(_ give: (LogEntry) -> Void) {
        entries.forEach(give)
        entries = []
    }

    private mutating func read(_ piece: LogPiece) {
        guard let category = piece.category else { return readUnmarked(piece) }
        var piece = piece
        piece.prefix.complete(with: fields)
        isFieldOfEntry = true
        entries.append(LogEntry(piece, category: category))
        entryCount += 1
        if piece.isNamed { allowsBare = false }
    }

    private mutating func readUnmarked(_ piece: LogPiece) {
        if piece.text.isEmpty, piece.prefix.isEntry { return takeField(piece.prefix) }
        if Self.isBoundary(piece.text) {
            fields = LogPrefix()
            isFieldOfEntry = nil
        } else if piece.prefix.isEntry {
            isFieldOfEntry = false
        }
        if goesOn(piece) { return }
        if let last = entries.indices.last, Self.isMetadata(piece.text) {
            return entries[last].prefix.complete(with: LogPrefix(piece.text))
        }
        if !piece.text.allSatisfy(ByteText.isSpace) { otherLineCount += 1 }
    }

    /// Reads a field of a JSON object of several lines. Its message may be on a later line.
    private mutating func takeField(_ prefix: LogPrefix) {
        switch isFieldOfEntry {
        case nil: fields.complete(with: prefix)
        case true?:
            if let last = entries.indices.last { entries[last].prefix.complete(with: prefix) }
        case false?: break
        }
    }

    /// Whether the line is `{`, `},{` or similar.
    private static func isBoundary(_ text: [UInt8]) -> Bool {
        !text.isEmpty && text.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
            && text.allSatisfy {
                ByteText.isSpace($0) || [0x7B, 0x7D, 0x2C, 0x5B, 0x5D].contains($0)
            }
    }

    /// Adds the line to the entry that it continues, preferably to an interrupted one.
    private mutating func goesOn(_ piece: LogPiece) -> Bool {
        guard let last = entries.indices.last else { return false }
        if let cut = entries.lastIndex(where: \.isCut), let rest = entries[cut].rest(of: piece),
            entries[cut].mayGoOn(rest), entries[cut].take(rest, isBroken: true)
        {
            entries[cut].isCut = false
            return true
        }
        guard let rest = entries[last].rest(of: piece) else { return false }
        return entries[last].take(rest, isBroken: lastLength == width)
    }

    private static func isMetadata(_ text: [UInt8]) -> Bool {
        ByteText.find("TID: ", in: text) != nil || ByteText.find("Timestamp: ", in: text) != nil
    }
}
