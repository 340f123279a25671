import CoreDataModel
import CoreDataStore
import Synchronization

/// The rows that a parent's save sends to a child context that merges automatically.
///
/// The merge must not request the rows from the parent. It would wait for the parent's queue, while
/// a block on that queue may be waiting for the merge. So the rows of the saved objects, which are
/// immutable, are sent with the merge. They are created on the parent's queue, and used on the
/// child's queue.
final class SentRows: Sendable {
    private let rows: Mutex<[ObjectKey: RowReference]>

    init(_ rows: [ObjectKey: RowReference]) { self.rows = Mutex(rows) }

    subscript(key: ObjectKey) -> RowReference? { rows.withLock { $0[key] } }

    func renew(_ key: ObjectKey, _ row: () throws(CoreDataError) -> RowReference?)
        throws(CoreDataError)
    {
        guard self[key] != nil, let row = try row() else { return }
        rows.withLock { $0[key] = row }
    }
}

/// The rows that were sent to one context and are not merged there yet.
///
/// Parents add rows on their own queues. The context removes them on its queue.
final class Arrivals: Sendable {
    private let sent = Mutex<[SentRows]>([])

    func add(_ rows: [ObjectKey: RowReference]) -> SentRows {
        let made = SentRows(rows)
        sent.withLock { $0.append(made) }
        return made
    }

    func remove(_ rows: SentRows) { sent.withLock { $0.removeAll { $0 === rows } } }

    var waiting: [SentRows] { sent.withLock { $0 } }
}

extension NSManagedObjectContext {
    /// Sends the saved rows to the child contexts that merge automatically.
    ///
    /// Called on the context's queue, before the saved objects can change. Costs nothing if no
    /// child merges.
    final func sendToChildren(_ saved: SavedObjects) {
        assert(queue.isCurrent, "the rows are sent off the context's queue")
        if children.isEmpty { return }
        let mergers = children.alive.filter(\.mergesByItself)
        guard !mergers.isEmpty else { return }
        let keys = saved.keys
        let rows = saved.rows
        for merger in mergers { merger.enqueueMerge(of: keys, with: rows, from: name) }
    }

    private func enqueueMerge(
        of keys: SavedKeys, with rows: [ObjectKey: RowReference], from name: String?
    ) {
        let sent = arrivals.add(rows)
        queue.enqueue("merge from \(name ?? "context")") { [weak self] in
            guard let self else { return }
            arrivals.remove(sent)
            orTrap { () throws(CoreDataError) in try self.merge(keys, with: sent) }
            emit(.merged(from: nil, isAutomatic: true, keys))
        }
    }

    /// Updates the waiting rows of objects that this context has just saved to the parent. The old
    /// rows would let the merge revert the saved changes. The new rows contain the parent's current
    /// values.
    ///
    /// Called on the parent's queue.
    final func renewArrivals(_ pushed: SavePlan, from parent: NSManagedObjectContext)
        throws(CoreDataError)
    {
        assert(parent.queue.isCurrent, "the parent's rows are read off its queue")
        for sent in arrivals.waiting {
            for group in pushed.updates {
                for key in group.keys {
                    // The parent may have registered the object under a newer key.
                    let key = ObjectKey(entity: group.entity.index, key: key)
                    let object = parent.registry.object(for: key)
                    try sent.renew(object.objectKey) { () throws(CoreDataError) in
                        try ParentSource.currentRow(of: object, in: parent)
                    }
                }
            }
        }
    }
}

extension SavedObjects {
    /// The rows that the save has written for new and changed objects. Valid only directly after
    /// the save.
    fileprivate var rows: [ObjectKey: RowReference] {
        var rows: [ObjectKey: RowReference] = [:]
        rows.reserveCapacity(inserted.count + updated.count)
        for list in [inserted, updated] {
            list.eachUnretained { object in
                guard let cells = object.cells, let block = object.block else { return }
                rows[object.objectKey] = RowReference(block: block, cells: cells)
            }
        }
        return rows
    }
}
