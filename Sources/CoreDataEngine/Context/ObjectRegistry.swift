import CRuntimeShims
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// The identity map of one context: one object for each id.
///
/// Objects are held weakly and may be released on any thread. An object removes itself in its
/// `deinit`, synchronously and under the lock; a look-up retains only what is not being
/// released. No user code runs and no object is released while the lock is held.
///
/// Promise: an object in a table knows this registry, and stands in the table of its root under the
/// key that it has.
package final class ObjectRegistry {
    package let binding: ModelBinding
    /// The lock and what it guards are for the registry's own files alone.
    let lock = Mutex(())
    /// One table for each root entity, by layout index of the root; guarded by `lock`. Objects are
    /// raw pointers, because a table must not keep them alive.
    let tables: UnsafeMutablePointer<KeyTable>
    /// Guarded by `lock`.
    @exclusivity(unchecked) var keyChanges = KeyChanges()
    /// The identity map of the parent context. Locks are taken upwards only.
    let parent: ObjectRegistry?
    let entityCount: Int
    /// The root of each entity, by layout index: what every look-up asks for.
    let roots: ContiguousArray<Int>
    private let makers: ContiguousArray<FaultMaker>
    /// Says that an object is a fault; see `Materialization`.
    private let marker = Unmanaged.passUnretained(Materialization.marker)
    private let stores: @Sendable (EntityLayout, Int64) -> NSPersistentStore?

    init(
        binding: ModelBinding, route: FaultRoute?, trace: Trace, parent: ObjectRegistry?,
        stores: @escaping @Sendable (EntityLayout, Int64) -> NSPersistentStore?
    ) {
        self.binding = binding
        faultRoute = route.map { Kept($0) }
        self.trace = trace
        self.parent = parent
        self.stores = stores
        entityCount = binding.layout.entities.count
        roots = ContiguousArray(binding.layout.entities.map(\.rootIndex))
        makers = ContiguousArray(
            binding.layout.entities.map {
                FaultMaker(
                    objectClass: binding.objectClass(at: $0.index),
                    description: Unmanaged.passUnretained(binding.description(at: $0.index)))
            })
        tables = .allocate(capacity: entityCount)
        for index in 0..<entityCount { (tables + index).initialize(to: KeyTable()) }
    }

    deinit {
        tables.deinitialize(count: entityCount)
        tables.deallocate()
    }

    /// The context, or nil once it is gone.
    @exclusivity(unchecked) private(set) unowned(unsafe) var context: NSManagedObjectContext?

    /// The context's changes, for objects that note one: nothing is retained on the way.
    @exclusivity(unchecked) private(set) var changes: Unmanaged<ChangeTracker>?

    /// Whether there is one, for those who do not need it.
    @exclusivity(unchecked) private(set) var hasContext = false

    func setContext(_ context: NSManagedObjectContext?) {
        self.context = context
        changes = context.map { Unmanaged.passUnretained($0.changes) }
        hasContext = context != nil
        if context == nil { faultRoute = nil }
        if context?.checksAccess == true { objectState.insert(.checked) }
    }

    /// Told of every change before it happens; nil where the context has no undo manager.
    @exclusivity(unchecked) final var undoRecorder: UndoRecorder?

    /// What is to be told to observers of keys; nil where no object's are observed.
    @exclusivity(unchecked) final private(set) var notices: NoticeQueue?

    /// An object of the context is observed.
    func noteObserved() { if notices == nil { notices = NoticeQueue() } }

    /// The way to the row cache and the stores behind the context; none behind a child. Another one
    /// while the context is pinned to a query generation.
    @exclusivity(unchecked) var faultRoute: Kept<FaultRoute>?
    let trace: Trace
    /// Whether the context takes a cached row however old it is.
    @exclusivity(unchecked) var acceptsAnyAge = true
    /// Whether the context keeps every object alive.
    @exclusivity(unchecked) var retainsObjects = false
    /// What the state of every object has: whether accesses are checked and told.
    @exclusivity(unchecked) private(set) var objectState: ObjectState = []
    /// Told what the program does with the context; nil where nobody asks.
    @exclusivity(unchecked) var listener: (any ContextListener)? {
        didSet {
            if listener == nil { objectState.remove(.heard) } else { objectState.insert(.heard) }
            gate = listener?.gate
        }
    }
    /// The listener's, within reach of objects: nothing is retained on the way.
    @exclusivity(unchecked) private var gate: UnsafeMutablePointer<ListenerGate>?

    /// Counts a value that nobody wants to be told; false where the listener is to be asked.
    @inline(__always)
    var passesGate: Bool { gate?.pointee.takes() ?? false }

    /// The store that has a row; for a new object the one that it is saved to.
    func store(for layout: EntityLayout, key: Int64) -> NSPersistentStore? { stores(layout, key) }

    func layout(at index: Int) -> EntityLayout { binding.layout[index] }

    /// The layout that was found to be of this model last: who makes objects makes many of one.
    @exclusivity(unchecked) private var lastOwnLayout: UnsafeMutableRawPointer?

    /// Whether a layout is of this context's model.
    func owns(_ layout: Unmanaged<EntityLayout>) -> Bool {
        if layout.toOpaque() == lastOwnLayout { return true }
        guard layout._withUnsafeGuaranteedRef({ binding.layout[$0.index] === $0 }) else {
            return false
        }
        lastOwnLayout = layout.toOpaque()
        return true
    }

    /// The class that was asked for last: who makes objects makes many of one class.
    @exclusivity(unchecked)
    private var lastClass: (objectClass: NSManagedObject.Type, entity: NSEntityDescription)?

    /// The entity whose objects are instances of exactly this class.
    func entity(forClass objectClass: NSManagedObject.Type) -> NSEntityDescription? {
        if let lastClass, lastClass.objectClass == objectClass { return lastClass.entity }
        guard let found = binding.entity(forClass: objectClass) else { return nil }
        lastClass = (objectClass, found)
        return found
    }

    // MARK: Look-up

    /// The registered object of a key, or nil. No statement.
    func registered(_ key: ObjectKey) -> NSManagedObject? {
        let root = roots[Int(key.entity)]
        return lock.withLock { _ in lockedObject(keyChanges.current(key.key), root: root) }
    }

    /// The object that a relationship leads to, or nil where the context is gone.
    func destination(for key: ObjectKey) -> NSManagedObject? {
        if key.key >= 0 {
            let found = lock.withLock { _ in tryRetained(tables[roots[Int(key.entity)]][key.key]) }
            if let found { return found.takeRetainedValue() }
        }
        return hasContext ? object(for: key) : nil
    }

    /// The object, unless it is being released; under the lock.
    @inline(__always)
    private func tryRetained(
        _ pointer: UnsafeMutableRawPointer?
    ) -> Unmanaged<NSManagedObject>? {
        guard let pointer, faultline_try_retain(pointer) else { return nil }
        return .fromOpaque(pointer)
    }

    /// The object of a key, made as a fault when it is not registered. No statement.
    func object(for key: ObjectKey) -> NSManagedObject {
        if let found = registered(key) { return found }
        let number = key.isTemporary ? lock.withLock { _ in keyChanges.current(key.key) } : key.key
        let made = makeFault(entity: Int(key.entity), key: number)
        register(made)
        return made
    }

    /// Makes room for objects to come, so that the table grows once.
    func reserve(_ count: Int, for family: EntityLayout) {
        lock.withLock { _ in tables[family.rootIndex].reserve(count) }
    }

    /// The key that an object goes by now, wherever it got it: here or further up. An object of
    /// this context may still have its temporary one, until it is asked for by the other.
    func currentKey(_ key: ObjectKey) -> ObjectKey {
        ObjectKey(entity: Int(key.entity), key: currentKey(key.key))
    }

    private func currentKey(_ key: Int64) -> Int64 {
        if key >= 0 { return key }
        let known = lock.withLock { _ in keyChanges.current(key) }
        return known >= 0 ? known : parent?.currentKey(key) ?? key
    }

    /// Whether a key that an object of this context has is always the one it goes by.
    var knowsEveryKey: Bool { parent == nil }

    // MARK: Registration

    func register(_ object: NSManagedObject) {
        assert(roots.indices.contains(object.rootIndex), "the entity is of another model")
        object.registry = self
        if object.state.contains(.observed) { noteObserved() }
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        lock.withLock { _ in _ = tables[object.rootIndex].update(object.key, pointer) }
        if StoreClasses.areOpen { tell([object.objectKey], areRegistered: true) }
    }

    /// Called by the object's `deinit`, on any thread.
    func remove(_ object: NSManagedObject, key: Int64, root: Int) {
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        let isRemoved = lock.withLock { _ in remove(pointer, key, root) }
        guard isRemoved, StoreClasses.areOpen else { return }
        let entity = object.layoutReference._withUnsafeGuaranteedRef { $0.index }
        tell([ObjectKey(entity: entity, key: key)], areRegistered: false)
    }

    /// Takes the object out while it lives on.
    func unregister(_ object: NSManagedObject) {
        // The id names the store, which is known as long as there is a registry.
        if !object.knowsStore { object.identifier = object.objectID }
        assert(
            object.registryReference?.toOpaque() == Unmanaged.passUnretained(self).toOpaque(),
            "the object is another context's")
        remove(object, key: object.key, root: object.rootIndex)
        object.registry = nil
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

    /// Takes out an object that has become part of another one, by whose row children know it.
    func dismiss(_ object: NSManagedObject, foldedInto survivor: NSManagedObject) {
        let key = ObjectKey(entity: object.rootIndex, key: object.key)
        dismiss(object)
        lock.withLock { _ in
            guard let former = key.isTemporary ? key.key : keyChanges.former(key) else { return }
            keyChanges.note(former, asPartOf: survivor.key)
        }
    }

    /// Gives those of the objects that have temporary keys and are of the root entity permanent
    /// ones, from the first on. Children keep the temporary ones and may go on using them.
    func changeKeys(of objects: ContiguousArray<NSManagedObject>, root: Int, from first: Int64) {
        assert(first > 0, "a permanent key is positive")
        let isKnownToChildren = context?.children.isEmpty == false
        lock.withLock { _ in
            // In two passes, because a table finds neighbours of the last key without looking.
            objects.eachUnretained { object in
                guard object.key < 0, object.rootIndex == root else { return }
                remove(Unmanaged.passUnretained(object).toOpaque(), object.key, root)
            }
            if isKnownToChildren { keyChanges.reserve(objects.count) }
            var key = first
            objects.eachUnretained { object in
                guard object.key < 0, object.rootIndex == root else { return }
                if isKnownToChildren { keyChanges.note(object.key, to: key, root: root) }
                tables[root].update(key, Unmanaged.passUnretained(object).toOpaque())
                object.key = key
                if object.identifier != nil { object.identifier = nil }
                key += 1
            }
        }
        if StoreClasses.areOpen { tell(objects.map(\.objectKey), areRegistered: true) }
    }

    /// Tells stores of a program's own which objects there are; their code runs here.
    func tell(_ keys: [ObjectKey], areRegistered: Bool) {
        guard parent == nil else { return }
        for (entity, keys) in Dictionary(grouping: keys.filter { $0.key > 0 }, by: \.entity) {
            let store =
                stores(binding.layout[Int(entity)], keys.first?.key ?? -1) as? any RequestAnswering
            if areRegistered { store?.noteRegistered(keys) } else { store?.noteUnregistered(keys) }
        }
    }

    /// All registered objects, in no particular order.
    var all: [NSManagedObject] {
        var result: [NSManagedObject] = []
        result.reserveCapacity(count)
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
        if StoreClasses.areOpen { tell(all.map(\.objectKey), areRegistered: false) }
        lock.withLock { _ in
            for index in 0..<entityCount { tables[index] = KeyTable() }
        }
    }

    // MARK: Parts

    /// Removes the entry if it still is this object; under the lock.
    @discardableResult
    private func remove(_ object: UnsafeMutableRawPointer, _ key: Int64, _ root: Int) -> Bool {
        guard tables[root][key] == object else { return false }
        tables[root].remove(key)
        return true
    }

    private func lockedObject(_ key: Int64, root: Int) -> NSManagedObject? {
        guard let pointer = tables[root][key] else {
            return parent == nil ? nil : objectWithOtherKey(key, root: root)
        }
        guard faultline_try_retain(pointer) else { return nil }
        return Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue()
    }

    /// The object of a child that has not the key it is asked for by, because it got its permanent
    /// one further up and not everybody below knows both. The two belong together from now on.
    func objectWithOtherKey(_ key: Int64, root: Int) -> NSManagedObject? {
        key < 0 ? objectGoneOn(from: key, root: root) : adopt(key, root: root)
    }

    /// An object that was read under its permanent key alone.
    private func objectGoneOn(from former: Int64, root: Int) -> NSManagedObject? {
        guard let key = parent?.currentKey(former), key >= 0 else { return nil }
        keyChanges.note(former, to: key, root: root)
        guard let pointer = tables[root][key], faultline_try_retain(pointer) else { return nil }
        return Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue()
    }

    /// An object that was saved further up, and has the permanent key from now on.
    private func adopt(_ key: Int64, root: Int) -> NSManagedObject? {
        guard key > 0, let former = parent?.formerKey(of: ObjectKey(entity: root, key: key)),
            let pointer = tables[root][former], faultline_try_retain(pointer)
        else { return nil }
        let object = Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue()
        assert(object.key == former, "an object stands under another's key")
        keyChanges.note(former, to: key, root: root)
        tables[root].remove(former)
        tables[root].update(key, pointer)
        object.key = key
        object.identifier = nil
        return object
    }

    /// The temporary key that children may still use.
    private func formerKey(of key: ObjectKey) -> Int64? {
        let found = lock.withLock { _ in keyChanges.former(key) }
        return found ?? parent?.formerKey(of: key)
    }

    /// A fault that is not registered yet and has no reference to the registry.
    @inline(__always)
    func makeFault(entity: Int, key: Int64) -> NSManagedObject {
        let maker = makers[entity]
        let object = Materialization.fault(
            of: maker.objectClass, entity: maker.description, marker: marker)
        object.key = key
        object.state = objectState.union(.fault)
        if retainsObjects { context?.retain(object) }
        return object
    }
}

/// What the faults of one entity have in common, looked up once for all.
private struct FaultMaker {
    let objectClass: NSManagedObject.Type
    /// Safe: the registry's binding keeps it.
    let description: Unmanaged<NSEntityDescription>
}

// `@unchecked Sendable` because the tables are guarded by `lock`, `context` is set before the
// first object exists and cleared in the context's `deinit`, and the rest is immutable.
extension ObjectRegistry: @unchecked Sendable {}
