import CRowFormat

/// Reads the words of a row in inlined code; see `RowFormat`.
@usableFromInline
package enum RowWords {
    @inlinable @inline(__always)
    package static func isNull(_ cells: UnsafeRawPointer, _ slot: Int) -> Bool {
        let slot = Int64(slot)
        let word = cells.load(
            fromByteOffset: Int(faultline_null_word_offset(slot)), as: UInt64.self)
        return word & faultline_null_mask(slot) != 0
    }

    @inlinable @inline(__always)
    package static func word(_ cells: UnsafeRawPointer, _ slot: Int) -> UInt64 {
        cells.load(fromByteOffset: slot &* FAULTLINE_WORD_SIZE, as: UInt64.self)
    }

    @inlinable @inline(__always)
    package static func bytes(_ cells: UnsafeRawPointer, _ slot: Int) -> UnsafeBufferPointer<UInt8>
    {
        let word = word(cells, slot)
        let start = (cells + Int(faultline_bytes_offset(word))).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: Int(faultline_bytes_count(word)))
    }
}
