import CoreDataModel

/// Gives new objects the keys of the rows they will become.
///
/// Called by the save pipeline and by `obtainPermanentIDs(for:)`, on the context's queue.
enum PermanentIDs {
    /// Reserves keys, one short transaction for each root entity, and renames the objects.
    static func assign(
        to objects: ContiguousArray<NSManagedObject>, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        if objects.isEmpty { return }
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
            throw CoreDataError(.storeOperation, "The context has no coordinator to give out ids.")
        }
        for root in roots {
            let layout = context.binding.layout[root]
            let store = try coordinator.requireStore(for: layout)
            if let store = store as? any RequestAnswering {
                let group = objects.filter { $0.key < 0 && $0.rootIndex == root }
                try assignOneByOne(ContiguousArray(group), root, by: store, in: context)
                continue
            }
            let first = try store.backend.reserveKeys(counts[root], for: layout)
            context.registry.changeKeys(of: objects, root: root, from: first)
        }
    }

    /// A store of a program's own gives out what keys it likes.
    private static func assignOneByOne(
        _ objects: ContiguousArray<NSManagedObject>, _ root: Int, by store: any RequestAnswering,
        in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        for (object, key) in zip(objects, try store.permanentKeys(for: objects)) {
            context.registry.changeKeys(of: [object], root: root, from: key)
        }
    }
}

extension NSManagedObject {
    /// The root of the object's entity, whose subentities share one sequence of keys.
    @inline(__always)
    final var rootIndex: Int { layoutReference._withUnsafeGuaranteedRef { $0.rootIndex } }
}
