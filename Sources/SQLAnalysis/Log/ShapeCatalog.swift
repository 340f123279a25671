/// All shapes of a log, by number. A shape is the text of a statement without its values.
struct ShapeCatalog: Sendable {
    private(set) var shapes: [StatementShape] = []
    private(set) var samples: [[UInt8]] = []
    /// The query plan of each shape, if the log contains it (level 4).
    var plans: [Int: [String]] = [:]

    private var numbers: [String: Int] = [:]
    private var texts: [[UInt8]: Entry] = [:]

    /// The maximum number of cached texts. A log has any number of texts if they contain values.
    private static let textsMax = 2_000

    /// The facts that differ between statements of one shape.
    struct Entry: Sendable {
        var shape: Int
        var isIncomplete: Bool
        var parameterCount: Int
        /// The number of values in the longest list in brackets.
        var listCount: Int
        /// The number after the LIMIT of the outer statement. A negative number means no limit.
        var limit: Int?
        /// A hash of the text, including the values in it.
        var textHash: UInt64 = 0
    }

    subscript(number: Int) -> StatementShape { shapes[number] }

    mutating func enter(_ sql: [UInt8], isTruncated: Bool = false) -> Entry {
        // A truncated text may be the beginning of several statements, so it is not cached.
        if !isTruncated, let known = texts[sql] { return known }
        let isIncomplete = SQLText.isIncomplete(sql)
        let whole = isTruncated || isIncomplete ? Self.wholeWords(sql) : sql
        let shape = StatementShape(whole)
        let number = numbers[shape.text] ?? shapes.count
        if number == shapes.count {
            shapes.append(shape)
            samples.append(whole)
            numbers[shape.text] = number
        }
        var entry = Self.details(whole)
        entry.shape = number
        entry.isIncomplete = isIncomplete
        if texts.count >= Self.textsMax { texts.removeAll(keepingCapacity: true) }
        if !isTruncated { texts[sql] = entry }
        return entry
    }

    /// The text without its last word, which may be cut off: the rest of a table name could be the
    /// name of another table.
    private static func wholeWords(_ text: [UInt8]) -> [UInt8] {
        var text = text[...]
        while let last = text.last, ByteText.isWord(last) { text.removeLast() }
        return Array(text)
    }

    private static func details(_ sql: [UInt8]) -> Entry {
        var entry = Entry(shape: 0, isIncomplete: false, parameterCount: 0, listCount: 0)
        entry.textHash = ByteText.hash(sql)
        var (list, depth) = (0, 0)
        let tokens = SQLText.tokens(of: sql)
        for (index, token) in tokens.enumerated() {
            switch token {
            case .parameter:
                entry.parameterCount += 1
                list += 1
            case .literal: list += 1
            case .symbol(","): break
            case .symbol("("): (list, depth) = (0, depth + 1)
            case .symbol(")"): (list, depth) = (0, depth - 1)
            default: list = 0
            }
            entry.listCount = max(entry.listCount, list)
            if token.isKeyword("LIMIT"), depth == 0 { entry.limit = limit(sql, after: index) }
        }
        return entry
    }

    /// The number after a keyword; nil if a parameter follows instead of a number.
    private static func limit(_ sql: [UInt8], after index: Int) -> Int? {
        let words = SQLText.spelled(sql)[(index + 1)...]
        guard let first = words.first else { return nil }
        let isNegative = first.token.isSymbol("-")
        return Int(words.prefix(isNegative ? 2 : 1).map(\.spelling).joined())
    }
}
