enum SQLToken: Sendable, Equatable {
    case word(String)
    /// A number, a string or a blob.
    case literal
    /// The constant `0` that Core Data selects as the first column.
    case constant(String)
    /// A parameter, such as `?` or `?1`.
    case parameter
    case symbol(String)

    var word: String? { if case .word(let word) = self { word } else { nil } }

    func isSymbol(_ text: String) -> Bool { self == .symbol(text) }

    func isKeyword(_ keyword: String) -> Bool { word?.uppercased() == keyword }
}

/// Functions on SQL text from a log, which may be incomplete.
enum SQLText {
    private static let keywords: Set<String> = [
        "SELECT", "DISTINCT", "FROM", "WHERE", "AND", "OR", "NOT", "ORDER", "GROUP", "BY",
        "HAVING", "LIMIT", "OFFSET", "LEFT", "OUTER", "INNER", "CROSS", "JOIN", "ON", "AS", "IN",
        "IS", "NULL", "LIKE", "BETWEEN", "ESCAPE", "INSERT", "INTO", "VALUES", "UPDATE", "SET",
        "DELETE", "UNION", "ALL", "ASC", "DESC", "EXISTS", "CASE", "WHEN", "THEN", "ELSE", "END",
        "COLLATE", "OR", "REPLACE", "BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "CREATE", "TABLE",
        "INDEX", "RETURNING", "INTEGER", "VARCHAR", "TIMESTAMP", "FLOAT", "DECIMAL", "BLOB",
        "PRIMARY", "KEY", "UNIQUE", "CONSTRAINT", "TRIGGER", "VIRTUAL", "USING", "IF", "TEMP",
        "VIEW",
        "ADD", "COLUMN", "ALTER", "DROP", "RENAME", "TO", "FAIL", "IGNORE", "ABORT", "DEFAULT",
        "FOR", "EACH", "ROW", "AFTER", "BEFORE", "GLOB", "EXCLUSIVE", "IMMEDIATE",
    ]
    /// Keywords that cannot be the last word of a statement.
    private static let open: Set<String> = [
        "SELECT", "DISTINCT", "FROM", "WHERE", "AND", "OR", "NOT", "ORDER", "GROUP", "BY",
        "HAVING", "LIMIT", "OFFSET", "LEFT", "OUTER", "INNER", "CROSS", "JOIN", "ON", "AS", "IN",
        "IS", "LIKE", "BETWEEN", "ESCAPE", "INSERT", "INTO", "VALUES", "UPDATE", "SET", "DELETE",
        "UNION", "CREATE", "TABLE", "INDEX", "COLLATE", "USING", "ALTER", "DROP", "ADD", "COLUMN",
        "RENAME", "TO", "IF", "EXISTS", "VIRTUAL", "UNIQUE", "TEMP", "TRIGGER", "VIEW", "CASE",
        "WHEN", "THEN", "ELSE",
    ]

    static func isKeyword(_ word: String) -> Bool { keywords.contains(word.uppercased()) }

    /// Whether the text is the beginning of a statement.
    static func isIncomplete(_ text: [UInt8]) -> Bool {
        let tokens = tokens(of: text)
        guard let first = tokens.first?.word?.uppercased(), let last = tokens.last else {
            return false
        }
        if let word = last.word, open.contains(word.uppercased()) { return true }
        if case .symbol(let symbol) = last, symbol != ")", symbol != ";", symbol != "*" {
            return true
        }
        let depth = tokens.reduce(0) {
            $0 + ($1.isSymbol("(") ? 1 : 0) - ($1.isSymbol(")") ? 1 : 0)
        }
        if depth > 0 || quotes(in: text) { return true }
        let all = tokens.compactMap { $0.word?.uppercased() }
        // The body of a trigger also ends with END.
        let blocks = all.count { $0 == "CASE" || $0 == "BEGIN" && first == "CREATE" }
        if blocks > all.count(where: { $0 == "END" }) { return true }
        let words = Set(all)
        return switch first {
        case "SELECT", "DELETE": !words.contains("FROM")
        case "INSERT": words.isDisjoint(with: ["VALUES", "SELECT", "DEFAULT"])
        case "UPDATE": !words.contains("SET")
        case "ALTER": words.isDisjoint(with: ["ADD", "RENAME", "DROP"])
        case "CREATE":
            words.isDisjoint(with: ["AS", "BEGIN"]) && !tokens.contains { $0.isSymbol("(") }
        default: false
        }
    }

    /// Whether a line looks like a part of a statement: each word is a keyword or a name in the
    /// style of Core Data.
    static func goesOn(_ line: [UInt8]) -> Bool {
        let tokens = tokens(of: line)
        guard let first = tokens.first else { return false }
        if let word = first.word, starters.contains(word) { return false }
        guard tokens.indices.allSatisfy({ isOfSQL(tokens, $0) }) else { return false }
        return tokens.contains { $0 == .parameter || $0.word != nil } || first.isSymbol(")")
            || first.isSymbol(",")
    }

    /// Whether a word is a keyword, a function, a symbol, a value, or a name in the style of Core
    /// Data.
    static func isOfSQL(_ tokens: [SQLToken], _ index: Int) -> Bool {
        guard let word = tokens[index].word else { return true }
        let isCalled = index + 1 < tokens.count && tokens[index + 1].isSymbol("(")
        return isCalled || isName(word) || keywords.contains(word)
    }

    /// Whether a word is a name such as `ZNAME`, `Z_PK`, `t0`, `n1_t0`, `_Z_intarray0`,
    /// `ATRANSACTION` or `NSCollateNoCase`.
    private static func isName(_ word: String) -> Bool {
        let isUpper = word.utf8.allSatisfy { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        // The names of R-trees contain the attribute's name in its original case.
        if word.hasPrefix("Z_") { return true }
        if word.hasPrefix("Z") || word.hasPrefix("ATRANS") || word == "ACHANGE" { return isUpper }
        if word == "TBL_NAME" || word.hasPrefix("SQLITE_") { return true }
        return word.hasPrefix("_Z_") || word.hasPrefix("NSCollate") || isAlias(word)
    }

    /// Whether a word is an alias such as `t0` or `n1_t0`.
    static func isAlias(_ word: String) -> Bool {
        let last = word.split(separator: "_").last ?? ""
        return last.count >= 2 && last.first?.isLowercase == true
            && last.dropFirst().utf8.allSatisfy { ByteText.isDigit($0) }
    }

    private static let starters: Set<String> = [
        "SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "pragma",
        "CREATE", "DROP", "ALTER", "WITH", "VACUUM", "ANALYZE", "REINDEX", "SAVEPOINT", "RELEASE",
        "EXPLAIN", "REPLACE",
    ]

    static func startsStatement(_ text: [UInt8]) -> Bool {
        let word = text.prefix { ByteText.isWord($0) }
        guard word.count <= 9 else { return false }
        return starters.contains(String(decoding: word, as: UTF8.self))
    }

    static func quotes(in text: [UInt8]) -> Bool {
        text.reduce(0) { $0 + ($1 == UInt8(ascii: "'") ? 1 : 0) } % 2 == 1
    }

    // MARK: Broken lines

    /// Joins a statement and the line that continues it. The width of lines is unknown, so the line
    /// may end within a word.
    static func joined(_ text: [UInt8], _ line: [UInt8]) -> [UInt8] {
        guard let last = text.last, let first = line.first else { return text + line }
        guard ByteText.isWord(last), ByteText.isWord(first) else {
            let needsSpace =
                ByteText.isWord(first) && Array("?),".utf8).contains(last)
                || first == UInt8(ascii: "?") && ByteText.isWord(last)
            return text + (needsSpace ? [0x20] : []) + line
        }
        let before = String(
            decoding: text.reversed().prefix(while: ByteText.isWord).reversed(), as: UTF8.self)
        let after = String(decoding: line.prefix(while: ByteText.isWord), as: UTF8.self)
        return text + (isOneWord(before, after) ? [] : [0x20]) + line
    }

    private static func isOneWord(_ before: String, _ after: String) -> Bool {
        let (isLeft, isRight) = (isKeyword(before), isKeyword(after))
        if isKeyword(before + after), !(isLeft && isRight) { return !isAlias(after) }
        return !isLeft && !isRight && !isAlias(before) && !isAlias(after) && !after.hasPrefix("Z")
    }

    /// The tokens of a text. If it ends inside a quoted string, the last token is a literal.
    static func tokens(of text: [UInt8]) -> [SQLToken] {
        var lexer = Lexer(bytes: text)
        var tokens: [SQLToken] = []
        while let token = lexer.next() {
            let isConstant = token == .literal && isHead(tokens.last)
            tokens.append(isConstant ? .constant(lexer.last) : token)
        }
        return tokens
    }

    private static func isHead(_ token: SQLToken?) -> Bool {
        guard let token else { return false }
        return token.isKeyword("SELECT") || token.isKeyword("DISTINCT")
    }

    static func spelled(_ text: [UInt8]) -> [SQLWord] {
        var lexer = Lexer(bytes: text)
        var words: [SQLWord] = []
        while let token = lexer.next() {
            words.append(SQLWord(token: token, spelling: lexer.last))
        }
        return words
    }

    private struct Lexer {
        let bytes: [UInt8]
        var index = 0
        private var start = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var last: String { ByteText.string(bytes[start..<index]) }

        mutating func next() -> SQLToken? {
            while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
            guard index < bytes.count else { return nil }
            start = index
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "'"):
                skipQuoted(byte)
                return .literal
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                let start = index + 1
                skipQuoted(byte)
                let end = max(start, index - 1)
                return .word(String(decoding: bytes[start..<min(end, bytes.count)], as: UTF8.self))
            case UInt8(ascii: "?"):
                index += 1
                _ = run { Self.isDigit($0) }
                return .parameter
            case let byte where Self.isDigit(byte):
                _ = run { Self.isWord($0) || $0 == UInt8(ascii: ".") }
                return .literal
            case let byte where Self.isWord(byte):
                let word = run(Self.isWord)
                if index < bytes.count, bytes[index] == UInt8(ascii: "'"), word.count == 1,
                    word.lowercased() == "x"
                {
                    skipQuoted(UInt8(ascii: "'"))
                    return .literal
                }
                return .word(word)
            default: return symbol(byte)
            }
        }

        private mutating func symbol(_ byte: UInt8) -> SQLToken {
            index += 1
            let pairs: Set<String> = ["<=", ">=", "<>", "!=", "==", "||"]
            if index < bytes.count {
                let pair = String(decoding: [byte, bytes[index]], as: UTF8.self)
                if pairs.contains(pair) {
                    index += 1
                    return .symbol(pair)
                }
            }
            return .symbol(String(decoding: [byte], as: UTF8.self))
        }

        private mutating func skipQuoted(_ quote: UInt8) {
            index += 1
            while index < bytes.count {
                index += 1
                guard bytes[index - 1] == quote else { continue }
                guard index < bytes.count, bytes[index] == quote else { return }
                index += 1
            }
        }

        private mutating func run(_ belongs: (UInt8) -> Bool) -> String {
            let start = index
            while index < bytes.count, belongs(bytes[index]) { index += 1 }
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
    }
}
