/// Converts text that was copied with HTML markup.
enum HTMLText {
    /// Removes the HTML tags that format code, and replaces character references.
    static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var result = withoutTags(bytes)
        // This runs twice, because some text was escaped twice.
        for _ in 0..<2 where result.contains(UInt8(ascii: "&")) {
            let decoded = decoded(result)
            if decoded == result { break }
            result = decoded
        }
        return result
    }

    private static let tags: Set<String> = [
        "pre", "code", "br", "span", "p", "div", "b", "i", "em", "strong", "font", "td", "tr",
        "table", "tbody", "a", "li", "ul", "ol", "blockquote", "samp", "tt", "body", "html",
    ]

    /// The tags that end a line.
    private static let breaks: Set<String> = ["br", "p", "div", "li", "tr", "pre"]

    private static func withoutTags(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "<")) else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "<"), let (name, end) = tag(bytes, at: index) {
                if breaks.contains(name), name == "br" || bytes[index + 1] == UInt8(ascii: "/") {
                    result.append(0x0A)
                }
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// The known tag at an index, and the index after the tag. `<Author: 0x60…>` is not a tag.
    private static func tag(_ bytes: [UInt8], at start: Int) -> (name: String, end: Int)? {
        var index = start + 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "/") { index += 1 }
        let first = index
        while index < bytes.count, ByteText.isLetter(bytes[index]) { index += 1 }
        guard index > first, index < bytes.count else { return nil }
        let name = ByteText.string(bytes[first..<index]).lowercased()
        let follows = bytes[index]
        guard tags.contains(name), [0x20, 0x2F, 0x3E].contains(follows),
            let end = bytes[index...].prefix(300).firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        return (name, end + 1)
    }

    private static let names: [String: UInt8] = [
        "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "amp": UInt8(ascii: "&"),
        "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"), "nbsp": 0x20,
        "lsquo": UInt8(ascii: "'"), "rsquo": UInt8(ascii: "'"), "ldquo": UInt8(ascii: "\""),
        "rdquo": UInt8(ascii: "\""),
    ]

    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "&"),
                let end = bytes[index...].prefix(9).firstIndex(of: UInt8(ascii: ";")),
                let character = character(ByteText.string(bytes[(index + 1)..<end]))
            {
                result += character
                index = end + 1
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func character(_ name: String) -> [UInt8]? {
        if let known = names[name] { return [known] }
        if name == "hellip" { return Array("\u{2026}".utf8) }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        guard let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits),
            let scalar = Unicode.Scalar(number)
        else { return nil }
        return number == 0xA0 ? [0x20] : Array(String(Character(scalar)).utf8)
    }
}
