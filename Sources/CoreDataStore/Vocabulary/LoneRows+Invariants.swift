/// What lone rows promise, looked at as a whole.
extension LoneRows {
    /// The first promise that is broken, or nil.
    ///
    /// Called on the context's queue. Says nothing of the open block, which the lock of the rows'
    /// owner guards.
    package func brokenInvariant() -> String? {
        if used > room { return "The newest block is filled beyond its room." }
        if count > capacity { return "The newest block has more rows than it has room for." }
        guard let cells else { return nil }
        guard let held else { return "A row was read, and nobody holds its block." }
        if RowFormat.block(cells).toOpaque() != held.toOpaque() {
            return "A row was read that is in another block than the one that is held."
        }
        return nil
    }
}
