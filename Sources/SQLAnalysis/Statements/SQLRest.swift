/// Decides whether a line continues the statement in the lines before it.
///
/// Core Data writes a statement on one line. But a console, a web page or a mail program may have
/// broken the line, or a value may contain a line feed. A continuation follows an incomplete
/// statement, or begins with a word that may follow a complete one. Other lines are output of the
/// app.
extension SQLText {
    /// Whether a line continues a statement.
    ///
    /// - Parameters:
    ///   - text: the statement so far.
    ///   - line: a line that does not begin an entry.
    static func goesOn(_ text: [UInt8], with line: [UInt8]) -> Bool {
        if isIncomplete(text) { return true }
        let (statement, rest) = (tokens(of: text), tokens(of: line))
        guard goesOn(line) || isComparison(rest), mayFollow(rest, statement) else { return false }
        // `AND` or a comma as the only word does not continue a statement: lines are not broken
        // after one word.
        return rest.count > 1 || !isIncomplete(joined(text, line))
    }

    /// Whether a line continues a statement. The statement's line has the console's width, so it
    /// may have been broken within a word.
    static func isRest(_ line: [UInt8], of text: [UInt8]) -> Bool {
        if isIncomplete(text) { return true }
        guard let last = text.last, ByteText.isWord(last), line.first.map(ByteText.isWord) ?? false
        else { return goesOn(text, with: line) }
        let rest = tokens(of: line)
        return rest.indices.dropFirst().allSatisfy { isOfSQL(rest, $0) || !isProse(rest[$0]) }
    }

    /// Whether a word has lower-case letters but no underscore, unlike the names of tables and
    /// pragmas.
    private static func isProse(_ token: SQLToken) -> Bool {
        guard let word = token.word else { return false }
        return !word.contains("_") && word.contains(where: \.isLowercase)
    }

    // MARK: Behind a whole statement

    private static let comparisons: Set<String> = ["=", "==", "<", ">", "<=", ">=", "<>", "!="]
    private static let signs = comparisons.union([
        "+", "-", "*", "/", "%", "&", "|", "||", ".",
    ])

    /// Words that may begin a continuation of a complete statement.
    private static let following: Set<String> = [
        "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "LEFT", "OUTER", "INNER",
        "CROSS", "JOIN", "ON", "AND", "OR", "NOT", "IS", "IN", "LIKE", "GLOB", "BETWEEN",
        "ESCAPE", "COLLATE", "ASC", "DESC", "AS", "RETURNING",
    ]
    private static let transactions: Set<String> = ["EXCLUSIVE", "IMMEDIATE", "TRANSACTION"]
    private static let types: Set<String> = [
        "INTEGER", "VARCHAR", "TIMESTAMP", "FLOAT", "DECIMAL", "BLOB", "DEFAULT",
    ]

    /// Recognises a comparison such as `= 'Z_MODELCACHE'`.
    private static func isComparison(_ rest: [SQLToken]) -> Bool {
        guard rest.count == 2, case .symbol(let sign) = rest[0] else { return false }
        return comparisons.contains(sign) && rest[1] == .literal
    }

    private static func mayFollow(_ rest: [SQLToken], _ statement: [SQLToken]) -> Bool {
        guard let first = rest.first, let kind = statement.first?.word?.uppercased(),
            !closesMore(rest)
        else { return false }
        switch (kind, first) {
        case ("COMMIT", _), ("ROLLBACK", _), ("DROP", _), ("PRAGMA", _): return false
        case ("BEGIN", .word(let word)): return rest.count == 1 && transactions.contains(word)
        case ("ALTER", .word(let word)): return types.contains(word)
        case (_, .word(let word)):
            return following.contains(word) || isAlias(word) && endsInTable(statement)
        case (_, .symbol(",")): return rest.count == 1 || mayBeginItem(rest[1])
        case (_, .symbol(let sign)): return signs.contains(sign)
        default: return false
        }
    }

    /// Whether the line closes a bracket of an earlier line.
    private static func closesMore(_ rest: [SQLToken]) -> Bool {
        var depth = 0
        for token in rest {
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            if depth < 0 { return true }
        }
        return false
    }

    /// Whether the token may begin a column of ORDER BY, or an element of SET or VALUES. A number
    /// may not: such a line is output of the app.
    private static func mayBeginItem(_ token: SQLToken) -> Bool {
        token.word != nil || token == .parameter || token.isSymbol("(")
    }

    private static func endsInTable(_ statement: [SQLToken]) -> Bool {
        let before = statement.dropLast().last
        return ["FROM", "JOIN"].contains { before?.isKeyword($0) ?? false }
    }
}
