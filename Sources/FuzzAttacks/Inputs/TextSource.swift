/// Generates inputs by changing words, lines and nesting of seed texts.
///
/// The generator has no grammar. It combines tokens of the seeds and of a dictionary, so a lexer
/// accepts most results.
struct TextSource: FuzzSource {
    /// The maximum length of an input. Longer inputs are cut. Readers with quadratic cost would
    /// otherwise seem to hang.
    private static let bytesMax = 24 << 10

    let seeds: [[UInt8]]
    let words: [[UInt8]]

    init(_ seeds: [String], words: [String]) {
        self.seeds = seeds.map { Array($0.utf8) }
        self.words = words.map { Array($0.utf8) } + Self.oddities
    }

    /// Text and bytes that are valid or nearly valid in most positions. Parsers often handle them
    /// wrongly.
    private static let oddities: [[UInt8]] =
        [
            "\0", "\r\n", "\u{FEFF}", "\u{200B}", "\u{202E}", "e\u{301}",
            "\u{1F468}\u{200D}\u{1F469}",
            "\u{FDFA}", "İ", "ß", "\u{2028}", "\t", "%", "\\", "\"", "'", "-", "~",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]]

    private static let numbers = [
        "0", "-1", "-0", "1e308", "1e-400", "1e999", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "18446744073709551616", "2147483648",
        "0x7fffffffffffffff", "nan", "inf", "00012", "1.", ".5", "1e", "65536", "32768",
        "99999999999999999999999999999999999999999999",
    ].map { Array($0.utf8) }

    var plain: [UInt8] { seeds[0] }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        var text = random.pick(seeds)
        for _ in 0...random.small(random.oneIn(4) ? 10 : 3) { edit(&text, &random) }
        if text.count > Self.bytesMax { text.removeSubrange(Self.bytesMax...) }
        return text
    }

    private func edit(_ text: inout [UInt8], _ random: inout FuzzRandom) {
        guard !text.isEmpty else { return text += random.pick(words) }
        switch random.below(16) {
        case 0: text.removeSubrange(Self.token(of: text, &random))
        case 1:
            let token = Array(text[Self.token(of: text, &random)])
            text.insert(contentsOf: token, at: Self.token(of: text, &random).lowerBound)
        case 2: swapTokens(&text, &random)
        case 3, 4: text.replaceSubrange(Self.token(of: text, &random), with: random.pick(words))
        case 5, 6:
            text.insert(
                contentsOf: random.pick(words), at: Self.token(of: text, &random).upperBound)
        case 7, 8: splice(&text, &random)
        case 9: nest(&text, &random)
        case 10: changeNumber(&text, &random)
        case 11: changeLines(&text, &random)
        case 12: repeatPart(&text, &random)
        case 13: random.oneIn(4) ? endLinesWithCRLF(&text) : ByteEdits.apply(&text, &random)
        case 14: swapQuoted(&text, &random)
        default: ByteEdits.apply(&text, &random)
        }
    }

    // MARK: Tokens

    private static func kind(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...: 0
        case 0x20, 0x09: 1
        default: 2
        }
    }

    private static func token(of text: [UInt8], _ random: inout FuzzRandom) -> Range<Int> {
        guard !text.isEmpty else { return 0..<0 }
        let place = random.below(text.count)
        let kind = kind(text[place])
        guard kind != 2 else { return place..<place + 1 }
        var (start, end) = (place, place + 1)
        while start > 0, Self.kind(text[start - 1]) == kind { start -= 1 }
        while end < text.count, Self.kind(text[end]) == kind { end += 1 }
        return start..<end
    }

    private func swapTokens(_ text: inout [UInt8], _ random: inout FuzzRandom) {
        let one = Self.token(of: text, &random)
        let other = Self.token(of: text, &random)
        guard !one.overlaps(other) else { return }
        let (first, second) = one.lowerBound < other.lowerBound ? (one, other) : (other, one)
        let parts = (Array(text[first]), Array(text[second]))
        text.replaceSubrange(second, with: parts.0)
        text.replaceSubrange(first, with: parts.1)
    }

    private func splice(_ text: inout [UInt8], _ random: inout FuzzRandom) {
        let other = random.pick(seeds)
        guard !other.isEmpty else { return }
        let from = Self.token(of: other, &random).lowerBound
        let part = other[from..<min(other.count, from + 1 + random.small(80))]
        let start = Self.token(of: text, &random).lowerBound
        let end = random.oneIn(2) ? start : min(text.count, start + random.small(40))
        text.replaceSubrange(start..<end, with: part)
    }

    private func changeNumber(_ text: inout [UInt8], _ random: inout FuzzRandom) {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        let from = random.below(text.count)
        let start = text[from...].firstIndex(where: isDigit) ?? text.firstIndex(where: isDigit)
        guard let start else { return text += random.pick(Self.numbers) }
        var end = start
        while end < text.count, isDigit(text[end]) { end += 1 }
        text.replaceSubrange(start..<end, with: random.pick(Self.numbers))
    }

    private func swapQuoted(_ text: inout [UInt8], _ random: inout FuzzRandom) {
        let quote: UInt8 = random.oneIn(2) ? 0x22 : 0x27
        let from = random.below(text.count)
        guard let start = text[from...].firstIndex(of: quote),
            let end = text[(start + 1)...].firstIndex(of: quote)
        else { return }
        let value = random.oneIn(3) ? random.pick(Self.numbers) : random.pick(words)
        text.replaceSubrange(start + 1..<end, with: value)
    }

    // MARK: Nesting, lines

    private static let pairs: [([UInt8], [UInt8])] = [
        ("(", ")"), ("{", "}"), ("[", "]"), ("NOT (", ")"), ("<a>", "</a>"), ("- ", ""),
        ("\"", "\""), ("<!--", "-->"), ("{a: ", "}"), ("-", ""),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

    /// Puts brackets around a part of the text, sometimes thousands of them.
    private func nest(_ text: inout [UInt8], _ random: inout FuzzRandom) {
        let (open, close) = random.pick(Self.pairs)
        let depth = random.oneIn(8) ? 1 + random.below(3_000) : 1 + random.small(70)
        let start = Self.token(of: text, &random).lowerBound
        let end = min(text.count, start + random.small(60))
        text.insert(contentsOf: repeatElement(close, count: depth).joined(), at: end)
        text.insert(contentsOf: repeatElement(open, count: depth).joined(), at: start)
    }

    private func repeatPart(_ text: inout [UInt8], _ random: inout FuzzRandom) {
        let part = Array(text[random.range(in: text.count)])
        let count = random.oneIn(8) ? 1 + random.below(600) : 1 + random.below(8)
        text.insert(
            contentsOf: repeatElement(part, count: count).joined(),
            at: random.place(in: text.count))
    }

    private func changeLines(_ text: inout [UInt8], _ random: inout FuzzRandom) {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let place = random.below(lines.count)
        switch random.below(5) {
        case 0: lines.remove(at: place)
        case 1: lines.insert(lines[place], at: random.place(in: lines.count))
        case 2: lines.swapAt(place, random.below(lines.count))
        case 3: lines[place].insert(contentsOf: [0x20, 0x20], at: 0)
        default: if lines[place].first == 0x20 { lines[place].removeFirst() }
        }
        text = Array(lines.joined(separator: [0x0A]))
    }

    private func endLinesWithCRLF(_ text: inout [UInt8]) {
        text = text.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    }
}
