/// A word of SQL.
///
/// Shapes and the entry reader use it.
enum SQLToken: Sendable, Equatable {
    /// A name or a keyword.
    case word(String)
    /// A number, a text or a blob.
    case literal
    /// `?`, also with a number behind it.
    case parameter
    case symbol(String)

    var word: String? { if case .word(let word) = self { word } else { nil } }

    func isSymbol(_ text: String) -> Bool { self == .symbol(text) }

    func isKeyword(_ keyword: String) -> Bool { word?.uppercased() == keyword }
}

/// Questions about SQL as a log shows it, whole or not.
enum SQLText {
    private static let keywords: Set<String> = [
        "SELECT", "DISTINCT", "FROM", "WHERE", "AND", "OR", "NOT", "ORDER", "GROUP", "BY",
        "HAVING", "LIMIT", "OFFSET", "LEFT", "OUTER", "INNER", "CROSS", "JOIN", "ON", "AS", "IN",
        "IS", "NULL", "LIKE", "BETWEEN", "ESCAPE", "INSERT", "INTO", "VALUES", "UPDATE", "SET",
        "DELETE", "UNION", "ALL", "ASC", "DESC", "EXISTS", "CASE", "WHEN", "THEN", "ELSE", "END",
        "COLLATE", "OR", "REPLACE", "BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "CREATE", "TABLE",
        "INDEX", "RETURNING",
    ]
    /// Keywords after which something must come.
    private static let open: Set<String> = [
        "SELECT", "DISTINCT", "FROM", "WHERE", "AND", "OR", "NOT", "ORDER", "GROUP", "BY",
        "HAVING", "LIMIT", "OFFSET", "LEFT", "OUTER", "INNER", "CROSS", "JOIN", "ON", "AS", "IN",
        "IS", "LIKE", "BETWEEN", "ESCAPE", "INSERT", "INTO", "VALUES", "UPDATE", "SET", "DELETE",
        "UNION", "CREATE", "TABLE", "INDEX",
    ]

    static func isKeyword(_ word: String) -> Bool { keywords.contains(word.uppercased()) }

    static func isWord(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    /// Whether a space belongs between two lines that were one: `?` and a name do not touch.
    static func needsSpace(_ text: String, _ line: String) -> Bool {
        guard let last = text.last, let first = line.first else { return false }
        return isWord(first) && "?),".contains(last) || first == "?" && isWord(last)
    }

    /// Whether the statement cannot end here.
    static func isIncomplete(_ text: String) -> Bool {
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
        let words = Set(tokens.compactMap { $0.word?.uppercased() })
        return switch first {
        case "SELECT", "DELETE": !words.contains("FROM")
        case "INSERT": words.isDisjoint(with: ["VALUES", "SELECT", "DEFAULT"])
        case "UPDATE": !words.contains("SET")
        default: false
        }
    }

    /// Whether a line looks like the rest of a statement.
    static func goesOn(_ line: String) -> Bool {
        let trimmed = line.drop { $0.isWhitespace }
        guard let first = trimmed.first else { return false }
        if first == ")" || first == "," { return true }
        let word = String(trimmed.prefix(while: isWord))
        if word == word.uppercased(), isKeyword(word), !startsStatement(word) { return true }
        return ["= ?", "?)", "?,", "t0.Z", "t1.Z"].contains { line.contains($0) }
    }

    private static func startsStatement(_ word: String) -> Bool {
        ["SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "CREATE"]
            .contains(word)
    }

    private static func quotes(in text: String) -> Bool {
        text.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "'") ? 1 : 0) } % 2 == 1
    }

    /// The words of a text; a text that ends inside quotes ends with a literal.
    static func tokens(of text: String) -> [SQLToken] {
        var lexer = Lexer(bytes: Array(text.utf8))
        var tokens: [SQLToken] = []
        while let token = lexer.next() { tokens.append(token) }
        return tokens
    }

    private struct Lexer {
        let bytes: [UInt8]
        var index = 0

        mutating func next() -> SQLToken? {
            while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
            guard index < bytes.count else { return nil }
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
