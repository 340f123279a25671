import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// A fast path that reads the rows of one context's faults.
///
/// It serves single faults in contexts without listeners, on the context's queue, and belongs to
/// the context's registry. With it, firing a fault takes little longer than its SELECT. Through the
/// context, its source and the coordinator, it would take twice as long, and threads would contend
/// for reference counts.
final class FaultRoute {
    /// Refers to a store for one context. Each context counts references to its own reader, so
    /// threads do not contend for the store's reference count.
    private final class Reader {
        let store: any StoreReading

        init(_ store: any StoreReading) { self.store = store }
    }

    private let source: any CachedRowReading
    private let rowCache: RowCache
    let rows: LoneRows
    private let faultPoints: FaultPoints
    /// The retained readers, by the layout index of the entity. Nil if no fault has used the reader
    /// since `stamp` was set.
    @exclusivity(unchecked) private var readers: ContiguousArray<Unmanaged<Reader>?>
    /// The generation of the row cache at which the readers were looked up. Removing a store
    /// increments the generation.
    @exclusivity(unchecked) private var stamp: UInt64 = 0

    /// - Parameter source: the context's coordinator, or the generation to which the context is
    ///   pinned.
    init(_ source: any CachedRowReading, _ faultPoints: FaultPoints) {
        self.source = source
        self.faultPoints = faultPoints
        rowCache = source.rowCache
        rows = LoneRows(owner: rowCache)
        readers = ContiguousArray(repeating: nil, count: source.modelLayout.entities.count)
    }

    deinit { forgetReaders(stamp) }

    /// Whether the row cache contains no newer version of the row: no context has saved since the
    /// row was read, or saves have changed only other rows.
    @inline(__always)
    func hasNothingNewer(than cells: UnsafeRawPointer) -> Bool {
        RowFormat.block(cells)._withUnsafeGuaranteedRef {
            $0.generation == rowCache.generation || rowCache.holds(cells, in: $0)
        }
    }

    /// The newest row of an object, with a retained reference to the row's block. A cached row of
    /// any age is accepted. Runs at most one SELECT.
    ///
    /// - Returns: nil if the row does not exist, or if the fast path cannot be used. It cannot be
    ///   used if a fault-point handler is set or a custom store is open.
    func cells(_ key: ObjectKey) throws(CoreDataError) -> UnsafeRawPointer? {
        guard faultPoints.handler == nil, !StoreClasses.areOpen else { return nil }
        if let cached = rowCache.cells(key, else: rows) { return cached }
        defer { rows.dropRow() }
        let generation = rowCache.generation
        if stamp != generation { forgetReaders(generation) }
        if readers[Int(key.entity)] == nil { try findReader(Int(key.entity)) }
        try readers[Int(key.entity)]?.lend { reader throws(CoreDataError) in
            try reader.store.readRow(key, generation: generation, into: rows)
        }
        rowCache.insert(rows)
        return rows.takeCells()
    }

    /// The newest cached row, with a retained reference to the row's block.
    func newestCachedRow(_ key: ObjectKey) -> UnsafeRawPointer? { rowCache.cells(key) }

    private func forgetReaders(_ generation: UInt64) {
        for index in readers.indices {
            readers[index]?.release()
            readers[index] = nil
        }
        stamp = generation
    }

    private func findReader(_ entity: Int) throws(CoreDataError) {
        readers[entity] = .passRetained(
            Reader(try source.reader(for: source.modelLayout[entity])))
    }
}

/// Reads the rows of faults on the fast path, without access to their context.
extension ObjectRegistry {
    /// Whether an attached row may be used without further checks, because no context has saved a
    /// newer row.
    func takesAsItIs(_ cells: UnsafeRawPointer) -> Bool {
        guard acceptsAnyAge, !trace.isOn else { return false }
        return faultRoute?.lend { $0.hasNothingNewer(than: cells) } ?? false
    }

    /// The newest row in the context's row cache, with a retained reference to the row's block.
    func newestCachedRow(_ key: ObjectKey) -> UnsafeRawPointer? {
        faultRoute?.lend { $0.newestCachedRow(key) } ?? nil
    }

    /// The row of a fault that has no attached row, with a retained reference to the row's block.
    /// Nil if the row does not exist, or if the fast path cannot be used.
    @inline(__always)
    func rowAtOnce(_ key: ObjectKey) throws(CoreDataError) -> UnsafeRawPointer? {
        guard acceptsAnyAge, !trace.isOn else { return nil }
        return try faultRoute?.lend { route throws(CoreDataError) in try route.cells(key) } ?? nil
    }
}
