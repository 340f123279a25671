/// Records which rows were replaced or removed by recent saves, and when.
///
/// A read that began before a save may return an old row. If the newer row is in the row cache,
/// comparing the versions detects the old row. This table detects the old row if the newer one is
/// no longer in the cache.
///
/// Owned by a row cache, whose lock guards it.
///
/// Invariant: `generation` is never less than the change count at which a read may have begun, and
/// each row that was replaced or removed since `floor` is recorded with a later change count.
final class ReplacedRows {
    /// During a change, the row cache's change count at the end of the change. Otherwise, the
    /// change count at the end of the last change.
    private(set) var generation: UInt64
    /// The minimum change count of a read that can be checked.
    private var floor: UInt64
    /// The change count of each row's last change, for each root entity. The number is stored as a
    /// pointer.
    private let tables: UnsafeMutablePointer<KeyTable>
    private let rootCount: Int
    private var count = 0
    /// The maximum number of recorded rows. They take a few megabytes, and are more rows than other
    /// threads usually write during one read.
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

    /// Begins a change.
    func begin() { generation += 1 }

    /// Records that the current change replaces or removes a row.
    func note(_ key: Int64, _ root: Int) {
        if count == Self.most { forget() }
        let stamp = UnsafeMutableRawPointer(bitPattern: UInt(generation))
        // Safe: no change count is 0.
        if tables[root].update(key, stamp.unsafelyUnwrapped) == nil { count += 1 }
    }

    /// Removes all recorded rows. Every row then counts as replaced for reads that began earlier.
    func forget() {
        floor = generation
        for index in 0..<rootCount where tables[index].count > 0 { tables[index] = KeyTable() }
        count = 0
    }

    /// Whether a read that began at the given change count may return a row from before its last
    /// change.
    @inline(__always)
    func isOld(_ key: Int64, _ root: Int, readAt began: UInt64) -> Bool {
        if began >= generation { return false }
        if began < floor { return true }
        guard let stamp = tables[root][key] else { return false }
        return UInt64(UInt(bitPattern: stamp)) > began
    }
}
