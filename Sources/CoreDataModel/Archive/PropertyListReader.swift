import Foundation

/// Reads property lists that somebody else may have written or damaged.
///
/// Foundation's reader ends the process at a binary list that contains itself, and at lists nested
/// so deeply that the stack does not reach; here they are no lists. Called for everything that
/// stands in a file: versions of models, metadata of stores.
package enum PropertyListReader {
    /// Deeper lists are refused.
    static let depthMax = 64

    /// The value of a list in any of the three forms, or nil where the bytes are none.
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

    /// Whether a text opens no more lists than may be nested.
    ///
    /// Counts without reading: what stands in comments and in quotes counts too.
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

    /// What a byte of an old list adds to the depth.
    private static func step(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("): 1
        case UInt8(ascii: "}"), UInt8(ascii: ")"): -1
        default: 0
        }
    }

    /// What a byte of XML adds to the depth: a tag opens, `</` closes it and itself, and `/>`,
    /// `?>` and `->` close themselves.
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
