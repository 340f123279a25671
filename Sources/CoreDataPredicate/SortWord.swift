import Foundation

/// The beginning of a sort value as an integer, such as the first eight bytes of a text. If two
/// words of one kind differ, the values have the order of the words. Otherwise the values must be
/// compared.
package struct SortWord: Sendable {
    /// The kind of a value. Values of different kinds may have no order, so they are compared
    /// directly.
    private enum Kind: UInt8 {
        case unknown, integer, double, date, string
    }

    private let kind: Kind
    private let bits: UInt64

    package static let unknown = SortWord(.unknown, 0)

    private init(_ kind: Kind, _ bits: UInt64) {
        self.kind = kind
        self.bits = bits
    }

    /// The word of a value, inverted for a descending order.
    package init(_ value: Operand, in descriptor: NSSortDescriptor) {
        guard descriptor.customComparator == nil, descriptor.stringOrder == .binary else {
            self = .unknown
            return
        }
        let word = SortWord(ascending: value)
        self.init(word.kind, descriptor.ascending ? word.bits : ~word.bits)
    }

    private init(ascending value: Operand) {
        switch value {
        case .integer(let number):
            self.init(.integer, UInt64(bitPattern: number) ^ (1 << 63))
        case .double(let number) where !number.isNaN: self.init(.double, Self.bits(of: number))
        case .date(let seconds) where !seconds.isNaN: self.init(.date, Self.bits(of: seconds))
        case .string(let text): self.init(.string, Self.bits(of: text))
        default: self = .unknown
        }
    }

    /// The order of two values if their words determine it; otherwise nil.
    @inline(__always)
    package func order(_ other: SortWord) -> ComparisonResult? {
        if kind != other.kind || bits == other.bits { return nil }
        return bits < other.bits ? .orderedAscending : .orderedDescending
    }

    /// Maps a number to an integer with the same order: a positive number gets the sign bit, and
    /// all bits of a negative number are inverted.
    private static func bits(of number: Double) -> UInt64 {
        let bits = (number == 0 ? 0 : number).bitPattern  // -0.0 equals 0.0
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// The first eight bytes, the first one in the most significant position. A shorter text is
    /// padded with zeros.
    private static func bits(of text: String) -> UInt64 {
        var bits: UInt64 = 0
        var shift: UInt64 = 64
        for byte in text.utf8.prefix(8) {
            shift -= 8
            bits |= UInt64(byte) << shift
        }
        return bits
    }
}
