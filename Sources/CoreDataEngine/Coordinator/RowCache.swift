import CRuntimeShims
import CoreDataModel
import Synchronization

/// The newest known row of every object that some context of the coordinator uses.
///
/// Rows are shared with the objects that read them, and held weakly: an entry lives as long as
/// somebody holds its block. A row written by a save replaces the entry; it is kept as long as
/// anybody still holds the row it replaced, so that a stale object finds what superseded it.
/// Called by the coordinator, from any thread.
package final class RowCache {
    /// Where a row is, and whom it replaced.
    private struct Entry {
        /// Safe: a block removes its entries in its `deinit`, under the lock.
        var block: Unmanaged<RowBlock>
        var cells: UnsafeRawPointer
        /// The block whose row this one replaced; while it lives, `block` is retained.
        var anchor: UnsafeMutableRawPointer?
    }

    private let lock = Mutex(())
    /// By the layout index of the root entity; guarded by `lock`.
    private let rows: UnsafeMutablePointer<KeyTable<Entry>>
    private let rootCount: Int
    private let layout: ModelLayout
    private let changeCount: Atomic<UInt64>

    /// - Parameter generation: where the change count begins.
    package init(layout: ModelLayout, generation: UInt64 = 1) {
        self.layout = layout
        changeCount = Atomic(generation)
        rootCount = layout.entities.count
        rows = .allocate(capacity: rootCount)
        for index in 0..<rootCount { (rows + index).initialize(to: KeyTable()) }
    }

    deinit {
        rows.deinitialize(count: rootCount)
        rows.deallocate()
    }

    /// Goes up whenever a row that somebody may hold has been replaced or removed.
    package var generation: UInt64 { changeCount.load(ordering: .acquiring) }

    /// The newest known row of an object.
    package func row(_ key: ObjectKey) -> RowReference? {
        let root = layout[Int(key.entity)].rootIndex
        return lock.withLock { _ in
            guard let entry = rows[root][key.key], retain(entry.block) else { return nil }
            return RowReference(block: entry.block.takeRetainedValue(), cells: entry.cells)
        }
    }

    /// Takes rows that were just read; what is there gives way unless a save was quicker.
    package func insert(_ fetched: FetchedRows) {
        for block in fetched.blocks { insert(block) }
    }

    package func insert(_ block: RowBlock) {
        take(block) { old, new in RowFormat.version(old) <= RowFormat.version(new) }
    }

    /// Takes the rows that a save wrote, and forgets those that it deleted.
    package func commit(_ blocks: [RowBlock], deleted: [ObjectKey]) {
        for block in blocks { commit(block) }
        remove(deleted)
        changeCount.add(1, ordering: .acquiringAndReleasing)
    }

    private func commit(_ block: RowBlock) { take(block) { _, _ in true } }

    /// Puts a block's rows in where the present row, if any, gives way.
    private func take(
        _ block: RowBlock, where givesWay: (UnsafeRawPointer, UnsafeRawPointer) -> Bool
    ) {
        block.setOwner(self)
        locked { dropped in
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                let key = RowFormat.key(cells)
                let root = layout[RowFormat.entity(cells)].rootIndex
                let entry = Entry(block: Unmanaged.passUnretained(block), cells: cells)
                guard let old = rows[root].update(key, entry) else { continue }
                let kept = givesWay(old.cells, cells) ? succeed(old, by: entry, &dropped) : old
                if kept.cells == old.cells || kept.anchor != nil {
                    rows[root].update(key, kept)
                }
            }
        }
    }

    /// The entry of a row that replaces another. A newer row is kept alive for those who hold the
    /// older one; so is a row that replaces one that was kept alive.
    private func succeed(
        _ old: Entry, by new: Entry, _ dropped: inout [Unmanaged<RowBlock>]
    ) -> Entry {
        var entry = new
        if old.anchor != nil {
            entry.anchor = old.anchor
            dropped.append(old.block)
        } else if RowFormat.version(old.cells) != RowFormat.version(new.cells), retain(old.block) {
            entry.anchor = old.block.toOpaque()
            dropped.append(old.block)
        }
        if entry.anchor != nil { _ = entry.block.retain() }
        return entry
    }

    /// Forgets rows, so that the next access reads them from the store.
    package func remove(_ keys: [ObjectKey]) {
        locked { dropped in
            for key in keys {
                let root = layout[Int(key.entity)].rootIndex
                if let old = rows[root].remove(key.key), old.anchor != nil {
                    dropped.append(old.block)
                }
            }
        }
    }

    /// Forgets rows and makes every context look again.
    package func invalidate(_ keys: [ObjectKey]) {
        remove(keys)
        changeCount.add(1, ordering: .acquiringAndReleasing)
    }

    /// Forgets everything: the store has been replaced.
    package func removeAll() {
        locked { dropped in
            for index in 0..<rootCount where rows[index].count > 0 {
                rows[index].forEach { if $0.anchor != nil { dropped.append($0.block) } }
                rows[index] = KeyTable()
            }
        }
        changeCount.add(1, ordering: .acquiringAndReleasing)
    }

    /// How many rows are cached.
    package var count: Int {
        lock.withLock { _ in (0..<rootCount).reduce(0) { $0 + rows[$1].count } }
    }

    /// Runs the body under the lock and releases, after it, the blocks that it lets go: a block's
    /// `deinit` takes the lock.
    private func locked(_ body: (inout [Unmanaged<RowBlock>]) -> Void) {
        var dropped: [Unmanaged<RowBlock>] = []
        lock.withLock { _ in body(&dropped) }
        for block in dropped { block.release() }
    }

    private func retain(_ block: Unmanaged<RowBlock>) -> Bool {
        faultline_try_retain(block.toOpaque())
    }
}

extension RowCache: RowBlockOwner {
    package func blockWillDie(_ block: RowBlock) {
        let address = block.address
        locked { dropped in
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                let root = layout[RowFormat.entity(cells)].rootIndex
                let key = RowFormat.key(cells)
                guard let entry = rows[root][key] else { continue }
                if entry.block.toOpaque() == address {
                    rows[root].remove(key)
                } else if entry.anchor == address {
                    rows[root].change(key) { $0.anchor = nil }
                    dropped.append(entry.block)
                }
            }
        }
    }
}

// `@unchecked Sendable` because `rows` is read and written only under `lock`, and what leaves it is
// retained there.
extension RowCache: @unchecked Sendable {}
