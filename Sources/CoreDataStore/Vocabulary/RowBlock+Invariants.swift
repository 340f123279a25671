import CRowFormat

// What a block of rows promises, looked at as a whole.
extension RowBlock {
    /// How many bytes there are for rows, the block's header included: where the cells of each row
    /// are noted stands right behind them.
    var room: Int {
        UnsafeRawPointer(bytes).distance(to: UnsafeRawPointer(offsets))
    }

    /// The first promise that is broken, or nil. Looks at every row; called by whoever fills the
    /// block, or when nobody fills it any more.
    package func brokenInvariant() -> String? {
        if bytes.load(as: UnsafeMutableRawPointer.self) != address {
            return "The block does not begin with its own address."
        }
        for index in 0..<count {
            if let broken = brokenRow(index) { return broken }
            if index > 0, offsets[index] <= offsets[index - 1] {
                return "Row \(index) does not come behind the one before it."
            }
        }
        return nil
    }

    /// What is wrong with where a row stands.
    func brokenRow(_ index: Int) -> String? {
        let offset = Int(offsets[index])
        if offset % FAULTLINE_WORD_SIZE != 0 { return "Row \(index) does not begin with a word." }
        // The first null word and the header are in front of the cells.
        let inFront = FAULTLINE_BLOCK_HEADER_SIZE - FAULTLINE_ROW_FIRST_NULL_WORD
        if offset < inFront || offset > room { return "Row \(index) lies outside of the block." }
        let distance = (bytes + offset + FAULTLINE_ROW_DISTANCE).load(as: UInt16.self)
        if Int(distance) * FAULTLINE_WORD_SIZE != offset {
            return "Row \(index) does not lead back to its block."
        }
        return nil
    }
}
