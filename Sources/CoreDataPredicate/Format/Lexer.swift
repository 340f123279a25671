import Foundation

struct Lexer {
    let format: String
    let bytes: [UInt8]
    var arguments: ArgumentSubstitution
    var position = 0
    private(set) var tokens: [Token] = []

    init(_ format: String, _ arguments: [Any?]) {
        self.init(format, ArgumentSubstitution(arguments))
    }

    init(_ format: String, _ arguments: ArgumentSubstitution) {
        self.format = format
        bytes = Array(format.utf8)
        self.arguments = arguments
        tokens.reserveCapacity(bytes.count / 4 + 2)
    }

    /// Splits the whole format into tokens. The last token marks the end.
    mutating func run() throws(PredicateFormatError) -> [Token] {
        while true {
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            guard position < bytes.count else { break }
            let offset = position
            tokens.append(Token(kind: try next(), offset: offset))
        }
        tokens.append(Token(kind: .end, offset: bytes.count))
        return tokens
    }

    private mutating func next() throws(PredicateFormatError) -> Token.Kind {
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return .constant(try string(quote: byte), isArgument: false)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .constant(try number(), isArgument: false)
        case UInt8(ascii: "."):
            if startsFraction { return .constant(try number(), isArgument: false) }
            position += 1
            return .symbol(.dot)
        case UInt8(ascii: "%"):
            return try substitution()
        case UInt8(ascii: "$"):
            position += 1
            return .variable(try name(after: "$", advice: "write $NAME"))
        case UInt8(ascii: "#"):
            position += 1
            return .escapedWord(try name(after: "#", advice: "write the key after it, as in #size"))
        case UInt8(ascii: "@"):
            position += 1
            let advice = "write a collection operator such as @count, or %@ for an argument"
            return .operatorWord("@" + (try name(after: "@", advice: advice)))
        default:
            return Self.isNameStart(byte) ? word() : try symbol()
        }
    }

    // MARK: Words

    private mutating func word() -> Token.Kind {
        var text = takeName()
        var upper = text.uppercased()
        if upper == "UTI" {
            for suffix in ["-CONFORMS-TO", "-EQUALS"] where follows(suffix) {
                position += suffix.utf8.count
                return .word(text + suffix, upper: upper + suffix)
            }
        }
        // A function's full name contains colons, as in `add:to:`. The colon of `:=` does not
        // belong to it.
        while position < bytes.count, bytes[position] == UInt8(ascii: ":"), byte(at: 1) != 0x3D {
            position += 1
            text += ":" + takeName()
            upper = text
        }
        return .word(text, upper: upper)
    }

    mutating func takeName() -> String {
        let start = position
        while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func name(
        after sign: String, advice: String
    ) throws(PredicateFormatError) -> String {
        guard position < bytes.count, Self.isNameStart(bytes[position]) else {
            throw error(at: position - 1, "'\(sign)' without a name", advice)
        }
        return takeName()
    }

    private func follows(_ text: String) -> Bool {
        guard position + text.utf8.count <= bytes.count else { return false }
        return zip(bytes[position...], text.utf8).allSatisfy { $0 == $1 || $0 == $1 | 0x20 }
    }

    // MARK: Symbols

    private mutating func symbol() throws(PredicateFormatError) -> Token.Kind {
        if let symbol = Self.pair(byte(at: 0), byte(at: 1)) {
            position += 2
            return .symbol(symbol)
        }
        if let symbol = Self.single(byte(at: 0)) {
            position += 1
            return .symbol(symbol)
        }
        let sign = String(decoding: bytes[position...].prefix(1), as: UTF8.self)
        let advice: String
        switch sign {
        case ";": advice = "write one predicate, without ';'"
        default: advice = "put text in quotes, or join parts with the operators of predicates"
        }
        throw error(at: position, "'\(sign)' has no meaning here", advice)
    }

    private static func pair(_ first: UInt8, _ second: UInt8) -> Token.Symbol? {
        switch (first, second) {
        case (UInt8(ascii: "="), UInt8(ascii: "=")): .equal
        case (UInt8(ascii: "="), UInt8(ascii: "<")): .lessOrEqual
        case (UInt8(ascii: "="), UInt8(ascii: ">")): .greaterOrEqual
        case (UInt8(ascii: "!"), UInt8(ascii: "=")): .notEqual
        case (UInt8(ascii: "<"), UInt8(ascii: ">")): .notEqual
        case (UInt8(ascii: "<"), UInt8(ascii: "=")): .lessOrEqual
        case (UInt8(ascii: ">"), UInt8(ascii: "=")): .greaterOrEqual
        case (UInt8(ascii: "&"), UInt8(ascii: "&")): .and
        case (UInt8(ascii: "|"), UInt8(ascii: "|")): .or
        case (UInt8(ascii: ":"), UInt8(ascii: "=")): .assign
        case (UInt8(ascii: "*"), UInt8(ascii: "*")): .power
        case (UInt8(ascii: "<"), UInt8(ascii: "<")): .shiftLeft
        case (UInt8(ascii: ">"), UInt8(ascii: ">")): .shiftRight
        default: nil
        }
    }

    private static func single(_ byte: UInt8) -> Token.Symbol? {
        switch byte {
        case UInt8(ascii: "="): .equal
        case UInt8(ascii: "!"): .not
        case UInt8(ascii: "<"): .less
        case UInt8(ascii: ">"): .greater
        case UInt8(ascii: "+"): .plus
        case UInt8(ascii: "-"): .minus
        case UInt8(ascii: "*"): .times
        case UInt8(ascii: "/"): .divide
        case UInt8(ascii: "&"): .bitAnd
        case UInt8(ascii: "|"): .bitOr
        case UInt8(ascii: "^"): .bitXor
        case UInt8(ascii: "~"): .bitNot
        case UInt8(ascii: ","): .comma
        case UInt8(ascii: "("): .open
        case UInt8(ascii: ")"): .close
        case UInt8(ascii: "{"): .openBrace
        case UInt8(ascii: "}"): .closeBrace
        case UInt8(ascii: "["): .openBracket
        case UInt8(ascii: "]"): .closeBracket
        default: nil
        }
    }

    // MARK: Bytes

    func byte(at distance: Int) -> UInt8 {
        let index = position + distance
        return index < bytes.count ? bytes[index] : 0
    }

    /// Whether a number such as `.5` starts here, because the previous token cannot end a value.
    private var startsFraction: Bool {
        guard Self.isDigit(byte(at: 1)) else { return false }
        switch tokens.last?.kind {
        case nil, .symbol(.close)?, .symbol(.closeBracket)?: return tokens.isEmpty
        case .symbol?: return true
        case .word(_, let upper)?: return Keyword.operators[upper] != nil
        default: return false
        }
    }

    func error(at offset: Int, _ problem: String, _ advice: String) -> PredicateFormatError {
        PredicateFormatError(
            column: Self.column(of: offset, in: format), problem: problem, advice: advice)
    }

    /// The position of the character at a byte offset, from 1.
    static func column(of offset: Int, in format: String) -> Int {
        String(decoding: format.utf8.prefix(offset), as: UTF8.self).count + 1
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    static func isNameStart(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || byte == 0x5F || byte >= 0x80
    }

    static func isNamePart(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }
}
