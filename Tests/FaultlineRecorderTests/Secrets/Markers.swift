import CoreData
import Foundation
import TestSupport

/// Creates unique values for a program to store. Lists every text form in which a file could
/// contain them.
struct Markers {
    private var random: SeededGenerator
    /// The text forms of the values in lower case, and the kind of each value.
    private(set) var forms: [(kind: String, text: String)] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func note(_ kind: String, _ texts: String...) {
        forms += texts.map { (kind, $0.lowercased()) }
    }

    mutating func text(_ kind: String = "text") -> String {
        let letters = Array("ghijklmnopqrstuvwxyz")
        let drawn = String((0..<12).map { _ in letters[Int.random(in: 0..<20, using: &random)] })
        note(kind, drawn, Data(drawn.utf8).base64EncodedString())
        return drawn.prefix(1).uppercased() + drawn.dropFirst()
    }

    mutating func whole(_ range: ClosedRange<Int>, _ kind: String = "whole number") -> Int {
        let drawn = Int.random(in: range, using: &random)
        note(kind, "\(drawn)")
        return drawn
    }

    mutating func double() -> Double {
        let drawn = Double(Int.random(in: 1_000_001...9_999_999, using: &random)) / 1024
        note("double", "\(drawn)", String("\(drawn)".prefix(9)))
        return drawn
    }

    mutating func decimal() -> NSDecimalNumber {
        let digits = Int.random(in: 10_000_001...99_999_999, using: &random)
        let drawn = NSDecimalNumber(
            mantissa: UInt64(digits), exponent: -2, isNegative: false)
        note("decimal", "\(digits)", drawn.description)
        return drawn
    }

    /// A random date. A file must not even contain its seconds.
    mutating func date() -> Date {
        let seconds = Int.random(in: 100_000_000...700_000_000, using: &random)
        let drawn = Date(timeIntervalSinceReferenceDate: Double(seconds))
        let printed = ISO8601DateFormatter().string(from: drawn)
        note("date", "\(seconds)", "\(Int(drawn.timeIntervalSince1970))", printed)
        note("date", "\(drawn)".replacingOccurrences(of: " +0000", with: ""))
        return drawn
    }

    mutating func uuid() -> UUID {
        let words = (random.next(), random.next())
        let drawn = withUnsafeBytes(of: words) { UUID(uuid: $0.load(as: uuid_t.self)) }
        let digits = drawn.uuidString.replacingOccurrences(of: "-", with: "")
        note("uuid", drawn.uuidString, digits, String(drawn.uuidString.prefix(13)))
        return drawn
    }

    mutating func url() -> URL {
        URL(string: "https://\(text("uri").lowercased()).example/a") ?? URL(fileURLWithPath: "/")
    }

    mutating func data(_ count: Int = 24) -> Data {
        let drawn = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        let start = drawn.prefix(12)
        note("bytes", start.base64EncodedString())
        note("bytes", start.map { String(format: "%02x", $0) }.joined())
        return drawn
    }

    /// The forms that a text contains; empty for a text without secrets.
    func found(in text: String) -> [String] {
        text.lowercased().withCString { text in
            forms.filter { Self.shows(text, $0.text) }.map { "\($0.kind) \($0.text)" }
        }
    }

    /// Whether a text contains a form. A longer number that replaces a value can contain the same
    /// digits. A number therefore counts only if no other digit is next to it.
    private static func shows(_ text: UnsafePointer<CChar>, _ form: String) -> Bool {
        let isNumber = form.utf8.allSatisfy(isDigit)
        let length = form.utf8.count
        var start = 0
        while let found = strstr(text + start, form) {
            let place = UnsafePointer(found) - text
            let before = place > 0 && isDigit(UInt8(bitPattern: text[place - 1]))
            let behind = isDigit(UInt8(bitPattern: text[place + length]))
            if !isNumber || !before && !behind { return true }
            start = place + 1
        }
        return false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
