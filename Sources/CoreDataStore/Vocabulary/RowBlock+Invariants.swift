import CRowFormat

extension RowBlock {
    /// The number of bytes for the block's header and its rows. The offsets of the cells follow
    /// them.
    var room: Int {
        UnsafeRawPointer(bytes).distance(to: UnsafeRawPointer(offsets))
    }

    /// The first broken invariant, or nil. Reads every row. Called by the code that fills the
    /// block, or when the block is complete.
    package func brokenInvariant() -> String? {
        if bytes.load(as: UnsafeMutableRawPointer.self) != address {
            return "The block does not begin with its own address."
        }
        for index in 0..<count {
            if let broken = brokenRow(index) { return broken }
            if index > 0, offsets[index] <= offsets[index - 1] {
                return "Row \(index) does not follow the previous one."
            }
        }
        return nil
    }

    /// The error in a row's position; nil if the position is valid.
    func brokenRow(_ index: Int) -> String? {
        let offset = Int(offsets[index])
        if offset % FAULTLINE_WORD_SIZE != 0 {
            return "Row \(index) does not begin at a word boundary."
        }
        // The first null word and the header precede the cells.
        let inFront = FAULTLINE_BLOCK_HEADER_SIZE - FAULTLINE_ROW_FIRST_NULL_WORD
        if offset < inFront || offset > room { return "Row \(index) lies outside of the block." }
        let distance = (bytes + offset + FAULTLINE_ROW_DISTANCE).load(as: UInt16.self)
        if Int(distance) * FAULTLINE_WORD_SIZE != offset {
            return "Row \(index) does not refer to its block."
        }
        return nil
    }
}
