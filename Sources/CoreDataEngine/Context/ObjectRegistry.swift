import CRuntimeShims
import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// The identity map of one context: one object for each id.
///
/// Objects are held weakly and may be released on any thread. An object removes itself in its
/// `deinit`, synchronously and under the lock; a look-up retains only what is not being
/// released. No user code runs and no object is released while the lock is held.
package final class ObjectRegistry {
    package let binding: ModelBinding
    private let lock = Mutex(())
    /// One table for each root entity, by layout index of the root; guarded by `lock`. Objects are
    /// raw pointers, because a table must not keep them alive.
    private var tables: UnsafeMutablePointer<KeyTable<UnsafeMutableRawPointer>>
    /// The keys that objects got in place of temporary ones that children know, and back; guarded
    /// by `lock`.
    private var permanentKeys: [Int64: Int64] = [:]
    private var temporaryKeys: [ObjectKey: Int64] = [:]
    /// The identity map of the parent context. Locks are taken upwards only.
    private let parent: ObjectRegistry?
    private let entityCount: Int
    /// The root of each entity, by layout index: what every look-up asks for.
    private let roots: ContiguousArray<Int>
    private let stores: @Sendable (EntityLayout) -> NSPersistentStore?

    init(
        binding: ModelBinding, rowCache: RowCache?, trace: Trace, parent: ObjectRegistry?,
        stores: @escaping @Sendable (EntityLayout) -> NSPersistentStore?
    ) {
        self.binding = binding
        self.rowCache = rowCache
        self.trace = trace
        self.parent = parent
        self.stores = stores
        entityCount = binding.layout.entities.count
        roots = ContiguousArray(binding.layout.entities.map(\.rootIndex))
        tables = .allocate(capacity: entityCount)
        for index in 0..<entityCount { (tables + index).initialize(to: KeyTable()) }
    }

    deinit {
        tables.deinitialize(count: entityCount)
        tables.deallocate()
    }

    /// The context, or nil once it is gone.
    @exclusivity(unchecked) private(set) unowned(unsafe) var context: NSManagedObjectContext?

    func setContext(_ context: NSManagedObjectContext?) { self.context = context }

    /// Told of every change before it happens; nil where the context has no undo manager.
    @exclusivity(unchecked) final var undoRecorder: UndoRecorder?

    /// The row cache behind the context; none behind a child. Another one while the context is
    /// pinned to a query generation.
    @exclusivity(unchecked) var rowCache: RowCache?
    private let trace: Trace
    /// Whether the context takes a cached row however old it is.
    @exclusivity(unchecked) var acceptsAnyAge = true

    /// Goes up whenever rows read earlier may have been replaced; see `ObjectSource`.
    var generation: UInt64 { rowCache?.generation ?? 0 }

    /// Whether an attached row of the present generation may be used without asking or telling.
    var takesRowsAsTheyAre: Bool { acceptsAnyAge && !trace.isOn }

    func store(for layout: EntityLayout) -> NSPersistentStore? { stores(layout) }

    func layout(at index: Int) -> EntityLayout { binding.layout[index] }

    // MARK: Look-up

    /// The registered object of a key, or nil. No statement.
    func registered(_ key: ObjectKey) -> NSManagedObject? {
        let root = roots[Int(key.entity)]
        return lock.withLock { _ in lockedObject(current(key.key), root: root) }
    }

    /// The object of a key, made as a fault when it is not registered. No statement.
    func object(for key: ObjectKey, in context: NSManagedObjectContext) -> NSManagedObject {
        if let found = registered(key) { return found }
        let number = key.isTemporary ? lock.withLock { _ in current(key.key) } : key.key
        let made = makeFault(entity: Int(key.entity), key: number, in: context)
        register(made)
        return made
    }

    /// The objects of keys, in order, made as faults where they are not registered. No statement.
    func objects(
        for keys: ContiguousArray<ObjectKey>, in context: NSManagedObjectContext
    ) -> [NSManagedObject] {
        guard let first = keys.first else { return [] }
        let found = known(keys)
        var result: [NSManagedObject] = []
        result.reserveCapacity(keys.count)
        var maker = faultMaker(entity: Int(first.entity), in: context)
        for (key, known) in zip(keys, found) {
            if let object = known.object {
                result.append(object)
            } else {
                let entity = Int(key.entity)
                if entity != maker.entity { maker = faultMaker(entity: entity, in: context) }
                result.append(maker.makeFault(key: known.key, in: self))
            }
        }
        register(&result, from: 0) { found[$0].object == nil }
        return result
    }

    /// The registered objects of keys, and the keys that they have by now.
    private func known(
        _ keys: ContiguousArray<ObjectKey>
    ) -> [(object: NSManagedObject?, key: Int64)] {
        var found: [(object: NSManagedObject?, key: Int64)] = []
        found.reserveCapacity(keys.count)
        lock.withLock { _ in
            for key in keys {
                let number = current(key.key)
                found.append((lockedObject(number, root: roots[Int(key.entity)]), number))
            }
        }
        return found
    }

    /// The objects of fetched rows, in order: known objects as they are, others as faults with
    /// their row attached. A known fault gets the newer row.
    func objects(
        for rows: FetchedRows, family: EntityLayout, in context: NSManagedObjectContext,
        into result: inout [NSManagedObject]
    ) {
        result.reserveCapacity(result.count + rows.count)
        var maker = faultMaker(entity: family.index, in: context)
        for block in rows.blocks {
            var missing = 0
            let found = known(in: block, family: family, missing: &missing)
            if missing > 0 {
                lock.withLock { _ in tables[family.rootIndex].reserve(missing) }
            }
            let start = result.count
            for index in 0..<block.count {
                let row = RowReference(block: block, index: index)
                if let object = found.isEmpty ? nil : found[index] {
                    if object.state.contains(.fault) { object.attach(row) }
                    result.append(object)
                } else {
                    let entity = RowFormat.entity(row.cells)
                    if entity != maker.entity { maker = faultMaker(entity: entity, in: context) }
                    let object = maker.makeFault(key: RowFormat.key(row.cells), in: self)
                    object.attach(row)
                    result.append(object)
                }
            }
            if missing > 0 { register(&result, from: start) { found.isEmpty || found[$0] == nil } }
        }
    }

    /// Attaches rows to those of their objects that are registered and faults.
    func attachToFaults(_ rows: FetchedRows, family: EntityLayout) {
        for block in rows.blocks {
            var missing = 0
            let found = known(in: block, family: family, missing: &missing)
            for (index, object) in found.enumerated() {
                guard let object, object.state.contains(.fault) else { continue }
                object.attach(RowReference(block: block, index: index))
            }
        }
    }

    /// The key that the object of a temporary key has by now.
    func currentKey(_ key: ObjectKey) -> ObjectKey {
        ObjectKey(entity: Int(key.entity), key: lock.withLock { _ in current(key.key) })
    }

    // MARK: Registration

    func register(_ object: NSManagedObject) {
        object.registry = self
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        lock.withLock { _ in _ = tables[object.layout.rootIndex].update(object.key, pointer) }
    }

    /// Called by the object's `deinit`, on any thread.
    func remove(_ object: NSManagedObject, key: Int64, root: Int) {
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        lock.withLock { _ in remove(pointer, key, root) }
    }

    /// Takes the object out while it lives on.
    func unregister(_ object: NSManagedObject) {
        remove(object, key: object.key, root: object.layout.rootIndex)
        object.registry = nil
        object.identifier = object.objectID
    }

    /// Takes the object out for good. What it was linked to is let go, because objects that know
    /// each other would never be released.
    func dismiss(_ object: NSManagedObject) {
        unregister(object)
        object.relationships = nil
        guard let pending = object.pending else { return }
        for slot in pending.mask.slots where object.layout.values[slot].toOne != nil {
            pending.clear(slot)
        }
    }

    /// Gives the object a permanent key. Children keep the temporary one and may go on using it.
    func changeKey(of object: NSManagedObject, to key: Int64) {
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        let root = object.layout.rootIndex
        let isKnownToChildren = context?.children.isEmpty == false
        lock.withLock { _ in
            if isKnownToChildren { noteChange(of: object.key, to: key, root) }
            remove(pointer, object.key, root)
            tables[root].update(key, pointer)
        }
        object.key = key
        object.identifier = nil
    }

    /// All registered objects, in no particular order.
    var all: [NSManagedObject] {
        var result: [NSManagedObject] = []
        lock.withLock { _ in
            for index in 0..<entityCount {
                tables[index].forEach { pointer in
                    guard faultline_try_retain(pointer) else { return }
                    result.append(
                        Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue())
                }
            }
        }
        return result
    }

    /// How many objects are registered.
    package var count: Int {
        lock.withLock { _ in (0..<entityCount).reduce(0) { $0 + tables[$1].count } }
    }

    /// Forgets everything.
    func removeAll() {
        lock.withLock { _ in
            for index in 0..<entityCount { tables[index] = KeyTable() }
        }
    }

    // MARK: Parts

    /// The key that an object has by now; under the lock.
    private func current(_ key: Int64) -> Int64 {
        key < 0 ? permanentKeys[key] ?? key : key
    }

    /// Removes the entry if it still is this object; under the lock.
    private func remove(_ object: UnsafeMutableRawPointer, _ key: Int64, _ root: Int) {
        if tables[root][key] == object { tables[root].remove(key) }
    }

    private func noteChange(of temporary: Int64, to key: Int64, _ root: Int) {
        permanentKeys[temporary] = key
        temporaryKeys[ObjectKey(entity: root, key: key)] = temporary
    }

    private func lockedObject(_ key: Int64, root: Int) -> NSManagedObject? {
        guard let pointer = tables[root][key] else {
            return parent == nil ? nil : adopt(key, root: root)
        }
        guard faultline_try_retain(pointer) else { return nil }
        return Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue()
    }

    /// The object of a child that was saved further up under this key, and knows it from now on.
    private func adopt(_ key: Int64, root: Int) -> NSManagedObject? {
        guard key > 0, let former = parent?.formerKey(of: ObjectKey(entity: root, key: key)),
            let pointer = tables[root][former], faultline_try_retain(pointer)
        else { return nil }
        let object = Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue()
        noteChange(of: former, to: key, root)
        tables[root].remove(former)
        tables[root].update(key, pointer)
        object.key = key
        object.identifier = nil
        return object
    }

    /// The temporary key that children may still use.
    private func formerKey(of key: ObjectKey) -> Int64? {
        let found = lock.withLock { _ in temporaryKeys.isEmpty ? nil : temporaryKeys[key] }
        return found ?? parent?.formerKey(of: key)
    }

    /// The registered objects of a block's rows, by row; empty when there is none at all.
    private func known(
        in block: RowBlock, family: EntityLayout, missing: inout Int
    ) -> [NSManagedObject?] {
        let root = family.rootIndex
        var found: [NSManagedObject?] = []
        lock.withLock { _ in
            if tables[root].count == 0 { return }
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                let key = RowFormat.key(cells)
                guard let object = lockedObject(key, root: root) else { continue }
                if found.isEmpty { found = Array(repeating: nil, count: block.count) }
                found[index] = object
            }
        }
        missing = block.count - found.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
        return found
    }

    /// Registers new objects under one lock. Where the list has a key twice, the first object
    /// takes the other's place; that one is released after the lock.
    private func register(
        _ objects: inout [NSManagedObject], from start: Int, where isNew: (Int) -> Bool
    ) {
        var doubles: [NSManagedObject] = []
        lock.withLock { _ in
            for index in start..<objects.count where isNew(index - start) {
                let object = objects[index]
                let root = object.layout.rootIndex
                if let first = lockedObject(object.key, root: root) {
                    doubles.append(object)
                    objects[index] = first
                } else {
                    let pointer = Unmanaged.passUnretained(object).toOpaque()
                    tables[root].update(object.key, pointer)
                }
            }
        }
        doubles.removeAll()
    }

    private func makeFault(
        entity: Int, key: Int64, in context: NSManagedObjectContext
    ) -> NSManagedObject {
        faultMaker(entity: entity, in: context).makeFault(key: key, in: self)
    }

    private func faultMaker(entity: Int, in context: NSManagedObjectContext) -> FaultMaker {
        FaultMaker(
            entity: entity, objectClass: binding.objectClass(at: entity),
            description: binding.description(at: entity),
            state: context.checksAccess ? [.fault, .checked] : .fault,
            keeper: context.retainsRegisteredObjects ? context : nil)
    }
}

/// What the faults of one entity in one context have in common, looked up once for many.
private struct FaultMaker {
    let entity: Int
    let objectClass: NSManagedObject.Type
    let description: NSEntityDescription
    let state: ObjectState
    /// The context, where it keeps every object alive.
    let keeper: NSManagedObjectContext?

    func makeFault(key: Int64, in registry: ObjectRegistry) -> NSManagedObject {
        let object = Materialization.fault(of: objectClass, entity: description)
        object.key = key
        object.state = state
        object.registry = registry
        keeper?.retain(object)
        return object
    }
}

// `@unchecked Sendable` because the tables are guarded by `lock`, `context` is set before the
// first object exists and cleared in the context's `deinit`, and the rest is immutable.
extension ObjectRegistry: @unchecked Sendable {}
