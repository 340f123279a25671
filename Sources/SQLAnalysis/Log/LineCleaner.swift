/// Removes the additions of terminals, web pages, mail programs and editors from a line.
enum LineCleaner {
    /// The kinds of additions in a line, found in one pass.
    private struct Marks: OptionSet {
        let rawValue: UInt8
        static let control = Marks(rawValue: 1)
        static let bracket = Marks(rawValue: 2)
        static let high = Marks(rawValue: 4)
        static let markup = Marks(rawValue: 8)
        static let star = Marks(rawValue: 16)
    }

    /// The line as the app wrote it. A `<br>` is replaced by a line feed.
    static func clean(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let marks = self.marks(in: line)
        guard !marks.isEmpty else { return Array(line) }
        var bytes = Array(line)
        if marks.contains(.control) { bytes = withoutEscapes(bytes) }
        if marks.contains(.bracket) { bytes = withoutLostEscapes(bytes) }
        if marks.contains(.high) { bytes = plain(bytes) }
        if marks.contains(.markup) { bytes = HTMLText.plain(bytes) }
        if marks.contains(.star) { bytes = withoutEmphasis(bytes) }
        return bytes
    }

    private static func marks(in line: ArraySlice<UInt8>) -> Marks {
        line.withUnsafeBufferPointer { bytes in
            var marks: Marks = []
            var last: UInt8 = 0
            for byte in bytes {
                switch byte {
                case 0..<0x20, 0x7F: marks.insert(.control)
                case UInt8(ascii: "["): marks.insert(.bracket)
                case UInt8(ascii: "<"), UInt8(ascii: "&"): marks.insert(.markup)
                case UInt8(ascii: "*") where last == byte: marks.insert(.star)
                case 0x80...: marks.insert(.high)
                default: break
                }
                last = byte
            }
            return marks
        }
    }

    // MARK: Terminals

    /// Removes terminal colour codes, including those of the plug-in XcodeColors
    /// (`ESC[fg0,0,255;`), and control characters. A tab is replaced by a space. A backspace
    /// removes the character before it.
    private static func withoutEscapes(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x1B {
                index = endOfEscape(bytes, after: index + 1)
                continue
            }
            if byte >= 0x20, byte != 0x7F { result.append(byte) }
            if byte == 0x09 { result.append(0x20) }
            if byte == 0x08 { _ = result.popLast() }
            index += 1
        }
        return result
    }

    private static func endOfEscape(_ bytes: [UInt8], after start: Int) -> Int {
        var index = start
        guard index < bytes.count else { return index }
        guard bytes[index] == UInt8(ascii: "[") else { return index + 1 }
        index += 1
        let isOfXcode =
            ByteText.starts(bytes, at: index, with: "fg")
            || ByteText.starts(bytes, at: index, with: "bg")
            || ByteText.starts(bytes, at: index, with: ";")
        if isOfXcode {
            while index < bytes.count, bytes[index] != UInt8(ascii: ";") { index += 1 }
        } else {
            while index < bytes.count, !(0x40...0x7E).contains(bytes[index]) { index += 1 }
        }
        return min(index + 1, bytes.count)
    }

    /// Removes colour codes such as `[0;34m` whose escape byte is missing.
    private static func withoutLostEscapes(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "[") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            var end = index + 1
            while end < bytes.count, ByteText.isDigit(bytes[end]) || bytes[end] == 0x3B { end += 1 }
            if end < bytes.count, bytes[end] == UInt8(ascii: "m") {
                for name in lostNames where result.suffix(name.count).elementsEqual(name) {
                    result.removeLast(name.count)
                }
                index = end + 1
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// The texts that tools write in place of the escape byte.
    private static let lostNames = ["^[", "\\e", "\\x1b", "\\x1B", "\\033", "\u{FFFD}", "\u{241B}"]
        .map { Array($0.utf8) }

    // MARK: Writing

    /// Replaces typographic quotes, special spaces and box-drawing characters by plain characters,
    /// and removes invisible characters.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let (count, byte) = replacement(bytes, at: index) {
                if let byte { result.append(byte) }
                index += count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func replacement(_ bytes: [UInt8], at index: Int) -> (Int, UInt8?)? {
        guard bytes[index] >= 0xC2, index + 1 < bytes.count else { return nil }
        if bytes[index] == 0xC2, bytes[index + 1] == 0xA0 { return (2, 0x20) }
        guard index + 2 < bytes.count else { return nil }
        switch (bytes[index], bytes[index + 1], bytes[index + 2]) {
        case (0xE2, 0x80, 0x98), (0xE2, 0x80, 0x99): return (3, UInt8(ascii: "'"))
        case (0xE2, 0x80, 0x9C), (0xE2, 0x80, 0x9D): return (3, UInt8(ascii: "\""))
        case (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xAF), (0xE3, 0x80, 0x80): return (3, 0x20)
        case (0xE2, 0x94, 0x82...0x83), (0xE2, 0x95, 0x91): return (3, UInt8(ascii: "|"))
        case (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9): return (3, 0x0A)
        case (0xE2, 0x80, 0x8B...0x8F), (0xE2, 0x81, 0xA0), (0xEF, 0xBB, 0xBF): return (3, nil)
        default: return nil
        }
    }

    /// Removes Markdown's `**`, which does not occur in SQL statements.
    private static func withoutEmphasis(_ bytes: [UInt8]) -> [UInt8] {
        guard ByteText.find("CoreData", in: bytes) != nil else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if ByteText.starts(bytes, at: index, with: "**") {
                index += 2
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
