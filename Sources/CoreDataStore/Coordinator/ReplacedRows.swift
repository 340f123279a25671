/// Which rows saves have replaced or removed lately, and when.
///
/// A read that began before a save may bring a row as it was before. Where the row cache has the
/// newer one their versions tell; this tells where nobody has held the newer one since.
///
/// Owned by a row cache, whose lock guards it.
///
/// Promise: `generation` is never less than the change count that a read may have begun with, and
/// each row that was replaced or removed since `floor` is there with a later one.
final class ReplacedRows {
    /// The change count when the last change began; it is reached when that has ended.
    private(set) var generation: UInt64
    /// Of reads that began before, nothing is known.
    private var floor: UInt64
    /// By root: for the key of a row, the generation of its last change as an address.
    private let tables: UnsafeMutablePointer<KeyTable>
    private let rootCount: Int
    private var count = 0
    /// How many rows are remembered: a few megabytes, and more than are written during a read.
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

    /// A row is replaced or removed by the change that has begun.
    func note(_ key: Int64, _ root: Int) {
        if count == Self.most { forget() }
        let stamp = UnsafeMutableRawPointer(bitPattern: UInt(generation))
        // Safe: no generation is 0.
        if tables[root].update(key, stamp.unsafelyUnwrapped) == nil { count += 1 }
    }

    /// Any row may have been replaced.
    func forget() {
        floor = generation
        for index in 0..<rootCount where tables[index].count > 0 { tables[index] = KeyTable() }
        count = 0
    }

    /// Whether a read that began at a generation may bring a row as it was before its last change.
    @inline(__always)
    func isOld(_ key: Int64, _ root: Int, readAt began: UInt64) -> Bool {
        if began >= generation { return false }
        if began < floor { return true }
        guard let stamp = tables[root][key] else { return false }
        return UInt64(UInt(bitPattern: stamp)) > began
    }
}
