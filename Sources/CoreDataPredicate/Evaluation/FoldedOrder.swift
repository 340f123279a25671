import Foundation

/// Compares strings without the differences of case, of diacritics, or of both, in memory and as a
/// collation of stores.
///
/// The strings are folded and decomposed, and compared by code points, like Foundation's
/// `compare(_:options:)`. Unlike Foundation's, this order is transitive, which sorting needs.
struct FoldedOrder {
    private let options: String.CompareOptions
    private let ignoresCase: Bool

    init(ignoringCase: Bool, marks: Bool) {
        ignoresCase = ignoringCase
        options = String.CompareOptions(ignoringCase: ignoringCase, marks: marks)
    }

    func compare(_ left: String, _ right: String) -> ComparisonResult {
        var (left, right) = (left, right)
        let known = left.withUTF8 { left in
            right.withUTF8 { right in order(ofASCII: left, right) }
        }
        return known ?? StringOrder.binary(form(left), form(right))
    }

    /// The order of the strings if their ASCII prefixes determine it, as they usually do; otherwise
    /// nil. Also nil if a non-ASCII character follows an equal prefix, because it may be a
    /// combining mark.
    private func order(
        ofASCII left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult? {
        var place = 0
        while place < left.count, place < right.count {
            let first = folded(left[place]), second = folded(right[place])
            if first >= 0x80 || second >= 0x80 { return nil }
            if first != second {
                return first < second ? .orderedAscending : .orderedDescending
            }
            place += 1
        }
        if left.count == right.count { return .orderedSame }
        let next = place < left.count ? left[place] : right[place]
        if next >= 0x80 { return nil }
        return left.count < right.count ? .orderedAscending : .orderedDescending
    }

    private func folded(_ byte: UInt8) -> UInt8 {
        let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        return ignoresCase && isCapital ? byte | 0x20 : byte
    }

    private func form(_ text: String) -> String {
        text.folding(options: options, locale: nil).decomposedStringWithCanonicalMapping
    }
}

extension String.CompareOptions {
    init(ignoringCase: Bool, marks: Bool) {
        self = []
        if ignoringCase { insert(.caseInsensitive) }
        if marks { insert(.diacriticInsensitive) }
    }
}
