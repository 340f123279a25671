import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import LabScenario

// A batch request changes rows without any context. Therefore its effect is read from the store.
extension StepRunner {
    func run(_ batch: BatchStatement) throws(Stop) -> String {
        let before = world.watch.mirror
        var values: [String: Any] = [:]
        var bases: [String: WriteBasis] = [:]
        for assignment in batch.values {
            let (value, basis) = try Evaluation(runner: self).value(of: assignment.value)
            values[assignment.key.value] = Evaluation.foundation(value)
            bases[assignment.key.value] = basis
        }
        let predicate = try predicate(batch.query.predicate, of: batch.query.entity.value)
        let request = Self.request(batch, values, predicate)
        signHistory()
        try engine { () throws(CoreDataError) in
            _ = try context.context.executeRequest(request)
            try world.watch.readMirror()
        }
        let written = Set(before.rows.keys).union(world.watch.mirror.rows.keys)
            .filter { before[$0] != world.watch.mirror[$0] }
            .sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
        let named = Set(batch.values.map(\.key.value))
        world.recorder.record(
            .saved(
                Save(
                    target: .store, policy: context.policyName,
                    changes: written.map { change($0, batch, before[$0], named) },
                    batch: bases)))
        world.note(
            SavedKeys(
                inserted: written.filter { before[$0] == nil },
                updated: written.filter { before[$0] != nil && world.watch.mirror[$0] != nil },
                deleted: written.filter { world.watch.mirror[$0] == nil }), by: context)
        return written.count == 1 ? "1 row" : "\(written.count) rows"
    }

    private static func request(
        _ batch: BatchStatement, _ values: [String: Any], _ predicate: NSPredicate?
    ) -> NSPersistentStoreRequest {
        let entity = batch.query.entity.value
        switch batch.kind {
        case .insert: return NSBatchInsertRequest(entityName: entity, objects: [values])
        case .update:
            let request = NSBatchUpdateRequest(entityName: entity)
            request.propertiesToUpdate = values
            request.predicate = predicate
            return request
        case .delete:
            let rows = NSFetchRequest<NSManagedObject>(entityName: entity)
            rows.predicate = predicate
            return NSBatchDeleteRequest(fetchRequest: rows)
        }
    }

    /// The change that a batch request makes to a row. If an insert updated an existing row, the
    /// change has no base, because the insert did not read the row.
    private func change(
        _ key: ObjectKey, _ batch: BatchStatement, _ before: Row?, _ named: Set<String>
    ) -> Save.Change {
        let after = world.watch.mirror[key]
        let slots = world.layout[Int(key.entity)].values.enumerated()
            .filter { named.contains($0.element.name) }.map(\.offset)
        return Save.Change(
            object: world.name(key), base: batch.kind == .insert ? nil : before, before: before,
            wanted: slots.compactMap { slot in after.map { (slot, $0.values[slot]) } },
            named: slots, after: after, isDelete: after == nil)
    }
}
