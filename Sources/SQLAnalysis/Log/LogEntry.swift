/// One entry of Core Data's log, which may take several lines.
struct LogEntry: Sendable {
    var line: Int
    var prefix: LogPrefix
    var category: LogCategory
    var text: [UInt8]
    /// Whether the entry ends with a mark of the console for omitted text.
    var isTruncated = false
    var plan: [String] = []
    var isCut = false
    /// Whether the entry ends inside a list of objects.
    private(set) var hasOpenList = false
    private var decoration: LineDecoration

    private static let textMax = 1 << 18
    /// The marks that a console or the system log writes in place of omitted text.
    private static let ellipses = ["<\u{2026}>", "<...>", "\u{2026}", "...", "[...]"]
        .map { Array($0.utf8) }

    init(_ piece: LogPiece, category: LogCategory) {
        line = piece.line
        prefix = piece.prefix
        self.category = category
        isCut = piece.isCut
        decoration = LineDecoration(piece.head)
        // If another entry interrupts this one, the marks at the end of the line belong to that
        // other entry.
        text = piece.isCut ? piece.text : decoration.withoutEnd(piece.text, of: category)
        finish()
    }

    private mutating func finish() {
        let end = ByteText.trimmed(text[...])
        for ellipsis in Self.ellipses where end.suffix(ellipsis.count).elementsEqual(ellipsis) {
            text = Array(end.dropLast(ellipsis.count))
            isTruncated = true
            return
        }
        guard category == .annotation else { return }
        hasOpenList = Self.hasOpenList(Array(end))
    }

    /// Whether a list of objects begins on the line and does not end on it.
    private static func hasOpenList(_ text: [UInt8]) -> Bool {
        guard let place = ByteText.find("with values: (", in: text) else { return false }
        let list = text[(place + 14)...]
        return list.isEmpty || list.last != UInt8(ascii: ")")
    }

    // MARK: Lines without an owner

    /// The text of a line without this entry's decoration, such as quote marks or a time stamp. Nil
    /// if the line belongs to another entry.
    mutating func rest(of piece: LogPiece) -> [UInt8]? {
        let (line, hadStamp) = decoration.strip(piece.text)
        let text = decoration.withoutEnd(line, of: category)
        if hadStamp { return text }
        let prefix = LogPrefix(piece.text)
        let isStamped = prefix.stamp.map { $0.lowerBound < 40 } ?? false
        return isStamped || prefix.scope != LogScope() ? nil : text
    }

    /// Whether the line may continue an interrupted entry.
    func mayGoOn(_ line: [UInt8]) -> Bool {
        switch category {
        case .sql: SQLText.goesOn(text, with: line)
        case .annotation: Annotation(text) == nil && Annotation.begins(text)
        case .details: true
        case .other: false
        }
    }

    /// Adds a line to this entry if the line continues it.
    ///
    /// - Parameter isBroken: whether the previous line may have been broken within a word.
    mutating func take(_ line: [UInt8], isBroken: Bool) -> Bool {
        if hasOpenList { return takeFromList(line) }
        if isTruncated { return takeClause(line) }
        let trimmed = ByteText.trimmed(line[...])
        guard !trimmed.isEmpty, text.count < Self.textMax, !Self.isFence(trimmed)
        else { return false }
        switch category {
        case .sql: return takeSQL(line, isBroken)
        case .annotation: return takeAnnotation(line, isBroken)
        case .details: return takePlan(line)
        case .other: return false
        }
    }

    /// Adds the line after a mark for omitted columns, if it begins with the clause that follows
    /// the columns: `SELECT 0, t0.Z_PK, …` and `FROM ZNOTE t0`.
    private mutating func takeClause(_ line: [UInt8]) -> Bool {
        let isSelect = ByteText.starts(text, with: "SELECT ") && category == .sql
        guard isSelect, ByteText.find(" FROM ", in: text) == nil else { return false }
        var rest = ByteText.trimmed(line[...])
        for ellipsis in Self.ellipses where rest.starts(with: ellipsis) {
            rest = ByteText.trimmed(rest.dropFirst(ellipsis.count))
        }
        guard rest.starts(with: Array("FROM ".utf8)) else { return false }
        var columns = ByteText.trimmed(text[...])
        if columns.last == UInt8(ascii: ",") { columns.removeLast() }
        text = Array(columns) + [0x20] + rest
        isTruncated = false
        finish()
        return true
    }

    private static func isFence(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: Array("```".utf8)) || line.starts(with: Array("~~~".utf8))
    }

    private mutating func takeSQL(_ line: [UInt8], _ isBroken: Bool) -> Bool {
        guard isBroken ? SQLText.isRest(line, of: text) : SQLText.goesOn(text, with: line) else {
            return false
        }
        text = isBroken ? text + line : SQLText.joined(text, line)
        finish()
        return true
    }

    private mutating func takeAnnotation(_ line: [UInt8], _ isBroken: Bool) -> Bool {
        if isBroken {
            text += line
            finish()
            return true
        }
        guard Annotation(text) == nil, Annotation.begins(text) else { return false }
        if isInSQL {
            let isAtEnd = text.last == UInt8(ascii: "'")
            text = isAtEnd ? text + [0x20] + line : SQLText.joined(text, line)
        } else {
            let text = text
            let whole = [text + line, text + [0x20] + line].first { Annotation($0) != nil }
            self.text = whole ?? Self.joined(text, line)
        }
        finish()
        return true
    }

    /// Whether the annotation ends within the statement that it quotes.
    private var isInSQL: Bool {
        ByteText.find("with sql text '", in: text) != nil
            && ByteText.find("' returned", in: text) == nil
    }

    /// Joins two lines. Web pages break URIs after hyphens and slashes, and other text at spaces.
    private static func joined(_ text: [UInt8], _ line: [UInt8]) -> [UInt8] {
        let line = Array(ByteText.trimmed(line[...]))
        let isAddress = text.last.map { [0x2D, 0x2F].contains($0) } ?? false
        let needsNone = isAddress || line.first == 0x2F || text.last.map(ByteText.isSpace) ?? true
        return text + (needsNone ? [] : [0x20]) + line
    }

    private mutating func takePlan(_ line: [UInt8]) -> Bool {
        let text = ByteText.string(line)
        guard ByteText.starts(self.text, with: "SQLite: EXPLAIN QUERY PLAN"), Self.isPlan(text)
        else { return false }
        plan.append(text)
        return true
    }

    private mutating func takeFromList(_ line: [UInt8]) -> Bool {
        let inner = ByteText.trimmed(line[...])
        if inner.last == UInt8(ascii: ")"), inner.first == UInt8(ascii: ")") || inner.count < 3 {
            hasOpenList = false
        }
        return true
    }

    private static func isPlan(_ line: String) -> Bool {
        let words = line.split(maxSplits: 3, whereSeparator: \.isWhitespace)
        return words.count == 4 && words.prefix(3).allSatisfy { Int($0) != nil }
    }
}
