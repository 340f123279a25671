import CoreDataModel
import CoreDataStore
import Foundation

/// Connects the engine to an atomic store. The rows are in an in-memory store; a save updates this
/// store and the program's cache nodes.
///
/// The atomic store owns it. The coordinator runs one save at a time.
final class AtomicBackend: ObjectStore {
    private unowned let store: NSAtomicStore
    private let reader: CacheNodeReader
    private let memory: MemoryStore

    init(_ store: NSAtomicStore, _ reader: CacheNodeReader, _ memory: MemoryStore) {
        self.store = store
        self.reader = reader
        self.memory = memory
        StoreClasses.noteOpened()
    }

    func close() {
        memory.close()
        StoreClasses.noteClosed()
    }

    var identifier: String { memory.identifier }

    var metadata: [String: any Sendable] { memory.metadata }

    var traits: StoreTraits { [] }

    func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError) {
        try memory.setMetadata(metadata)
    }

    func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64 {
        throw CoreDataError(
            .unsupported, "An atomic store assigns ids in newReferenceObject(for:).")
    }

    // MARK: Saving

    func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome {
        guard !store.isReadOnly else {
            throw CoreDataError(
                .fileWriteNoPermission,
                "The store was opened read-only; open it without that option to save into it",
                info: ["reason": "The store was opened read-only"])
        }
        let conflicts = try memory.conflicts(with: plan)
        if !conflicts.isEmpty { return .conflicts(conflicts) }
        if plan.isEmpty && !memory.hasNewMetadata { return .committed() }
        var change = CacheNodeChange(store)
        var attributes: [(key: ObjectKey, values: [Value])] = []
        do {
            if !plan.isEmpty { try change.make(plan) }
            for node in change.touched {
                let key = store.references.exact(node.objectID.key)
                attributes.append((key, try reader.values(of: node, key)))
            }
            try store.save()
        } catch {
            change.undo()
            throw CoreDataError(error)
        }
        memory.take(plan, attributes)
        return .committed()
    }
}

/// Reads from the in-memory store.
extension AtomicBackend: TableStore {
    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows {
        try memory.fetchRows(plan, generation: generation)
    }

    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try memory.fetchKeys(plan)
    }

    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int { try memory.count(plan) }

    func fetchTable(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        try memory.fetchTable(plan, table)
    }

    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference? {
        try memory.row(key, generation: generation)
    }

    func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        try memory.rows(keys, entity: entity, generation: generation)
    }

    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try memory.destinations(of: owner, slot: slot)
    }

    func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations {
        try memory.destinations(
            ofAll: owners, entity: entity, slot: slot, generation: generation)
    }
}

// `@unchecked Sendable` because `store` is set once and owns this object; everything else is
// immutable or synchronizes itself.
extension AtomicBackend: @unchecked Sendable {}

/// The changes of one save to the nodes of an atomic store. If the save fails, they are undone.
struct CacheNodeChange {
    private let store: NSAtomicStore
    private let before: [NSAtomicStoreCacheNode]
    private var values: [(node: NSAtomicStoreCacheNode, values: NSMutableDictionary?)] = []
    private(set) var touched: [NSAtomicStoreCacheNode] = []

    init(_ store: NSAtomicStore) {
        self.store = store
        before = store.nodes.all
    }

    mutating func make(_ plan: SavePlan) throws(CoreDataError) {
        guard let context = RequestingContext.current else {
            throw CoreDataError(
                .unsupported,
                "An atomic store saves only changes of a context; call save() of the context.")
        }
        let objects = context.registry.all.filter { $0.objectID.persistentStore === store }
        for node in before {
            let copy = node.propertyCache?.mutableCopy() as? NSMutableDictionary
            values.append((node, copy))
        }
        let gone = plan.deletes.flatMap { group in
            group.keys.map { ObjectKey(entity: group.entity.index, key: $0) }
        }
        let removed = Set(
            gone.compactMap { key in before.first { $0.objectID.key.key == key.key } })
        if !removed.isEmpty {
            store.willRemoveCacheNodes(removed)
            store.nodes.remove(removed)
        }
        let inserted = objects.filter(\.isInserted)
        store.nodes.collecting {
            let new = inserted.map(store.newCacheNode(for:))
            if !new.isEmpty { store.addCacheNodes(Set(new)) }
        }
        for object in inserted + objects.filter(\.isUpdated) {
            guard let node = store.cacheNode(for: object.objectID) else { continue }
            store.updateCacheNode(node, from: object)
            touched.append(node)
        }
    }

    func undo() {
        store.nodes.restore(before)
        for (node, old) in values { node.propertyCache = old }
    }
}
