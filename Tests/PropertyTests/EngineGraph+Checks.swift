import CoreData
import CoreDataEngine
import CoreDataStore

/// Lookups by id and failing saves. Neither may change the graph.
extension EngineGraph {
    /// Checks that the object is found by its id, and by the id that it has in the parent context.
    func checkLookUps(of object: NSManagedObject, _ identity: Identity, in number: Int) throws {
        let context = contexts[number]
        var ids = [context.performAndWait { object.objectID }]
        if let parent = arrangement.parents[number],
            let above = handles[parent][identity], above.managedObjectContext != nil
        {
            ids.append(contexts[parent].performAndWait { above.objectID })
        }
        try context.performAndWait {
            for id in ids {
                guard context.object(with: id) === object,
                    try context.existingObject(with: id) === object, !object.isFault
                else { throw Failure("context \(number) has another object for \(id)") }
            }
        }
    }

    /// Checks internal invariants, which can be violated although all values are as expected.
    func checkStructures() throws {
        for (number, context) in contexts.enumerated() {
            let broken = context.performAndWait { context.brokenInvariant() }
            if let broken { throw Failure("context \(number) is broken: \(broken)") }
        }
    }

    /// Runs a save that must fail before the store has written anything.
    func failToSave(_ number: Int) throws {
        let context = contexts[number]
        coordinator.faultPoints.handler = { point throws(CoreDataError) in
            if point == .write { throw CoreDataError(.storeOperation, "The disk is full.") }
        }
        defer { coordinator.faultPoints.handler = nil }
        let hasFailed = context.performAndWait {
            do { try context.save() } catch { return true }
            return false
        }
        guard hasFailed else { throw Failure("the save of context \(number) did not fail") }
    }
}
