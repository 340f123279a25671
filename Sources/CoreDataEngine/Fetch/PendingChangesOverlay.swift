import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// A context's unsaved changes, laid over what the store found.
///
/// The store answers from saved rows. Deleted objects are then taken out, changed ones judged
/// again in memory, new ones added, the order made again and the limit applied again (not the
/// offset), as Core Data does.
struct PendingChangesOverlay {
    private let plan: FetchPlan
    private let predicate: NSPredicate?
    private let inserted: [NSManagedObject]
    private let updated: [NSManagedObject]
    private let hasDeletions: Bool

    /// - Returns: nil when no unsaved change touches the request.
    init?(context: NSManagedObjectContext, plan: FetchPlan, predicate: NSPredicate?) {
        let changes = context.changes
        guard changes.hasChanges else { return nil }
        func matches(_ object: NSManagedObject) -> Bool {
            plan.includesSubentities
                ? plan.entity.familyRange.contains(object.layout.index)
                : plan.entity.index == object.layout.index
        }
        self.plan = plan
        self.predicate = predicate
        inserted = changes.inserted.filter { matches($0) && !$0.state.contains(.deleted) }
        updated = changes.updated.filter { matches($0) }
        hasDeletions = changes.deleted.contains { matches($0) }
        let onlyOthers = inserted.isEmpty && updated.isEmpty && !hasDeletions
        if onlyOthers, predicate?.keyPaths.allSatisfy({ $0.count < 2 }) ?? true { return nil }
    }

    /// - Parameter sorts: whether the order is made again; without, what the store did not find
    ///   stands before what it did, as in Core Data's results of ids.
    func apply(
        to stored: [NSManagedObject], limit: Int, sorts: Bool = true
    ) throws(CoreDataError) -> [NSManagedObject] {
        var results: [NSManagedObject] = []
        results.reserveCapacity(stored.count + inserted.count)
        var present = Set<ObjectIdentifier>()
        for object in stored
        where !object.state.contains(.deleted) || mutant(.fetchForgetsDeletes) {
            let isChanged = !object.state.isDisjoint(with: [.inserted, .updated])
            if isChanged, try !holds(for: object) { continue }
            present.insert(ObjectIdentifier(object))
            results.append(object)
        }
        let storedCount = results.count
        for object in updated where !present.contains(ObjectIdentifier(object)) {
            if try holds(for: object) { results.append(object) }
        }
        // A save that was told to have failed may have written some.
        for object in inserted
        where !present.contains(ObjectIdentifier(object)) && !mutant(.fetchForgetsInserts) {
            if try holds(for: object) { results.append(object) }
        }
        if !sorts {
            results = Array(results[storedCount...] + results[..<storedCount])
        } else if results.count > storedCount || !updated.isEmpty {
            results = try sorted(results)
        }
        if limit > 0, results.count > limit { results.removeLast(results.count - limit) }
        return results
    }

    private func holds(for object: NSManagedObject) throws(CoreDataError) -> Bool {
        guard let predicate else { return true }
        do {
            return try predicate.evaluateCore(with: object, variables: nil)
        } catch {
            throw CoreDataError(.invalidArgument, "\(error)")
        }
    }

    /// Equal objects keep the store's order. Values are read once for each object, not for each
    /// pair that is compared.
    private func sorted(
        _ objects: [NSManagedObject]
    ) throws(CoreDataError) -> [NSManagedObject] {
        do {
            return try SortOrder.sorted(objects, by: plan.sortDescriptors)
        } catch {
            throw CoreDataError(.invalidArgument, "\(error)")
        }
    }
}
