import CRuntimeShims
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// The identity map of one context: one object for each id.
///
/// Objects are held weakly and may be released on any thread. An object removes itself in its
/// `deinit`, under the lock. A look-up retains only objects that are not being released. While the
/// lock is held, no user code runs and no object is released.
///
/// Invariant: an object in a table refers to this registry, and is in the table of its root entity,
/// under its own key.
package final class ObjectRegistry {
    package let binding: ModelBinding
    /// Only the files of the registry use the lock, and the state that the lock guards.
    let lock = Mutex(())
    /// One table for each root entity, indexed by the layout index of the root; guarded by `lock`.
    /// Objects are raw pointers, because a table must not keep them alive.
    let tables: UnsafeMutablePointer<KeyTable>
    /// Guarded by `lock`.
    @exclusivity(unchecked) var keyChanges = KeyChanges()
    /// The identity map of the parent context. A thread that holds this registry's lock may take
    /// the parent's lock, but not the reverse.
    let parent: ObjectRegistry?
    let entityCount: Int
    /// The root entity of each entity, indexed by layout index; every look-up reads it.
    let roots: ContiguousArray<Int>
    private let builders: ContiguousArray<FaultBuilder>
    /// Passed to an initialiser in place of a context, to create a fault; see `Materialization`.
    private let marker = Unmanaged.passUnretained(Materialization.marker)
    private let stores: @Sendable (EntityLayout, Int64) -> NSPersistentStore?

    init(
        binding: ModelBinding, route: FaultRoute?, trace: Trace, parent: ObjectRegistry?,
        stores: @escaping @Sendable (EntityLayout, Int64) -> NSPersistentStore?
    ) {
        self.binding = binding
        faultRoute = route.map { RetainedObject($0) }
        self.trace = trace
        self.parent = parent
        self.stores = stores
        entityCount = binding.layout.entities.count
        roots = ContiguousArray(binding.layout.entities.map(\.rootIndex))
        builders = ContiguousArray(
            binding.layout.entities.map {
                FaultBuilder(
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

    /// The context, or nil once it has been freed.
    @exclusivity(unchecked) private(set) unowned(unsafe) var context: NSManagedObjectContext?

    /// The context's change tracker; unowned, so that objects can record changes without retain and
    /// release.
    @exclusivity(unchecked) private(set) var changes: Unmanaged<ChangeTracker>?

    @exclusivity(unchecked) private(set) var hasContext = false

    func setContext(_ context: NSManagedObjectContext?) {
        self.context = context
        changes = context.map { Unmanaged.passUnretained($0.changes) }
        hasContext = context != nil
        if context == nil { faultRoute = nil }
        if context?.checksAccess == true { objectState.insert(.checked) }
    }

    @exclusivity(unchecked) final var undoRecorder: UndoRecorder?

    @exclusivity(unchecked) final private(set) var notices: NoticeQueue?

    func noteObserved() { if notices == nil { notices = NoticeQueue() } }

    /// The fast path to the row cache and the stores of the context; nil for a child context. It is
    /// replaced when the context is pinned.
    @exclusivity(unchecked) var faultRoute: RetainedObject<FaultRoute>?
    let trace: Trace
    @exclusivity(unchecked) var acceptsAnyAge = true
    @exclusivity(unchecked) var retainsObjects = false
    /// The state bits that every object of the context has. They show whether accesses are checked
    /// and reported.
    @exclusivity(unchecked) private(set) var objectState: ObjectState = []
    @exclusivity(unchecked) var listener: (any ContextListener)? {
        didSet {
            if listener == nil { objectState.remove(.heard) } else { objectState.insert(.heard) }
            gate = listener?.gate
        }
    }
    /// The listener's gate. It is stored separately, so that objects can read it without retaining
    /// the listener.
    @exclusivity(unchecked) private var gate: UnsafeMutablePointer<ListenerGate>?

    /// Whether the listener does not need the next access; the access is then only counted.
    @inline(__always)
    var passesGate: Bool { gate?.pointee.takes() ?? false }

    /// The store of a row. For a new object, the store to which the object will be saved.
    func store(for layout: EntityLayout, key: Int64) -> NSPersistentStore? { stores(layout, key) }

    func layout(at index: Int) -> EntityLayout { binding.layout[index] }

    /// A cache for ``owns(_:)``: the last layout that belonged to this model. Programs usually
    /// create many objects of one entity in a row.
    @exclusivity(unchecked) private var lastOwnLayout: UnsafeMutableRawPointer?

    func owns(_ layout: Unmanaged<EntityLayout>) -> Bool {
        if layout.toOpaque() == lastOwnLayout { return true }
        guard layout._withUnsafeGuaranteedRef({ binding.layout[$0.index] === $0 }) else {
            return false
        }
        lastOwnLayout = layout.toOpaque()
        return true
    }

    /// A cache: the class that was last looked up. Programs usually create many objects of one
    /// class in a row.
    @exclusivity(unchecked)
    private var lastClass: (objectClass: NSManagedObject.Type, entity: NSEntityDescription)?

    func entity(forClass objectClass: NSManagedObject.Type) -> NSEntityDescription? {
        if let lastClass, lastClass.objectClass == objectClass { return lastClass.entity }
        guard let found = binding.entity(forClass: objectClass) else { return nil }
        lastClass = (objectClass, found)
        return found
    }

    // MARK: Look-up

    /// The registered object of a key, or nil. Runs no SQL.
    func registered(_ key: ObjectKey) -> NSManagedObject? {
        let root = roots[Int(key.entity)]
        return lock.withLock { _ in lockedObject(keyChanges.current(key.key), root: root) }
    }

    /// The object that a relationship leads to; nil once the context has been freed.
    func destination(for key: ObjectKey) -> NSManagedObject? {
        if key.key >= 0 {
            let found = lock.withLock { _ in tryRetained(tables[roots[Int(key.entity)]][key.key]) }
            if let found { return found.takeRetainedValue() }
        }
        return hasContext ? object(for: key) : nil
    }

    /// Retains the object unless it is being released. Called under the lock.
    @inline(__always)
    private func tryRetained(
        _ pointer: UnsafeMutableRawPointer?
    ) -> Unmanaged<NSManagedObject>? {
        guard let pointer, faultline_try_retain(pointer) else { return nil }
        return .fromOpaque(pointer)
    }

    /// The object of a key. Creates a fault if no object has been registered. Runs no SQL.
    func object(for key: ObjectKey) -> NSManagedObject {
        if let found = registered(key) { return found }
        let number = key.isTemporary ? lock.withLock { _ in keyChanges.current(key.key) } : key.key
        let made = makeFault(entity: Int(key.entity), key: number)
        register(made)
        return made
    }

    func reserve(_ count: Int, for family: EntityLayout) {
        lock.withLock { _ in tables[family.rootIndex].reserve(count) }
    }

    /// The permanent key of an object, if this context or a parent has assigned one; otherwise the
    /// key itself. An object of this context keeps its temporary key until it is looked up by the
    /// permanent one.
    func currentKey(_ key: ObjectKey) -> ObjectKey {
        ObjectKey(entity: Int(key.entity), key: currentKey(key.key))
    }

    private func currentKey(_ key: Int64) -> Int64 {
        if key >= 0 { return key }
        let known = lock.withLock { _ in keyChanges.current(key) }
        return known >= 0 ? known : parent?.currentKey(key) ?? key
    }

    /// Whether objects always have their current keys. False for a child context, because a parent
    /// may assign a permanent key.
    var knowsEveryKey: Bool { parent == nil }

    // MARK: Registration

    func register(_ object: NSManagedObject) {
        assert(roots.indices.contains(object.rootIndex), "the entity belongs to another model")
        object.registry = self
        if object.state.contains(.observed) { noteObserved() }
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        lock.withLock { _ in _ = tables[object.rootIndex].update(object.key, pointer) }
        if StoreClasses.areOpen { notifyStores([object.objectKey], areRegistered: true) }
    }

    /// Called by the object's `deinit`, on any thread.
    func remove(_ object: NSManagedObject, key: Int64, root: Int) {
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        let isRemoved = lock.withLock { _ in remove(pointer, key, root) }
        guard isRemoved, StoreClasses.areOpen else { return }
        let entity = object.layoutReference._withUnsafeGuaranteedRef { $0.index }
        notifyStores([ObjectKey(entity: entity, key: key)], areRegistered: false)
    }

    /// Removes an object that is not being released.
    func unregister(_ object: NSManagedObject) {
        // The id refers to the object's store, which only the registry can find.
        if !object.knowsStore { object.identifier = object.objectID }
        assert(
            object.registryReference?.toOpaque() == Unmanaged.passUnretained(self).toOpaque(),
            "the object belongs to another context")
        remove(object, key: object.key, root: object.rootIndex)
        object.registry = nil
    }

    /// Removes the object permanently. Also drops its links: objects that link to each other would
    /// otherwise never be released.
    func dismiss(_ object: NSManagedObject) {
        unregister(object)
        object.relationships = nil
        guard let pending = object.pending else { return }
        for slot in pending.mask.slots where object.layout.values[slot].toOne != nil {
            pending.clear(slot)
        }
    }

    /// Removes an object that was merged into another object, the survivor. Child contexts that
    /// look up the removed object find the survivor.
    func dismiss(_ object: NSManagedObject, foldedInto survivor: NSManagedObject) {
        let key = ObjectKey(entity: object.rootIndex, key: object.key)
        dismiss(object)
        lock.withLock { _ in
            guard let former = key.isTemporary ? key.key : keyChanges.former(key) else { return }
            keyChanges.note(former, asPartOf: survivor.key)
        }
    }

    /// Assigns consecutive permanent keys to the objects of the root entity that have temporary
    /// keys. Children may still look them up by the temporary keys.
    func changeKeys(of objects: ContiguousArray<NSManagedObject>, root: Int, from first: Int64) {
        assert(first > 0, "the first permanent key is not positive")
        let isKnownToChildren = context?.children.isEmpty == false
        lock.withLock { _ in
            // Two loops, because a table finds a key next to the previous one without a search.
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
        if StoreClasses.areOpen { notifyStores(objects.map(\.objectKey), areRegistered: true) }
    }

    /// Notifies custom stores of the objects that the context has registered or removed. Runs code
    /// of the stores.
    func notifyStores(_ keys: [ObjectKey], areRegistered: Bool) {
        guard parent == nil else { return }
        for (entity, keys) in Dictionary(grouping: keys.filter { $0.key > 0 }, by: \.entity) {
            let store =
                stores(binding.layout[Int(entity)], keys.first?.key ?? -1) as? any RequestAnswering
            if areRegistered { store?.noteRegistered(keys) } else { store?.noteUnregistered(keys) }
        }
    }

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

    package var count: Int {
        lock.withLock { _ in (0..<entityCount).reduce(0) { $0 + tables[$1].count } }
    }

    func removeAll() {
        if StoreClasses.areOpen { notifyStores(all.map(\.objectKey), areRegistered: false) }
        lock.withLock { _ in
            for index in 0..<entityCount { tables[index] = KeyTable() }
        }
    }

    // MARK: Parts

    /// Removes the table entry if it still refers to this object. Called under the lock.
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

    /// Finds an object under its other key. A parent may assign a permanent key while this child
    /// still uses the temporary key, or the reverse. Links the two keys.
    func objectWithOtherKey(_ key: Int64, root: Int) -> NSManagedObject? {
        key < 0 ? objectGoneOn(from: key, root: root) : adopt(key, root: root)
    }

    /// Finds an object by its temporary key, if it is registered under its permanent key.
    private func objectGoneOn(from former: Int64, root: Int) -> NSManagedObject? {
        guard let key = parent?.currentKey(former), key >= 0 else { return nil }
        keyChanges.note(former, to: key, root: root)
        guard let pointer = tables[root][key], faultline_try_retain(pointer) else { return nil }
        return Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Finds an object by its permanent key, if it is registered under its temporary key. Registers
    /// it under the permanent key.
    private func adopt(_ key: Int64, root: Int) -> NSManagedObject? {
        guard key > 0, let former = parent?.formerKey(of: ObjectKey(entity: root, key: key)),
            let pointer = tables[root][former], faultline_try_retain(pointer)
        else { return nil }
        let object = Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue()
        assert(object.key == former, "the object is stored under the key of another object")
        keyChanges.note(former, to: key, root: root)
        tables[root].remove(former)
        tables[root].update(key, pointer)
        object.key = key
        object.identifier = nil
        return object
    }

    private func formerKey(of key: ObjectKey) -> Int64? {
        let found = lock.withLock { _ in keyChanges.former(key) }
        return found ?? parent?.formerKey(of: key)
    }

    /// Creates a fault that is not registered yet and does not refer to the registry.
    @inline(__always)
    func makeFault(entity: Int, key: Int64) -> NSManagedObject {
        let builder = builders[entity]
        let object = Materialization.fault(
            of: builder.objectClass, entity: builder.description, marker: marker)
        object.key = key
        object.state = objectState.union(.fault)
        if retainsObjects { context?.retain(object) }
        return object
    }
}

/// The values that all faults of an entity share. They are looked up once for each entity.
private struct FaultBuilder {
    let objectClass: NSManagedObject.Type
    /// Safe: the registry's binding keeps the entity alive.
    let description: Unmanaged<NSEntityDescription>
}

// `@unchecked Sendable` because `lock` guards the tables. `context` is set before the first object
// exists and cleared in the context's `deinit`. The rest is immutable.
extension ObjectRegistry: @unchecked Sendable {}
