import CRowFormat

/// The words of a row, for inlined code; see `RowFormat`.
@usableFromInline
enum RowWords {
    /// Where the null bit of a slot is: the offset of its word from the cells.
    @inlinable @inline(__always)
    static func nullBit(_ slot: Int) -> (offset: Int, mask: UInt64) {
        let place = slot &+ FAULTLINE_ROW_ENTITY_BITS
        // A power of two, so that neither is a division.
        let word = UInt(bitPattern: place) / UInt(FAULTLINE_WORD_BITS)
        let bit = UInt64(truncatingIfNeeded: place) & UInt64(FAULTLINE_WORD_BITS - 1)
        let offset =
            FAULTLINE_ROW_FIRST_NULL_WORD &- FAULTLINE_WORD_SIZE &* Int(bitPattern: word)
        return (offset, 1 &<< bit)
    }

    @inlinable @inline(__always)
    static func isNull(_ cells: UnsafeRawPointer, _ slot: Int) -> Bool {
        let bit = nullBit(slot)
        return cells.load(fromByteOffset: bit.offset, as: UInt64.self) & bit.mask != 0
    }

    @inlinable @inline(__always)
    static func word(_ cells: UnsafeRawPointer, _ slot: Int) -> UInt64 {
        cells.load(fromByteOffset: slot &* FAULTLINE_WORD_SIZE, as: UInt64.self)
    }

    @inlinable @inline(__always)
    static func bytes(_ cells: UnsafeRawPointer, _ slot: Int) -> UnsafeBufferPointer<UInt8> {
        let word = word(cells, slot)
        let offset = word & (1 &<< UInt64(FAULTLINE_BYTES_COUNT_SHIFT) &- 1)
        let start = (cells + Int(truncatingIfNeeded: offset))
            .assumingMemoryBound(to: UInt8.self)
        let count = word &>> UInt64(FAULTLINE_BYTES_COUNT_SHIFT)
        return UnsafeBufferPointer(start: start, count: Int(truncatingIfNeeded: count))
    }
}
