import CoreDataStore
import CoreDataTrace
import Foundation

/// The nodes of one atomic store, by object id.
///
/// `@unchecked Sendable` because `lock` guards the table; only one load or save uses the nodes
/// themselves at a time.
final class CacheNodes: @unchecked Sendable {
    private let lock = NSLock()
    private var table: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
    private var isCollecting = false

    var all: [NSAtomicStoreCacheNode] { lock.withLock { Array(table.values) } }

    func node(_ id: NSManagedObjectID) -> NSAtomicStoreCacheNode? { lock.withLock { table[id] } }

    /// Runs code of the program that may add nodes: `load()`, or the creation of nodes for new
    /// objects.
    func collecting<T>(_ body: () throws -> T) rethrows -> T {
        lock.withLock { isCollecting = true }
        defer { lock.withLock { isCollecting = false } }
        return try body()
    }

    func add(_ nodes: some Sequence<NSAtomicStoreCacheNode>, toldAs store: String) {
        let isLate = lock.withLock {
            for node in nodes { table[node.objectID] = node }
            return !isCollecting
        }
        if isLate {
            EngineLog.errorOnce(
                "addCacheNodes(_:) of \(store) was called outside of load(): objects of these nodes"
                    + " are not found until the store is added again")
        }
    }

    func remove(_ nodes: some Sequence<NSAtomicStoreCacheNode>) {
        lock.withLock { for node in nodes { table[node.objectID] = nil } }
    }

    func restore(_ nodes: [NSAtomicStoreCacheNode]) {
        lock.withLock {
            table = Dictionary(
                nodes.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }
}
