import CoreDataModel
import CoreDataStore
import Synchronization

/// The rows of one save on their way to a nested context that merges by itself.
///
/// A merge that asked the parent for them would wait for the parent's queue, while whoever has that
/// queue may be waiting for the merge. So the saved objects' rows, which are immutable and shared,
/// travel with it. Made on the parent's queue, used on the child's.
final class SentRows: Sendable {
    private let rows: Mutex<[ObjectKey: RowReference]>

    init(_ rows: [ObjectKey: RowReference]) { self.rows = Mutex(rows) }

    subscript(key: ObjectKey) -> RowReference? { rows.withLock { $0[key] } }

    /// Has another row arrive in place of one that was sent.
    func renew(_ key: ObjectKey, _ row: () throws(CoreDataError) -> RowReference?)
        throws(CoreDataError)
    {
        guard self[key] != nil, let row = try row() else { return }
        rows.withLock { $0[key] = row }
    }
}

/// What has been sent to one context and has not been merged there.
///
/// Parents add to it on their queues, the context takes from it on its own.
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
    /// Sends what was just saved to the nested contexts that merge by themselves. On the context's
    /// queue, before anybody can change the saved objects; costs nothing where no child listens.
    final func sendToChildren(_ saved: SavedObjects) {
        assert(queue.isCurrent, "nobody else may change what is sent")
        if children.isEmpty { return }
        let mergers = children.alive.filter(\.mergesByItself)
        guard !mergers.isEmpty else { return }
        let keys = saved.keys
        let rows = saved.rows
        for merger in mergers { merger.enqueueMerge(of: keys, with: rows, from: name) }
    }

    /// Puts a merge of a parent's save on the context's queue.
    private func enqueueMerge(
        of keys: SavedKeys, with rows: [ObjectKey: RowReference], from name: String?
    ) {
        let sent = arrivals.add(rows)
        queue.enqueue("merge from \(name ?? "context")") { [weak self] in
            guard let self else { return }
            arrivals.remove(sent)
            orTrap { () throws(CoreDataError) in try self.merge(keys, with: sent) }
            tell(.merged(from: nil, isAutomatic: true))
        }
    }

    /// This context has pushed changes of rows that are on their way to it. They arrive as the
    /// parent has them now, or the merge would take back what was pushed. On the parent's queue.
    final func renewArrivals(_ pushed: SavePlan, from parent: NSManagedObjectContext)
        throws(CoreDataError)
    {
        assert(parent.queue.isCurrent, "the parent's rows are read on its queue")
        for sent in arrivals.waiting {
            for group in pushed.updates {
                for key in group.keys {
                    // The parent may know it by a newer key.
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
    /// The rows of new and changed objects, right after the save: those that were written.
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
