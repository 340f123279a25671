/// Records which rows were replaced or removed by recent saves, and when.
///
/// A read that began before a save may return an old row. If the newer row is in the row cache,
/// comparing the versions detects this. This table detects it if the newer row is no longer in the
/// cache.
///
/// Owned by a row cache, whose lock guards it.
///
/// Invariant: `generation` is never less than the change count at which a read may have begun, and
/// each row that was replaced or removed since `floor` is recorded with a later one.
final class ReplacedRows {
    /// The row cache's change count at the end of the current change. Between changes, the count at
    /// the end of the last change.
    private(set) var generation: UInt64
    /// Reads that began before this count cannot be checked.
    private var floor: UInt64
    /// For each root entity, the generation of each row's last change, stored as a pointer.
    private let tables: UnsafeMutablePointer<KeyTable>
    private let rootCount: Int
    private var count = 0
    /// The maximum number of recorded rows: a few megabytes, and more than are written during a
    /// read.
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
        // Safe: no generation is 0.
        if tables[root].update(key, stamp.unsafelyUnwrapped) == nil { count += 1 }
    }

    /// Forgets all rows; from now on, any row counts as replaced for reads that began earlier.
    func forget() {
        floor = generation
        for index in 0..<rootCount where tables[index].count > 0 { tables[index] = KeyTable() }
        count = 0
    }

    /// Whether a read that began at a generation may return the row as it was before its last
    /// change.
    @inline(__always)
    func isOld(_ key: Int64, _ root: Int, readAt began: UInt64) -> Bool {
        if began >= generation { return false }
        if began < floor { return true }
        guard let stamp = tables[root][key] else { return false }
        return UInt64(UInt(bitPattern: stamp)) > began
    }
}
