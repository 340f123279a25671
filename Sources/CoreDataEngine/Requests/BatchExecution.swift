import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Runs one of the three batch requests for a context and builds its result. Called on the
/// context's queue.
///
/// The batch does not change the objects of the context or the row cache. If it has changed the row
/// of an object, a later save of the object reports a conflict.
struct BatchExecution {
    let context: NSManagedObjectContext
    let request: NSPersistentStoreRequest

    enum Answer { case status, ids, count }

    func run(_ batch: BatchPlan, _ answer: Answer) throws(CoreDataError) -> Any {
        guard let coordinator = context.persistentStoreCoordinator else {
            throw CoreDataError(
                .storeOperation,
                "The context has no coordinator to write to. Set persistentStoreCoordinator first.")
        }
        let origin = WriteOrigin(author: author(in: context), contextName: context.name)
        var ids: [NSManagedObjectID] = []
        var count = 0
        for store in try stores(of: batch, coordinator) {
            guard let part = batch.rows(of: store) else { continue }
            context.notifyWatcher(.batching(part))
            let keys = try context.emittingFailure("a batch request") {
                () throws(CoreDataError) in
                try coordinator.write(
                    part, to: store, origin: origin, named: "\(type(of: request))")
            }
            context.notifyWatcher(.batched(part, keys: Array(keys)))
            count += keys.count
            if answer == .ids { ids += keys.map { id($0, store) } }
        }
        context.emit(.batch(batch))
        switch answer {
        case .status: return true
        case .count: return count
        case .ids: return ids
        }
    }

    /// The author of the context or, if the context has none, of the nearest context above it.
    private func author(in context: NSManagedObjectContext) -> String? {
        if let author = context.transactionAuthor { return author }
        guard let parent = context.parent else { return nil }
        return parent.queue.runAndWait { () throws(Never) in author(in: parent) }
    }

    /// The stores to write. An insert writes only the first writable store of the request. Other
    /// batches write all of its stores.
    private func stores(
        of batch: BatchPlan, _ coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> [NSPersistentStore] {
        let keeping = coordinator.stores(of: batch.entity)
        if keeping.isEmpty { throw coordinator.noStore(for: batch.entity) }
        let wanted = request.affectedStores ?? keeping
        let asked = keeping.filter { store in wanted.contains { $0 === store } }
        guard !asked.isEmpty else {
            throw CoreDataError(
                .invalidArgument,
                "None of the affected stores keeps the entity '\(batch.entity.name)'. Leave"
                    + " affectedStores nil, or name a store that keeps the entity.")
        }
        guard case .insert = batch else { return asked }
        return [asked.first { !$0.isReadOnly } ?? asked[0]]
    }

    private func id(_ key: ObjectKey, _ store: NSPersistentStore) -> NSManagedObjectID {
        let binding = context.binding
        return NSManagedObjectID(
            key: key, entity: binding.description(at: Int(key.entity)),
            layout: binding.layout[Int(key.entity)], store: store)
    }

    func entity(
        _ entity: NSEntityDescription?, named name: String?
    ) throws(CoreDataError) -> NSEntityDescription {
        guard let name = name ?? entity?.name else {
            throw CoreDataError(
                .invalidArgument,
                "A batch request must have an entity. Create the request with an entity.")
        }
        return try context.entityDescription(named: name)
    }

    static func value(
        _ object: Any?, for slot: ValueSlot, of entity: EntityLayout
    ) throws(CoreDataError) -> Value {
        guard slot.kind != .toOne else {
            throw CoreDataError(
                .invalidArgument,
                "A batch request cannot set the relationship '\(slot.name)' of"
                    + " '\(entity.name)'. Set the relationship on objects and save them.")
        }
        guard slot.column != nil else {
            throw CoreDataError(
                .invalidArgument,
                "A batch request cannot set '\(slot.name)' of '\(entity.name)', which is"
                    + " transient.")
        }
        if case .transformed(let name) = slot.coding {
            guard let object = AttributeCoding.flattened(object) else { return .null }
            return .data(try TransformedValues.bytes(of: object, by: name, slot, of: entity))
        }
        guard let value = AttributeCoding.value(from: object, kind: slot.kind) else {
            throw CoreDataError(
                .invalidArgument,
                "Unacceptable type of value for attribute: property = \"\(slot.name)\"; given type"
                    + " = \(object.map { "\(type(of: $0))" } ?? "nil").")
        }
        if case .integer(let number) = value, slot.kind != .boolean,
            AttributeCoding.whole(number, slot.kind) != number
        {
            throw CoreDataError(
                .invalidArgument,
                "The value \(number) of '\(slot.name)' of '\(entity.name)' does not fit the type"
                    + " \(slot.kind). Choose a wider type in the model, or another value.")
        }
        return value
    }

    /// Replaces the value of each composite attribute by the values of its elements.
    static func slotted(
        _ values: [String: Any], of entity: EntityLayout
    ) throws(CoreDataError) -> [(name: String, value: Any)] {
        guard entity.hasComposites else { return values.map { ($0.key, $0.value) } }
        var slotted: [(name: String, value: Any)] = []
        for (name, value) in values {
            guard let slots = entity.elementSlots(ofComposite: name) else {
                slotted.append((name, value))
                continue
            }
            let elements = try CompositeElements(value, entity, slots, at: name)
            for slot in slots {
                let element = elements.values[slot] ?? nil
                slotted.append((entity.values[slot].name, element ?? NSNull()))
            }
        }
        return slotted
    }

    static func slot(
        named name: String, of entity: EntityLayout
    ) throws(CoreDataError) -> Int {
        if let slot = entity.valueSlot(named: name) { return slot }
        throw CoreDataError(
            .invalidArgument,
            entity.toManySlot(named: name) == nil
                ? "'\(name)' in a batch request is not a property of '\(entity.name)'; its"
                    + " attributes are: \(attributes(of: entity))."
                : "A batch request cannot set the relationship '\(name)' of '\(entity.name)'. Set"
                    + " it on objects and save them.")
    }

    private static func attributes(of entity: EntityLayout) -> String {
        let names = entity.values.filter { $0.column != nil && $0.kind != .toOne }.map(\.name)
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}

extension BatchPlan {
    /// The part of the batch for one store. Nil if the batch deletes no rows of the store.
    fileprivate func rows(of store: NSPersistentStore) -> BatchPlan? {
        guard case .delete(let delete) = self, let keys = delete.keys,
            let coordinator = store.persistentStoreCoordinator
        else { return self }
        let own = keys.filter { coordinator.storeIfAny(for: entity, key: $0) === store }
        return own.isEmpty ? nil : .delete(Delete(plan: delete.plan, keys: ContiguousArray(own)))
    }
}
