import ScenarioWords

/// Splits a line of the step language into words and punctuation with their positions. The parsers
/// of all one-line grammars in scenario files use it.
struct LineScanner {
    enum Token: Equatable {
        case word(String)
        case parameter(String)
        case text(String)
        case integer(Int64)
        case number(Double)
        case sign(String)
        case end
    }

    let scalars: [Unicode.Scalar]
    let origin: TextOrigin
    private(set) var offset = 0

    init(_ scalar: Tree.Scalar) {
        self.init(text: scalar.text, origin: scalar.origin)
    }

    init(text: String, origin: TextOrigin) {
        scalars = Array(text.unicodeScalars)
        self.origin = origin
    }

    var position: SourcePosition {
        var copy = self
        copy.skipSpace()
        return origin.position(of: min(copy.offset, scalars.count))
    }

    var isAtEnd: Bool {
        var copy = self
        copy.skipSpace()
        return copy.offset == scalars.count
    }

    func peek() throws(LineFailure) -> Token {
        var copy = self
        return try copy.next()
    }

    mutating func next() throws(LineFailure) -> Token {
        skipSpace()
        guard offset < scalars.count else { return .end }
        let first = scalars[offset]
        if first == "\"" { return .text(try quoted()) }
        if first == "$" {
            offset += 1
            return .parameter(takeWord())
        }
        if ScenarioName.isDigit(first) || first == "-" && digitFollows { return try numeral() }
        if ScenarioName.isWordStart(first) { return .word(takeWord()) }
        if first == "-", offset + 1 < scalars.count, scalars[offset + 1] == ">" {
            offset += 2
            return .sign("->")
        }
        offset += 1
        return .sign(String(first))
    }

    mutating func take(_ wanted: String) -> Bool {
        var copy = self
        guard let token = try? copy.next() else { return false }
        switch token {
        case .word(wanted), .sign(wanted):
            self = copy
            return true
        default: return false
        }
    }

    mutating func name(_ what: String, instead: String) throws(LineFailure) -> Located<String> {
        let start = position
        if case .word(let word) = try next() { return Located(word, at: start) }
        throw LineFailure(position: start, what: "\(what) is missing", instead: instead)
    }

    /// Consumes the characters up to an offset.
    mutating func take(to end: Int) -> (text: String, start: Int) {
        skipSpace()
        let start = offset
        var last = end
        while last > start, scalars[last - 1] == " " { last -= 1 }
        offset = end
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<max(start, last)])
        return (String(text), start)
    }

    /// The string in single quotes that begins here, converted to double quotes.
    var singleQuoted: String {
        var copy = self
        copy.skipSpace()
        let text = copy.scalars[min(copy.offset + 1, scalars.count)...].prefix { $0 != "'" }
        var written = String.UnicodeScalarView()
        written.append(contentsOf: text)
        return String(written).inDoubleQuotes
    }

    private var digitFollows: Bool {
        offset + 1 < scalars.count && ScenarioName.isDigit(scalars[offset + 1])
    }

    private mutating func skipSpace() {
        while offset < scalars.count,
            scalars[offset] == " " || scalars[offset] == "\n"
                || scalars[offset] == "\t"
        {
            offset += 1
        }
    }

    private mutating func takeWord() -> String {
        var text = String.UnicodeScalarView()
        while offset < scalars.count {
            let scalar = scalars[offset]
            // A hyphen is part of a word only between two word characters, so that `a - b` and
            // `a->b` are not words.
            let isHyphen =
                scalar == "-" && offset + 1 < scalars.count && !text.isEmpty
                && (ScenarioName.isWordStart(scalars[offset + 1])
                    || ScenarioName.isDigit(scalars[offset + 1]))
            guard ScenarioName.isWordStart(scalar) || ScenarioName.isDigit(scalar) || isHyphen
            else { break }
            text.append(scalar)
            offset += 1
        }
        return String(text)
    }

    private mutating func numeral() throws(LineFailure) -> Token {
        let start = offset
        offset += 1
        while offset < scalars.count,
            ScenarioName.isDigit(scalars[offset]) || scalars[offset] == "."
        {
            offset += 1
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<offset])
        if let integer = Int64(String(text)) { return .integer(integer) }
        if let number = Double(String(text)) { return .number(number) }
        throw LineFailure(
            position: origin.position(of: start), what: "'\(text)' is not a number",
            instead: "write digits, with one point at most; put other text in double quotes")
    }

    private mutating func quoted() throws(LineFailure) -> String {
        let start = offset
        offset += 1
        var text = String.UnicodeScalarView()
        while offset < scalars.count {
            let scalar = scalars[offset]
            offset += 1
            if scalar == "\"" { return String(text) }
            if scalar == "\\", offset < scalars.count {
                text.append(escaped())
            } else {
                text.append(scalar)
            }
        }
        throw LineFailure(
            position: origin.position(of: start), what: "the text is not closed",
            instead: "end it with a double quote")
    }

    /// The character of an escape sequence, from the character after the backslash and the digits
    /// after `u`.
    private mutating func escaped() -> Unicode.Scalar {
        let scalar = scalars[offset]
        offset += 1
        switch scalar {
        case "n": return "\n"
        case "t": return "\t"
        case "u":
            let digits = String(String.UnicodeScalarView(scalars[offset...].prefix(4)))
            guard digits.count == 4, let value = UInt32(digits, radix: 16),
                let named = Unicode.Scalar(value)
            else { return scalar }
            offset += 4
            return named
        default: return scalar
        }
    }
}

/// The reason why a line cannot be read.
struct LineFailure: Error {
    let position: SourcePosition
    let what: String
    let instead: String
}
