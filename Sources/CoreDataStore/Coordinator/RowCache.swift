import CRuntimeShims
import CoreDataModel
import Synchronization

/// Keeps the newest known row of every object that a context of the coordinator uses.
///
/// The cache holds rows weakly: an entry exists as long as other code holds the row's block. A save
/// replaces entries. While an old row is held, the row that replaced it is also kept alive, so that
/// an outdated object finds the newer row. May be used from any thread.
///
/// Invariants: an entry is stored under its row's own key and root entity. Its row is marked. Its
/// block removes the entry when it is freed. An anchor (see `anchors`) refers to an existing row.
@usableFromInline package final class RowCache {
    // Not private, because the invariant checks read this state, and tests damage it on purpose.
    package let lock = Mutex(())
    /// For each root entity, by layout index, a table from primary key to the cells of the row. The
    /// lock guards the tables: a block removes its rows in its `deinit`, on any thread.
    package let rows: UnsafeMutablePointer<KeyTable>
    /// For each row that replaced another one, the block of the replaced row, which is called the
    /// anchor. The new row's block is retained as long as its anchor exists. Indexed like `rows`.
    let anchors: UnsafeMutablePointer<KeyTable>
    let rootCount: Int
    /// The root entity of each entity, by layout index.
    package let roots: ContiguousArray<Int>
    @usableFromInline let changeCount: Atomic<UInt64>
    /// The rows that recent saves replaced. The lock guards them.
    private let replaced: ReplacedRows

    /// - Parameter generation: the initial change count.
    package init(layout: ModelLayout, generation: UInt64 = 1) {
        roots = ContiguousArray(layout.entities.map(\.rootIndex))
        changeCount = Atomic(generation)
        replaced = ReplacedRows(roots: layout.entities.count, generation: generation)
        rootCount = layout.entities.count
        rows = Self.makeTables(rootCount)
        anchors = Self.makeTables(rootCount)
    }

    private static func makeTables(_ count: Int) -> UnsafeMutablePointer<KeyTable> {
        let made = UnsafeMutablePointer<KeyTable>.allocate(capacity: count)
        for index in 0..<count { (made + index).initialize(to: KeyTable()) }
        return made
    }

    deinit {
        for tables in [rows, anchors] {
            tables.deinitialize(count: rootCount)
            tables.deallocate()
        }
    }

    /// A change count, which increases whenever a row that may be in use was replaced or removed.
    @inlinable package var generation: UInt64 { changeCount.load(ordering: .acquiring) }

    /// Whether a row of the block is certainly the newest; if false, only ``row(_:)`` can decide.
    /// Takes no lock and changes no reference count, so a reader never waits for a thread that
    /// saves other rows.
    @inlinable @inline(__always)
    package func holds(_ cells: UnsafeRawPointer, in block: RowBlock) -> Bool {
        block.isCached(by: self) && !block.isShadowed && RowFormat.isMarked(cells)
    }

    package func row(_ key: ObjectKey) -> RowReference? {
        let root = roots[Int(key.entity)]
        return lock.withLock { _ in
            retainedCells(key.key, root).map {
                RowReference(block: RowFormat.block($0).takeRetainedValue(), cells: $0)
            }
        }
    }

    /// The newest known row of an object. Its block is retained for the caller.
    package func cells(_ key: ObjectKey) -> UnsafeRawPointer? {
        let root = roots[Int(key.entity)]
        return lock.withLock { _ in retainedCells(key.key, root) }
    }

    /// Like ``cells(_:)``, but for a caller that reads a missing row itself. If the cache has no
    /// row, the given `LoneRows` retains its open block for this read.
    package func cells(_ key: ObjectKey, else rows: LoneRows) -> UnsafeRawPointer? {
        let root = roots[Int(key.entity)]
        return lock.withLock { _ in
            if let cells = retainedCells(key.key, root) { return cells }
            rows.holdOpenBlock()
            return nil
        }
    }

    /// The newest known row, whose block is retained for the caller. Called under the lock.
    @inline(__always)
    private func retainedCells(_ key: Int64, _ root: Int) -> UnsafeRawPointer? {
        guard let cells = rows[root][key], retain(RowFormat.block(cells)) else { return nil }
        return UnsafeRawPointer(cells)
    }

    /// Stores a row that was just read. It replaces the present row unless a save has stored a
    /// newer one.
    package func insert(_ rows: LoneRows) {
        guard let cells = rows.cells else { return }
        locked { succession in
            let began = RowFormat.block(cells)._withUnsafeGuaranteedRef { $0.generation }
            takeRead(cells, began, &succession)
            rows.leaveOpen()
        }
    }

    package func version(of key: ObjectKey) -> Int32? {
        let root = roots[Int(key.entity)]
        return lock.withLock { _ in rows[root][key.key].map { RowFormat.version($0) } }
    }

    /// Stores rows that were just read. They replace present rows unless a save has stored newer
    /// ones.
    package func insert(_ fetched: FetchedRows) {
        if let first = fetched.blocks.first {
            let root = roots[RowFormat.entity(first.cells(at: 0))]
            lock.withLock { _ in rows[root].reserve(fetched.count) }
        }
        for block in fetched.blocks { insert(block) }
    }

    package func insert(_ block: RowBlock) {
        eachRow(of: block) { cells, succession in
            takeRead(cells, block.generation, &succession)
        }
    }

    /// Stores rows that were read while no other connection could write.
    package func insert(current block: RowBlock) {
        eachRow(of: block) { cells, succession in
            take(cells, &succession, where: Self.isNotNewer)
        }
    }

    private static func isNotNewer(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool {
        RowFormat.version(old) <= RowFormat.version(new)
    }

    /// Stores a row from a read that began at the given change count. A save may have changed the
    /// row since then. If the cache has no row of the object to compare it with, only the reader
    /// receives the row.
    @inline(__always)
    private func takeRead(
        _ cells: UnsafeRawPointer, _ began: UInt64, _ succession: inout Succession
    ) {
        if began < replaced.generation {
            let (key, root) = (RowFormat.key(cells), roots[RowFormat.entity(cells)])
            if rows[root][key] == nil, replaced.isOld(key, root, readAt: began) { return }
        }
        take(cells, &succession, where: Self.isNotNewer)
    }

    /// Stores the rows that a save wrote, and removes those that it deleted.
    package func commit(_ blocks: [RowBlock], deleted: [ObjectKey]) {
        changing {
            for block in blocks { commit(block) }
            remove(deleted)
        }
    }

    private func commit(_ block: RowBlock) {
        eachRow(of: block) { cells, succession in
            // A row of version 1 is new, so no read can have returned an older version.
            if RowFormat.version(cells) != 1 {
                replaced.note(RowFormat.key(cells), roots[RowFormat.entity(cells)])
            }
            take(cells, &succession) { _, _ in true }
        }
    }

    /// Runs the body and then increases the change count, so every context checks its rows again.
    private func changing(_ work: () -> Void) {
        lock.withLock { _ in replaced.begin() }
        work()
        changeCount.add(1, ordering: .acquiringAndReleasing)
    }

    /// Calls the body for each row of a block, under the lock. The block will remove its rows from
    /// the cache when it is freed.
    @inline(__always)
    private func eachRow(
        of block: RowBlock, _ body: (UnsafeRawPointer, inout Succession) -> Void
    ) {
        guard block.count > 0 else { return }
        block.setOwner(self)
        locked { succession in
            var common = RowFormat.version(block.cells(at: 0))
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                if RowFormat.version(cells) != common { common = 0 }
                body(cells, &succession)
            }
            block.commonVersion = common
        }
    }

    /// Stores a row, unless the cache already has a row that must not be replaced by it.
    @inline(__always)
    private func take(
        _ cells: UnsafeRawPointer, _ succession: inout Succession,
        where givesWay: (UnsafeRawPointer, UnsafeRawPointer) -> Bool
    ) {
        let key = RowFormat.key(cells)
        let root = roots[RowFormat.entity(cells)]
        assert(
            RowFormat.block(cells)._withUnsafeGuaranteedRef { $0.isCached(by: self) },
            "the row's block does not remove itself when it is freed")
        let entry = UnsafeMutableRawPointer(mutating: cells)
        guard let old = rows[root].update(key, entry) else {
            RowFormat.mark(cells, true)
            return
        }
        if succession.isKnown(old, RowFormat.version(cells)), anchors[root].count == 0 {
            RowFormat.mark(cells, true)
        } else if givesWay(old, cells) {
            succeed(old, by: cells, root, &succession)
        } else {
            rows[root].update(key, old)
        }
    }

    /// Keeps a new row alive as long as the row that it replaced. If the new row is replaced in
    /// turn, its replacement is also kept alive.
    private func succeed(
        _ old: UnsafeRawPointer, by new: UnsafeRawPointer, _ root: Int,
        _ succession: inout Succession
    ) {
        assert(RowFormat.key(old) == RowFormat.key(new), "the replacing row has another key")
        let oldBlock = RowFormat.block(old)
        let isSameVersion = RowFormat.version(old) == RowFormat.version(new)
        if isSameVersion {
            oldBlock._withUnsafeGuaranteedRef {
                $0.noteShadowed()
                succession.know($0)
            }
        } else {
            RowFormat.mark(old, false)
        }
        RowFormat.mark(new, true)
        assert(
            rows[root][RowFormat.key(new)] == UnsafeMutableRawPointer(mutating: new),
            "the replacing row must be the entry")
        if anchors[root][RowFormat.key(new)] == nil {
            guard !isSameVersion, retain(oldBlock) else { return }
            anchors[root].update(RowFormat.key(new), oldBlock.toOpaque())
        }
        succession.dropped.append(oldBlock)
        _ = RowFormat.block(new).retain()
    }

    /// Removes rows, so that the next access reads them from the store.
    private func remove(_ keys: [ObjectKey]) {
        locked { succession in
            for key in keys {
                let root = roots[Int(key.entity)]
                replaced.note(key.key, root)
                guard let old = rows[root].remove(key.key) else { continue }
                assert(RowFormat.key(old) == key.key, "the replacing row has another key")
                RowFormat.mark(old, false)
                releaseAnchor(old, root, &succession)
            }
        }
    }

    /// Makes every context check its rows again, because a store was removed.
    func noteStores() { changing {} }

    package func invalidate(_ keys: [ObjectKey]) { changing { remove(keys) } }

    package func removeAll() {
        changing {
            locked { succession in
                replaced.forget()
                for index in 0..<rootCount where rows[index].count > 0 {
                    rows[index].forEach {
                        RowFormat.mark($0, false)
                        releaseAnchor($0, index, &succession)
                    }
                    rows[index] = KeyTable()
                    assert(anchors[index].count == 0, "an anchor still holds a row")
                }
            }
        }
    }

    /// Releases the anchor of a row that is no longer in the cache. Called under the lock.
    private func releaseAnchor(
        _ cells: UnsafeRawPointer, _ root: Int, _ succession: inout Succession
    ) {
        guard anchors[root].remove(RowFormat.key(cells)) != nil else { return }
        succession.dropped.append(RowFormat.block(cells))
    }

    package var count: Int {
        lock.withLock { _ in (0..<rootCount).reduce(0) { $0 + rows[$1].count } }
    }

    /// Runs the body under the lock, and releases the dropped blocks afterwards, because their
    /// `deinit` takes the lock.
    private func locked(_ body: (inout Succession) -> Void) {
        var succession = Succession()
        lock.withLock { _ in body(&succession) }
        for block in succession.dropped { block.release() }
    }

    private func retain(_ block: Unmanaged<RowBlock>) -> Bool {
        faultline_try_retain(block.toOpaque())
    }
}

extension RowCache: RowBlockOwner {
    @usableFromInline package var cacheAddress: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    @usableFromInline package func blockWillDie(_ block: RowBlock, openIn rows: LoneRows?) {
        let (address, span) = (block.address, block.span)
        locked { succession in
            rows?.forget(block)
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                let root = roots[RowFormat.entity(cells)]
                let key = RowFormat.key(cells)
                guard let entry = self.rows[root][key] else { continue }
                if span.contains(entry) {
                    self.rows[root].remove(key)
                } else if anchors[root].count > 0, anchors[root][key] == address {
                    releaseAnchor(entry, root, &succession)
                }
            }
            assert(isForgotten(block), "an entry refers to a block that is being freed")
        }
    }
}

/// The state of one change under the lock: the blocks to release afterwards, and the block whose
/// rows were last replaced.
private struct Succession {
    var dropped: [Unmanaged<RowBlock>] = []
    /// A block whose rows were last replaced by rows of the same version: its address range and its
    /// version. They are copied, because threads that release the block's objects write next to the
    /// block's own fields.
    private var former: (span: ClosedRange<UnsafeRawPointer>, version: Int32)?

    /// Records a block whose rows were replaced by rows of the same version.
    ///
    /// Rows that were read together are usually replaced together. Reading each old row would be
    /// slow, because its memory is in the processor cache of another thread.
    mutating func know(_ block: RowBlock) {
        if block.commonVersion != 0 { former = (block.span, block.commonVersion) }
    }

    /// Whether a row is in the last replaced block and has the version. The row is not read.
    @inline(__always)
    func isKnown(_ cells: UnsafeRawPointer, _ version: Int32) -> Bool {
        former.map { $0.version == version && $0.span.contains(cells) } ?? false
    }
}

// `@unchecked Sendable` because the tables are read and written only under `lock`, and a row that
// is returned is retained under the lock.
extension RowCache: @unchecked Sendable {}
