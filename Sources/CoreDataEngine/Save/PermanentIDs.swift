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
        var groups = ContiguousArray<ContiguousArray<NSManagedObject>>(
            repeating: [], count: context.binding.layout.entities.count)
        var roots: [Int] = []
        for object in objects where object.key < 0 {
            let root = object.layoutReference._withUnsafeGuaranteedRef { $0.rootIndex }
            if groups[root].isEmpty { roots.append(root) }
            groups[root].append(object)
        }
        guard !roots.isEmpty else { return }
        guard let coordinator = context.persistentStoreCoordinator else {
            throw CoreDataError(.storeOperation, "The context has no coordinator to give out ids.")
        }
        for root in roots {
            let layout = context.binding.layout[root]
            let group = groups[root]
            let store = try coordinator.requireStore(for: layout)
            if let store = store as? any RequestAnswering {
                try assignOneByOne(group, root, by: store, in: context)
                continue
            }
            let first = try store.backend.reserveKeys(group.count, for: layout)
            context.registry.changeKeys(of: group, root: root, from: first)
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
