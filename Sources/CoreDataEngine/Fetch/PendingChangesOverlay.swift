import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Applies a context's unsaved changes to the results of a store, which are saved rows.
///
/// As in Core Data, deleted objects are removed, changed objects are evaluated again in memory, and
/// new objects are added. Then the results are sorted and limited again. The offset is not applied
/// again.
struct PendingChangesOverlay {
    private let plan: FetchPlan
    private let predicate: NSPredicate?
    private let inserted: [NSManagedObject]
    private let updated: [NSManagedObject]
    private let hasDeletions: Bool

    /// - Returns: nil if no unsaved change affects the request.
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

    /// - Parameter sorts: whether the results are sorted again. If not, additional objects precede
    ///   the objects that the store has found, as in Core Data's fetches of ids.
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
        // A save that failed may have written some objects. So a new object may already be among
        // the store's results.
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
            return try predicate.selects(object)
        } catch {
            throw CoreDataError(.invalidArgument, "\(error)")
        }
    }

    /// Equal objects keep the order of the store. The values of an object are read once, and not
    /// for each comparison.
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
