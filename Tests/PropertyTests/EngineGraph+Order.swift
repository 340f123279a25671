import CoreData
import CoreDataEngine

/// A list before and after a step that has reordered it.
struct MovedList {
    let owner: ReferenceGraph.Identity
    let key: String
    let before: [ReferenceGraph.Identity]
    let after: [ReferenceGraph.Identity]
}

struct UndoableStep {
    let changes: ReferenceChanges
    let list: MovedList?
}

/// Compares the orders of contexts with each other, because the reference has no orders.
extension EngineGraph {
    func list(_ owner: Identity, _ key: String, in number: Int) -> [Identity] {
        guard let object = object(owner, in: number) else { return [] }
        return contexts[number].performAndWait { Comparison.list(object, key) }
    }

    func move(
        in owner: Identity, _ key: String, _ pick: Int, in number: Int
    ) throws -> MovedList? {
        guard let object = object(owner, in: number) else {
            throw Failure("#\(owner) is unknown in context \(number)")
        }
        return contexts[number].performAndWait {
            let before = Comparison.list(object, key)
            let found = (object.value(forKey: key) as? NSOrderedSet)?.array
            guard var members = found as? [NSManagedObject], members.count > 1 else { return nil }
            let member = members.remove(at: pick % members.count)
            members.insert(member, at: (pick >> 4) % (members.count + 1))
            object.setValue(NSOrderedSet(array: members), forKey: key)
            return MovedList(
                owner: owner, key: key, before: before,
                after: members.map { Comparison.identity(of: $0) ?? -1 })
        }
    }

    /// Compares the orders after a save with those of the parent. If there is no parent, it
    /// compares them with those of the store and of all contexts without unsaved changes.
    func compareOrders(of saver: Int, with others: [Int]) throws {
        guard arrangement.isOrdered else { return }
        let expected = try orders(in: contexts[saver])
        for other in others {
            let found = try orders(in: contexts[other])
            guard found == expected else {
                throw Failure(
                    "context \(other) has the orders \(found) after the save of context \(saver), "
                        + "not \(expected)")
            }
        }
        if contexts[saver].parent != nil { return }
        let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = coordinator
        let found = try orders(in: reader)
        guard found == expected else {
            throw Failure("the store has the orders \(found), not \(expected)")
        }
    }

    private func orders(in context: NSManagedObjectContext) throws -> [Identity: [Identity]] {
        try context.performAndWait {
            var orders: [Identity: [Identity]] = [:]
            for (entity, key) in [("Author", "notes"), ("Book", "tags")] {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                for object in try context.fetch(request) {
                    guard let identity = Comparison.identity(of: object) else { continue }
                    let list = Comparison.list(object, key)
                    if list.count > 1 { orders[identity] = list }
                }
            }
            return orders
        }
    }
}
