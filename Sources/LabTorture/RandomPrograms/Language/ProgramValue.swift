enum ProgramValue: Hashable, Sendable {
    case text(String)
    case whole(Int)
    case real(Double)
    /// A decimal number in hundredths. SQLite stores it as a double without changing its value.
    case decimal(Int)
    case flag(Bool)
    case date(Double)
    case bytes([UInt8])
    case uuid(UInt8)
    case place(String)

    /// A random value of this type, sometimes an unusual one.
    init(_ form: ProgramAttribute.Form, _ dice: inout Dice) {
        switch form {
        case .text: self = .text(dice.pick(dice.chance(70) ? Self.words : Self.oddWords) ?? "")
        case .whole: self = .whole(dice.pick(Self.numbers) ?? 0)
        case .real: self = .real(dice.pick([0, 0.5, -1.25, 3, 0.1, 1e300, -1e-300]) ?? 0)
        case .decimal: self = .decimal(dice.pick([0, 150, -225, 10_000, 1, 99]) ?? 0)
        case .flag: self = .flag(dice.chance(50))
        case .date: self = .date(dice.pick([0, 1.5, -978_307_200, 700_000_000.125, 1e10]) ?? 0)
        case .bytes: self = .bytes(Array(repeating: 7, count: dice.pick([0, 1, 3, 300]) ?? 0))
        case .uuid: self = .uuid(UInt8(dice.below(3)))
        case .place:
            let places = ["https://a.example/b?c=d#e", "file:///x%20y", "mailto:a@b", "x/y"]
            self = .place(dice.pick(places) ?? "x")
        }
    }

    private static let words = ["a", "b", "ab", "B", "bc", "c"]
    private static let oddWords = [
        "", " a", "\u{E9}", "e\u{301}", "\u{DF}", "a\nb", "\t", "a\r\nb", "\u{1}", "<&>\"'", "]]>",
        "\u{1F600}", "%", "_a", "*", "a\u{0}b", "\u{FFFE}", "\\",
    ]
    private static let numbers = [0, 1, 2, 3, 7, -1, Int(Int32.max), Int(Int32.min)]

    var text: String {
        switch self {
        case .text(let text):
            "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
        case .whole(let number): "\(number)"
        case .real(let number): "\(number)"
        case .decimal(let hundredths): "\(Double(hundredths) / 100)"
        case .flag(let flag): "\(flag)"
        case .date(let seconds): "date \(seconds)"
        case .bytes(let bytes): "\(bytes.count) bytes" + (bytes.allSatisfy { $0 == 7 } ? "" : "!")
        case .uuid(let last): "uuid \(last)"
        case .place(let text): "<\(text)>"
        }
    }

    /// Whether comparisons of the value are unambiguous. They are for numbers, and for texts of
    /// lowercase ASCII letters.
    var isPlain: Bool {
        guard case .text(let text) = self else { return true }
        return !text.isEmpty && text.utf8.allSatisfy { (97...122).contains($0) }
    }

    /// Whether the value is less than another value of the same type; nil if such values have no
    /// order.
    func isLess(than other: ProgramValue) -> Bool? {
        switch (self, other) {
        case (.text(let first), .text(let second)):
            first.utf8.lexicographicallyPrecedes(second.utf8)
        case (.whole(let first), .whole(let second)): first < second
        case (.real(let first), .real(let second)): first < second
        case (.decimal(let first), .decimal(let second)): first < second
        case (.date(let first), .date(let second)): first < second
        case (.flag(let first), .flag(let second)): !first && second
        default: nil
        }
    }

    var number: Double? {
        switch self {
        case .whole(let number): Double(number)
        case .real(let number): number
        case .decimal(let hundredths): Double(hundredths) / 100
        default: nil
        }
    }
}
