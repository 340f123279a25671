extension LoneRows {
    /// The first broken invariant, or nil.
    ///
    /// Called on the context's queue. Does not check the open block, which the lock of the rows'
    /// owner guards.
    package func brokenInvariant() -> String? {
        if used > room { return "The newest block is filled beyond its capacity." }
        if count > capacity { return "The newest block has more rows than its capacity." }
        guard let cells else { return nil }
        guard let held else { return "A row was read, but its block is not held." }
        if RowFormat.block(cells).toOpaque() != held.toOpaque() {
            return "A row was read that is not in the held block."
        }
        return nil
    }
}
