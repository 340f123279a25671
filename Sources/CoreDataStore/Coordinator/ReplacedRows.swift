/// Records which rows recent saves have replaced or removed, and when.
///
/// A read that began before a save may return an old row. If the row cache has the newer row, a
/// comparison of the versions shows this. Otherwise this table does.
///
/// Owned by a row cache, whose lock guards it.
///
/// Invariant: `generation` is never less than the change count at which a read may have begun. Each
/// row that was replaced or removed since `floor` is recorded with a later change count.
final class ReplacedRows {
    /// The row cache's change count after the last change. While a change runs, the count that the
    /// cache will have at its end.
    private(set) var generation: UInt64
    /// Reads that began at a lower change count cannot be checked, so their rows count as old.
    private var floor: UInt64
    /// For each root entity, the change count at each row's last change, stored as a pointer.
    private let tables: UnsafeMutablePointer<KeyTable>
    private let rootCount: Int
    private var count = 0
    /// The maximum number of recorded rows. They take a few megabytes. Other threads usually write
    /// fewer rows during one read.
    private static let most = 1 << 16

    init(roots: Int, generation: UInt64) {
        self.generation = generation
        floor = generation
        rootCount = roots
        tables = .allocate(capacity: roots)
        for index in 0..<roots { (tables + index).initialize(to: KeyTable()) }
    }

    deinit {
        tables.deinitialize(count: rootCount)
        tables.deallocate()
    }

    func begin() { generation += 1 }

    /// Records that the current change replaces or removes a row.
    func note(_ key: Int64, _ root: Int) {
        if count == Self.most { forget() }
        let stamp = UnsafeMutableRawPointer(bitPattern: UInt(generation))
        // Safe: no change count is 0.
        if tables[root].update(key, stamp.unsafelyUnwrapped) == nil { count += 1 }
    }

    /// Removes all recorded rows. Reads that began earlier can then no longer be checked.
    func forget() {
        floor = generation
        for index in 0..<rootCount where tables[index].count > 0 { tables[index] = KeyTable() }
        count = 0
    }

    /// Whether a read that began at the given change count may return an outdated row.
    @inline(__always)
    func isOld(_ key: Int64, _ root: Int, readAt began: UInt64) -> Bool {
        if began >= generation { return false }
        if began < floor { return true }
        guard let stamp = tables[root][key] else { return false }
        return UInt64(UInt(bitPattern: stamp)) > began
    }
}
