import CoreData

/// Runs the operations of a random program.
extension RandomCode {
    func run(
        _ operation: Operation, _ seen: SeenLines, _ ids: [NSManagedObjectID],
        _ context: NSManagedObjectContext
    ) {
        do {
            try perform(operation, seen, ids, context)
        } catch {
            seen.lines.append("failed")
            context.rollback()
        }
    }

    private func perform(
        _ operation: Operation, _ seen: SeenLines, _ ids: [NSManagedObjectID],
        _ context: NSManagedObjectContext
    ) throws {
        func object(_ account: Int) -> NSManagedObject? {
            let object = try? context.existingObject(with: ids[account])
            return object.flatMap { $0.isDeleted ? nil : $0 }
        }
        let accounts = NSFetchRequest<NSManagedObject>(entityName: "Account")
        switch operation {
        case .add(let account, let amount):
            guard let object = object(account) else { return seen.lines.append("none") }
            let balance = object.value(forKey: "balance") as? Int ?? 0
            seen.lines.append("\(balance)")
            object.setValue(balance + amount, forKey: "balance")
        case .copy(let from, let to):
            guard let source = object(from), let target = object(to) else { return }
            target.setValue(source.value(forKey: "balance"), forKey: "balance")
        case .look(let account): seen.lines.append(object(account) == nil ? "gone" : "there")
        case .set(let account, let amount): object(account)?.setValue(amount, forKey: "balance")
        case .lookTwice(let account, let amount):
            let balance = object(account).map { "\($0.value(forKey: "balance") as? Int ?? -1)" }
            let again = object(account)
            seen.lines.append("\(balance ?? "gone"),\(again == nil ? "gone" : "there")")
            again?.setValue(amount, forKey: "balance")
        case .read(let account):
            let object = context.object(with: ids[account])
            seen.lines.append("r\(object.value(forKey: "balance") as? Int ?? -1)")
        case .fetch(let amount):
            accounts.predicate = NSPredicate(format: "balance >= %d", amount)
            let found = try context.fetch(accounts).map { account in
                account.value(forKey: "balance") as? Int ?? -1
            }
            seen.lines.append("f\(found.sorted())")
        case .count: seen.lines.append("n\(try context.count(for: accounts))")
        case .list: try list(seen, context)
        case .insert(let name):
            let made = NSEntityDescription.insertNewObject(forEntityName: "Account", into: context)
            made.setValue(name, forKey: "name")
        case .refresh(let account):
            if let object = object(account) { context.refresh(object, mergeChanges: true) }
        case .delete(let account): if let object = object(account) { context.delete(object) }
        case .addNote(let account):
            guard let object = object(account) else { return }
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(object, forKey: "owner")
        case .countNotes(let account):
            let notes = object(account)?.value(forKey: "notes") as? NSSet
            seen.lines.append("c\(notes?.count ?? -1)")
        case .detect(let account):
            if let object = object(account) { context.detectConflicts(for: object) }
        case .pin: try context.setQueryGenerationFrom(.current)
        case .reset: context.reset()
        case .rollback: context.rollback()
        case .refreshAll: context.refreshAllObjects()
        case .sum: try sum(seen, context)
        case .prefetch: try prefetch(seen, context)
        case .whole(let form): try fetchWhole(form, seen, context)
        case .removeStore, .addStore: try changeStores(operation, seen, context)
        // A save without changes still compares the objects that `detect` has named.
        case .save: try context.save()
        case .batchUpdate, .batchDelete, .batchInsert, .history:
            try request(operation, seen, ids, context)
        }
    }

    private func list(_ seen: SeenLines, _ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
            cacheName: nil)
        try controller.performFetch()
        let names = (controller.fetchedObjects ?? []).map { $0.value(forKey: "name") as? String }
        seen.lines.append(names.map { $0 ?? "nil" }.joined(separator: ","))
    }

    private func sum(_ seen: SeenLines, _ context: NSManagedObjectContext) throws {
        let total = NSExpressionDescription()
        total.name = "total"
        total.expression = NSExpression(format: "sum:(balance)")
        total.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Account")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [total]
        let found = try context.fetch(request).first?["total"] as? Int
        seen.lines.append("sum\(found ?? -1)")
    }

    private func prefetch(_ seen: SeenLines, _ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.relationshipKeyPathsForPrefetching = ["notes"]
        let counts = try context.fetch(request).map { account in
            (account.value(forKey: "notes") as? NSSet)?.count ?? -1
        }
        seen.lines.append("p\(counts.map(String.init).joined(separator: "."))")
    }

    private func fetchWhole(
        _ form: FetchForm, _ seen: SeenLines, _ context: NSManagedObjectContext
    ) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.returnsObjectsAsFaults = false
        switch form {
        case .plain: break
        case .prefetched:
            if model.hasNotes { request.relationshipKeyPathsForPrefetching = ["notes.owner"] }
        case .batched: request.fetchBatchSize = 1
        case .withoutValues: request.includesPropertyValues = false
        }
        let balances = try context.fetch(request).map { account in
            (account.value(forKey: "balance") as? Int).map(String.init) ?? "nil"
        }
        seen.lines.append("w\(balances.joined(separator: "."))")
    }

    private func changeStores(
        _ operation: Operation, _ seen: SeenLines, _ context: NSManagedObjectContext
    ) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        if case .removeStore = operation {
            if let first = coordinator.persistentStores.first { try coordinator.remove(first) }
        } else {
            try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        }
        seen.lines.append("stores\(coordinator.persistentStores.count)")
    }

    private func request(
        _ operation: Operation, _ seen: SeenLines, _ ids: [NSManagedObjectID],
        _ context: NSManagedObjectContext
    ) throws {
        switch operation {
        case .batchUpdate(let amount):
            let update = NSBatchUpdateRequest(entityName: "Account")
            update.propertiesToUpdate = ["balance": amount]
            update.predicate = NSPredicate(format: "balance >= 10")
            update.resultType = .updatedObjectsCountResultType
            let result = try context.execute(update) as? NSBatchUpdateResult
            seen.lines.append("u\(result?.result ?? 0)")
        case .batchInsert:
            let insert = NSBatchInsertRequest(
                entityName: "Account", objects: [["name": "b"], ["name": "same"]])
            _ = try context.execute(insert)
        case .batchDelete(let account):
            let delete = NSBatchDeleteRequest(objectIDs: [ids[account]])
            _ = try context.execute(delete)
        default:
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            let changes = transactions.map { "\($0.changes?.count ?? 0)" }
            seen.lines.append("h\(changes.joined(separator: "."))")
        }
    }
}
