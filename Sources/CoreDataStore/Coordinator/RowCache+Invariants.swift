import Synchronization

extension RowCache {
    /// The first broken invariant, or nil. Reads every row under the cache's lock, which the caller
    /// must not hold.
    package func brokenInvariant() -> String? {
        lock.withLock { _ in brokenTable() }
    }

    private func brokenTable() -> String? {
        for root in 0..<rootCount {
            if let broken = rows[root].brokenInvariant() { return "Rows: \(broken)" }
            if let broken = anchors[root].brokenInvariant() { return "Anchors: \(broken)" }
            var broken: String?
            rows[root].forEachKey { key, cells in
                if broken == nil { broken = brokenRow(UnsafeRawPointer(cells), key, root) }
            }
            anchors[root].forEachKey { key, _ in
                if rows[root][key] == nil {
                    broken = "The row \(key) has an anchor, but is not cached."
                }
            }
            if let broken { return broken }
        }
        return nil
    }

    private func brokenRow(_ cells: UnsafeRawPointer, _ key: Int64, _ root: Int) -> String? {
        if RowFormat.key(cells) != key {
            return "The row of \(RowFormat.key(cells)) is stored under the key \(key)."
        }
        let entity = RowFormat.entity(cells)
        guard roots.indices.contains(entity), roots[entity] == root else {
            return "The row of \(key) is in the table of another root."
        }
        if !RowFormat.isMarked(cells) { return "The row of \(key) is not marked as the newest." }
        let isOwn = RowFormat.block(cells)._withUnsafeGuaranteedRef { $0.isCached(by: self) }
        return isOwn ? nil : "The block of \(key) does not remove itself when it is freed."
    }

    /// Whether the tables contain no rows of a block. Called under the lock.
    func isForgotten(_ block: RowBlock) -> Bool {
        let address = block.address
        for index in 0..<block.count {
            let cells = block.cells(at: index)
            let key = RowFormat.key(cells)
            let root = roots[RowFormat.entity(cells)]
            if anchors[root][key] == address { return false }
            guard let entry = rows[root][key] else { continue }
            if block.span.contains(entry) { return false }
        }
        return true
    }
}
