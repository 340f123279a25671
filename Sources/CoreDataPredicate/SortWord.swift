import Foundation

/// The beginning of a sort value as one integer. If two values have the same kind and unequal
/// words, the order of the words is that of the values.
///
/// If the words are equal, or of different kinds, the values must be compared. ``SortOrder`` has
/// one word for each object.
package struct SortWord: Sendable {
    /// Values of two kinds are compared directly: they may have no order.
    private enum Kind: UInt8 {
        case unknown, integer, double, date, string
    }

    private let kind: Kind
    private let bits: UInt64

    /// The word of a value that must always be compared itself.
    package static let unknown = SortWord(.unknown, 0)

    private init(_ kind: Kind, _ bits: UInt64) {
        self.kind = kind
        self.bits = bits
    }

    /// The word of a value, in the direction of the descriptor that orders it.
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

    /// Positive numbers sort above negative ones; the magnitudes of negative numbers sort in
    /// reverse.
    private static func bits(of number: Double) -> UInt64 {
        let bits = (number == 0 ? 0 : number).bitPattern  // -0.0 equals 0.0
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// The first eight bytes, the first one most significant. The zeros after a shorter text sort
    /// before, or equal, every byte of a longer text.
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
