/// Walks the text of a well-formed XML file from start tag to start tag.
///
/// Used by ``XMLTreeReader`` beside the parser, which knows only where a tag ends: so that a
/// message can point at the attribute that is wrong.
struct XMLTagScanner {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var column = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next start tag, or nil at the end.
    mutating func next() -> XMLTag? {
        while offset < bytes.count {
            if skip("<!--", through: "-->") || skip("<![CDATA[", through: "]]>")
                || skip("<?", through: "?>") || skip("<!", through: ">")
                || skip("</", through: ">")
            {
                continue
            }
            if bytes[offset] == UInt8(ascii: "<") { return tag() }
            advance()
        }
        return nil
    }

    private mutating func tag() -> XMLTag {
        var tag = XMLTag(start: position)
        advance()
        skipName()
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ">") {
            guard Self.isName(bytes[offset]) else {
                advance()
                continue
            }
            let place = position
            let name = skipName()
            tag.attributes[name] = place
            skipValue()
        }
        return tag
    }

    private var position: XMLTag.Position { XMLTag.Position(line: line, column: column) }

    @discardableResult
    private mutating func skipName() -> String {
        let start = offset
        while offset < bytes.count, Self.isName(bytes[offset]) { advance() }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func skipValue() {
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""),
            bytes[offset] != UInt8(ascii: "'"), bytes[offset] != UInt8(ascii: ">")
        {
            advance()
        }
        guard offset < bytes.count, bytes[offset] != UInt8(ascii: ">") else { return }
        let quote = bytes[offset]
        advance()
        while offset < bytes.count, bytes[offset] != quote { advance() }
        if offset < bytes.count { advance() }
    }

    private mutating func skip(_ opening: StaticString, through closing: StaticString) -> Bool {
        guard starts(with: opening) else { return false }
        for _ in 0..<opening.utf8CodeUnitCount { advance() }
        while offset < bytes.count, !starts(with: closing) { advance() }
        for _ in 0..<closing.utf8CodeUnitCount where offset < bytes.count { advance() }
        return true
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    }

    private mutating func advance() {
        let byte = bytes[offset]
        offset += 1
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0b1100_0000 != 0b1000_0000 {
            column += 1
        }
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
}
