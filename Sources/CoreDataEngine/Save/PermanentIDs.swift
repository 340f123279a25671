import CoreDataModel
import CoreDataStore

/// Assigns permanent keys to new objects, for the rows that a save inserts later.
///
/// The save pipeline and `obtainPermanentIDs(for:)` call it on the context's queue.
enum PermanentIDs {
    /// Reserves keys in one short transaction for each root entity, and assigns them to the
    /// objects. An object that was already saved to a parent takes the key that the parent has
    /// assigned.
    static func assign(
        to objects: ContiguousArray<NSManagedObject>, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        guard let listener = context.listener else { return try assignAll(objects, in: context) }
        var former: ContiguousArray<Int64> = []
        former.reserveCapacity(objects.count)
        objects.eachUnretained { former.append($0.key) }
        try assignAll(objects, in: context)
        if !former.isEmpty { listener.note(.keysChanged(objects, former: former)) }
    }

    private static func assignAll(
        _ objects: ContiguousArray<NSManagedObject>, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        guard let parent = context.parent else { return try reserve(for: objects, in: context) }
        let isNew = { (object: NSManagedObject) in object.state.contains(.inserted) }
        try reserve(for: objects.keeping(isNew), in: context)
        let pushed = objects.keeping { $0.key < 0 && !isNew($0) }
        if !pushed.isEmpty { try take(keysOf: pushed, from: parent, in: context) }
    }

    private static func take(
        keysOf objects: ContiguousArray<NSManagedObject>, from parent: NSManagedObjectContext,
        in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        let keys = objects.map(\.objectKey)
        let known = try parent.queue.runAndWait { () throws(CoreDataError) in
            let theirs = keys.compactMap { parent.registry.registered($0) }
            try assign(to: ContiguousArray(theirs), in: parent)
            return keys.map { parent.registry.currentKey($0) }
        }
        // Looking up an object by its permanent key assigns the key to the object.
        for key in known where !key.isTemporary { _ = context.registry.registered(key) }
    }

    private static func reserve(
        for objects: ContiguousArray<NSManagedObject>, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        if objects.isEmpty { return }
        if !context.assignedStores.isEmpty { try reserveAssigned(objects, in: context) }
        var counts = ContiguousArray(repeating: 0, count: context.binding.layout.entities.count)
        var roots: [Int] = []
        objects.eachUnretained { object in
            guard object.key < 0 else { return }
            let root = object.rootIndex
            if counts[root] == 0 { roots.append(root) }
            counts[root] += 1
        }
        guard !roots.isEmpty else { return }
        guard let coordinator = context.persistentStoreCoordinator else {
            throw CoreDataError(
                .storeOperation,
                "The context has no coordinator to assign ids. Set persistentStoreCoordinator"
                    + " first.")
        }
        for root in roots {
            let layout = context.binding.layout[root]
            let store = try coordinator.requireStore(for: layout)
            if let store = store as? any KeyGiving {
                let group = objects.filter { $0.key < 0 && $0.rootIndex == root }
                try assignOneByOne(ContiguousArray(group), root, by: store, in: context)
                continue
            }
            let first = try store.keyed.reserveKeys(counts[root], for: layout)
            context.registry.changeKeys(of: objects, root: root, from: first)
            assert(
                objects.allMeet { $0.rootIndex != root || $0.key >= 0 },
                "a new object has a temporary key")
        }
    }

    private static func reserveAssigned(
        _ objects: ContiguousArray<NSManagedObject>, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        var groups: [(store: NSPersistentStore, root: Int, objects: [NSManagedObject])] = []
        for object in objects where object.key < 0 {
            guard let store = context.assignedStores.removeValue(forKey: object.key) else {
                continue
            }
            let known = groups.firstIndex { $0.store === store && $0.root == object.rootIndex }
            if let known {
                groups[known].objects.append(object)
            } else {
                groups.append((store, object.rootIndex, [object]))
            }
        }
        for (store, root, objects) in groups {
            let layout = context.binding.layout[root]
            let first = try store.keyed.reserveKeys(objects.count, for: layout)
            context.registry.changeKeys(of: ContiguousArray(objects), root: root, from: first)
        }
    }

    private static func assignOneByOne(
        _ objects: ContiguousArray<NSManagedObject>, _ root: Int, by store: any KeyGiving,
        in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        for (object, key) in zip(objects, try store.permanentKeys(for: objects)) {
            context.registry.changeKeys(of: [object], root: root, from: key)
        }
    }
}
