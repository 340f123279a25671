/// Reads the tags and texts of an XML file in order. Rejects a file that is not well-formed or ends
/// within an element.
///
/// Models and XML stores are read with it, because Foundation's parser does not report where an
/// attribute begins, and ends the process at `<?x?>`. The size of the file limits the memory:
/// entity declarations are rejected, the nesting of elements is limited, and no text is longer than
/// in the file.
package struct XMLScanner {
    package enum Token {
        case start(Start)
        case end(Int)
        case text(String, Int)
    }

    package struct Start {
        package let name: String
        package let attributes: [String: Attribute]
        package let offset: Int
    }

    package struct Attribute {
        package let value: String
        package let offset: Int
    }

    package static let depthMax = 64

    private let bytes: [UInt8]
    package private(set) var offset = 0
    private var open: [String] = []
    private var hasRoot = false
    /// Whether the last tag was an empty-element tag, such as `<a/>`.
    private var isClosed = false

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package func raw(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    package mutating func next() throws(FileFinding) -> Token? {
        if isClosed {
            isClosed = false
            open.removeLast()
            return .end(offset)
        }
        while offset < bytes.count {
            let start = offset
            if bytes[offset] != UInt8(ascii: "<") {
                let text = try text()
                if !open.isEmpty { return .text(text, start) }
                guard text.allSatisfy(\.isWhitespace) else {
                    throw FileFinding(start, "text is outside of the root element")
                }
            } else if skips("<!--") {
                try skip(through: "-->", "a comment")
            } else if skips("<?") {
                try skip(through: "?>", "a processing instruction")
            } else if skips("<![CDATA[") {
                return .text(try cdata(start), start)
            } else if skips("<!") {
                try skipDeclaration(start)
            } else if skips("</") {
                try end(start)
                return .end(start)
            } else {
                return .start(try self.start())
            }
        }
        if let name = open.last {
            throw FileFinding(offset, "the file is cut off: <\(name)> is not closed")
        }
        guard hasRoot else { throw FileFinding(offset, "the file has no element") }
        return nil
    }

    // MARK: Tags

    private mutating func start() throws(FileFinding) -> Start {
        let begin = offset
        offset += 1
        let name = try name()
        guard !open.isEmpty || !hasRoot else {
            throw FileFinding(begin, "<\(name)> follows the end of the root element")
        }
        guard open.count < Self.depthMax else {
            throw FileFinding(begin, "elements are nested more than \(Self.depthMax) deep")
        }
        hasRoot = true
        open.append(name)
        var attributes: [String: Attribute] = [:]
        while true {
            let isApart = skipSpace()
            if skips(">") { break }
            if skips("/>") {
                isClosed = true
                break
            }
            let place = offset
            guard isApart else { throw unexpected() }
            let (name, value) = try attribute()
            let found = Attribute(value: value, offset: place)
            guard attributes.updateValue(found, forKey: name) == nil else {
                throw FileFinding(place, "the attribute '\(name)' appears twice")
            }
        }
        return Start(name: name, attributes: attributes, offset: begin)
    }

    private mutating func attribute() throws(FileFinding) -> (String, String) {
        let name = try name()
        skipSpace()
        guard skips("=") else { throw unexpected() }
        skipSpace()
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw unexpected()
        }
        offset += 1
        let value = try decode(until: quote, isValue: true)
        guard current == quote else { throw unexpected() }
        offset += 1
        return (name, value)
    }

    private mutating func end(_ start: Int) throws(FileFinding) {
        let name = try name()
        skipSpace()
        guard skips(">") else { throw unexpected() }
        guard let wanted = open.popLast(), wanted == name else {
            throw FileFinding(start, "</\(name)> does not close an open element")
        }
    }

    private mutating func name() throws(FileFinding) -> String {
        let start = offset
        while let byte = current, Self.isName(byte) { offset += 1 }
        guard offset > start else { throw unexpected() }
        return try string(Array(bytes[start..<offset]), start)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: ":"), UInt8(ascii: "."), 0x80...0xFF:
            true
        default: false
        }
    }

    // MARK: Texts

    private mutating func text() throws(FileFinding) -> String {
        try decode(until: UInt8(ascii: "<"), isValue: false)
    }

    /// Reads text up to a byte or the end of the file. Replaces references such as `&lt;`, and
    /// converts each line end to one character.
    private mutating func decode(
        until end: UInt8, isValue: Bool
    ) throws(FileFinding) -> String {
        let start = offset
        var result: [UInt8] = []
        while let byte = current, byte != end {
            switch byte {
            case UInt8(ascii: "&"):
                result += Array(String(try reference()).utf8)
                continue
            case UInt8(ascii: "<"): throw unexpected()
            case 13:
                if bytes.count > offset + 1, bytes[offset + 1] == 10 { offset += 1 }
                result.append(isValue ? 32 : 10)
            case 9, 10: result.append(isValue ? 32 : byte)
            case 0..<32: throw unexpected()
            default: result.append(byte)
            }
            offset += 1
        }
        return try string(result, start)
    }

    private mutating func cdata(_ start: Int) throws(FileFinding) -> String {
        guard !open.isEmpty else { throw FileFinding(start, "text is outside of the root") }
        let begin = offset
        try skip(through: "]]>", "a CDATA section")
        let content = Array(bytes[begin..<(offset - 3)])
        guard !content.contains(where: { $0 < 32 && ![9, 10, 13].contains($0) }) else {
            throw FileFinding(begin, "XML does not allow this control character")
        }
        return try string(content, begin)
    }

    /// Reads a reference, such as `&lt;`, `&#13;` or `&#xD;`.
    private mutating func reference() throws(FileFinding) -> Unicode.Scalar {
        let start = offset
        offset += 1
        var text = ""
        while let byte = current, byte != UInt8(ascii: ";"), text.count < 10,
            byte < 0x80, byte > 32
        {
            text.unicodeScalars.append(Unicode.Scalar(byte))
            offset += 1
        }
        guard skips(";"), let scalar = Self.scalar(text) else {
            throw FileFinding(start, "'&\(text)' is unknown; entities cannot be declared")
        }
        return scalar
    }

    private static func scalar(_ text: String) -> Unicode.Scalar? {
        switch text {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard text.hasPrefix("#") else { return nil }
        let isHexadecimal = text.hasPrefix("#x")
        let digits = text.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.allSatisfy(\.isHexDigit),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            number >= 32 || [9, 10, 13].contains(number), ![0xFFFE, 0xFFFF].contains(number)
        else { return nil }
        return Unicode.Scalar(number)
    }

    private func string(_ text: [UInt8], _ start: Int) throws(FileFinding) -> String {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw FileFinding(start, "a text is not valid UTF-8")
        }
        return string
    }

    // MARK: Skipped parts

    /// Skips `<!DOCTYPE …>`. Rejects a DOCTYPE with declarations.
    private mutating func skipDeclaration(_ start: Int) throws(FileFinding) {
        guard skips("DOCTYPE"), !hasRoot else {
            throw FileFinding(start, "a declaration does not belong here")
        }
        var quote: UInt8?
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if quote == nil { quote = byte } else if quote == byte { quote = nil }
            case UInt8(ascii: "[") where quote == nil:
                throw FileFinding(
                    offset - 1, "the file declares entities or elements, which is not allowed")
            case UInt8(ascii: ">") where quote == nil: return
            default: break
            }
        }
        throw FileFinding(start, "the file is cut off in its declaration")
    }

    private mutating func skip(
        through end: StaticString, _ what: String
    ) throws(FileFinding) {
        let start = offset
        while offset < bytes.count {
            if skips(end) { return }
            offset += 1
        }
        throw FileFinding(start, "the file is cut off in \(what)")
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = offset
        while let byte = current, [9, 10, 13, 32].contains(byte) { offset += 1 }
        return offset > start
    }

    private mutating func skips(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - offset >= count,
            text.withUTF8Buffer({ bytes[offset..<(offset + count)].elementsEqual($0) })
        else { return false }
        offset += count
        return true
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func unexpected() -> FileFinding {
        guard let current else { return FileFinding(offset, "the file is cut off in a tag") }
        let isVisible = current > 32 && current < 127
        let name = isVisible ? "'\(Unicode.Scalar(current))'" : "the byte \(current)"
        return FileFinding(offset, "\(name) does not belong here")
    }
}
