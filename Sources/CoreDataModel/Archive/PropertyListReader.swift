import Foundation

/// Reads property lists from untrusted or damaged files, such as version information of models and
/// metadata of stores.
///
/// Foundation's reader ends the process at a binary list that contains itself. It also ends the
/// process if lists are nested so deeply that the stack overflows. This reader rejects both.
package enum PropertyListReader {
    /// The maximum nesting of lists.
    static let depthMax = 64

    /// The value of a list in any of the three forms, or nil if the bytes are not a list.
    ///
    /// Takes time and memory in proportion to the bytes.
    package static func read(_ data: Data) -> Any? {
        if data.starts(with: Array("bplist".utf8)) {
            return BinaryPropertyListReader.read(data, depthMax: depthMax).flatMap(value)
        }
        guard isFlatEnough(data) else { return nil }
        return try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    }

    private static func value(_ value: ArchiveValue) -> Any? {
        switch value {
        case .boolean(let flag): return flag
        case .integer(let number): return Int(number)
        case .real(let number): return number
        case .data(let data): return data
        case .date(let date): return date
        case .string(let text): return text
        case .reference: return nil
        case .array(let elements):
            let values = elements.compactMap(Self.value)
            return values.count == elements.count ? values : nil
        case .dictionary(let pairs):
            var values: [String: Any] = [:]
            for (key, element) in pairs {
                guard let value = Self.value(element) else { return nil }
                values[key] = value
            }
            return values
        }
    }

    /// Whether the lists in a text are not nested too deeply.
    ///
    /// Counts brackets without parsing the text, so brackets in comments and quotes count, too.
    private static func isFlatEnough(_ data: Data) -> Bool {
        let start = data.prefix { $0 == 0x20 || (0x09...0x0D).contains($0) || $0 >= 0x80 }.count
        let isXML = data.dropFirst(start).starts(with: "<".utf8)
        var (depth, previous) = (0, UInt8(0))
        for byte in data {
            depth = max(0, depth + (isXML ? step(byte, previous) : step(byte)))
            if depth > depthMax * 4 { return false }
            previous = byte
        }
        return true
    }

    /// The change of the nesting depth by a byte of an old-style property list.
    private static func step(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("): 1
        case UInt8(ascii: "}"), UInt8(ascii: ")"): -1
        default: 0
        }
    }

    /// The change of the nesting depth by a byte of an XML property list. Each `<` opens a level.
    /// `</` ends the tag and its element, so it closes two levels. `/>`, `?>` and `->` close one
    /// level.
    private static func step(_ byte: UInt8, _ previous: UInt8) -> Int {
        switch (previous, byte) {
        case (UInt8(ascii: "<"), UInt8(ascii: "/")): -2
        case (UInt8(ascii: "/"), UInt8(ascii: ">")), (UInt8(ascii: "?"), UInt8(ascii: ">")),
            (UInt8(ascii: "-"), UInt8(ascii: ">")):
            -1
        case (_, UInt8(ascii: "<")): 1
        default: 0
        }
    }
}
