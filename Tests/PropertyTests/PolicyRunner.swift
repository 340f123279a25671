import CoreData
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// Runs a sequence on contexts that do not merge each other's saves. Each save uses a random
/// policy. After every step, the contexts and the store are compared with the reference.
final class PolicyRunner {
    typealias Identity = PolicyReference.Identity

    private let coordinator: NSPersistentStoreCoordinator
    private let contexts: [NSManagedObjectContext]
    private var items: [[Identity: NSManagedObject]]
    private var places: [[NSManagedObject]] = []
    private var reference: PolicyReference
    private var nextIdentity = 1
    private(set) var log: [String] = []

    init(contextCount: Int, model: NSManagedObjectModel) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil,
            at: URL(fileURLWithPath: "/dev/null"), options: nil)
        self.coordinator = coordinator
        contexts = (0..<contextCount).map { number in
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.name = "\(number)"
            context.persistentStoreCoordinator = coordinator
            return context
        }
        items = Array(repeating: [:], count: contextCount)
        reference = PolicyReference(contextCount: contextCount)
        try makePlaces()
    }

    private func makePlaces() throws {
        let ids = try contexts[0].performAndWait {
            let made = (0..<3).map { number in
                let place = NSEntityDescription.insertNewObject(
                    forEntityName: "Place", into: contexts[0])
                place.setValue(NSNumber(value: number), forKey: "identity")
                return place
            }
            try contexts[0].save()
            return made.map(\.objectID)
        }
        places = contexts.map { context in
            context.performAndWait { ids.map(context.object(with:)) }
        }
    }

    func run(_ operations: [Operation]) throws {
        for operation in operations {
            try run(operation, operation.context % contexts.count)
            for number in contexts.indices {
                let broken = contexts[number].performAndWait { contexts[number].brokenInvariant() }
                if let broken { throw Failure("context \(number) is broken: \(broken)") }
                try compare(number)
            }
        }
        try compareStore()
    }

    private func run(_ operation: Operation, _ number: Int) throws {
        switch operation.kind {
        case .insert: insert(number)
        case .number, .text, .author, .replace: edit(operation, number)
        case .delete: delete(operation, number)
        case .save: try save(operation, number)
        case .refreshAll, .fetch, .verify: try refresh(number)
        case .rollback: rollback(number)
        default: break
        }
    }

    // MARK: Steps

    private func insert(_ number: Int) {
        let identity = nextIdentity
        nextIdentity += 1
        log.append("\(number): insert #\(identity)")
        let context = contexts[number]
        items[number][identity] = context.performAndWait {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(NSNumber(value: identity), forKey: "identity")
            return item
        }
        reference.contexts[number].rows[identity] = PolicyRow()
    }

    private func item(_ operation: Operation, _ number: Int) -> (Identity, NSManagedObject)? {
        let known = reference.contexts[number].rows.keys.sorted()
        guard !known.isEmpty else { return nil }
        let identity = known[operation.subject % known.count]
        return items[number][identity].map { (identity, $0) }
    }

    private func edit(_ operation: Operation, _ number: Int) {
        guard let (identity, item) = item(operation, number) else { return }
        // There are few values, so that contexts often set equal ones.
        let value = operation.value % 4 == 0 ? nil : operation.value % 4 - 1
        log.append("\(number): #\(identity).\(operation.kind) = \(value.map { "\($0)" } ?? "nil")")
        contexts[number].performAndWait {
            switch operation.kind {
            case .number: item.setValue(value.map { NSNumber(value: $0) }, forKey: "number")
            case .text: item.setValue(value.map(String.init), forKey: "text")
            default: item.setValue(value.map { places[number][$0] }, forKey: "place")
            }
        }
        reference.contexts[number].edited.insert(identity)
        switch operation.kind {
        case .number: reference.contexts[number].rows[identity]?.number = value
        case .text: reference.contexts[number].rows[identity]?.text = value
        default: reference.contexts[number].rows[identity]?.place = value
        }
    }

    private func delete(_ operation: Operation, _ number: Int) {
        guard let (identity, item) = item(operation, number) else { return }
        log.append("\(number): delete #\(identity)")
        let context = contexts[number]
        context.performAndWait {
            context.delete(item)
            context.processPendingChanges()
        }
        reference.contexts[number].rows[identity] = nil
        if reference.contexts[number].bases[identity] != nil {
            reference.contexts[number].deleted.insert(identity)
        }
    }

    private func save(_ operation: Operation, _ number: Int) throws {
        let policy = PolicyReference.Policy.allCases[operation.value % 5]
        log.append("\(number): save with \(policy)")
        let context = contexts[number]
        let mayPass = reference.save(number, policy)
        let failure: NSError? = context.performAndWait {
            context.mergePolicy = policy.engine
            do { try context.save() } catch { return error as NSError }
            return nil
        }
        guard failure?.code == (mayPass ? nil : 133_020) else {
            throw Failure(
                "the save must \(mayPass ? "pass" : "fail"), and is: "
                    + (failure.map { "\($0)" } ?? "passed"))
        }
        try compareStore()
    }

    private func refresh(_ number: Int) throws {
        log.append("\(number): refresh")
        reference.refresh(number)
        let context = contexts[number]
        try context.performAndWait {
            context.refreshAllObjects()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.returnsObjectsAsFaults = false
            for item in try context.fetch(request) {
                if let identity = Comparison.identity(of: item) { items[number][identity] = item }
            }
        }
    }

    private func rollback(_ number: Int) {
        log.append("\(number): rollback")
        let context = contexts[number]
        context.performAndWait { context.rollback() }
        reference.rollback(number)
    }

    // MARK: Comparing

    private func compare(_ number: Int) throws {
        let expected = reference.contexts[number]
        try contexts[number].performAndWait {
            for (identity, row) in expected.rows {
                guard let item = items[number][identity], item.managedObjectContext != nil,
                    !item.isDeleted
                else { throw Failure("#\(identity) is gone from context \(number)") }
                let place = (item.value(forKey: "place") as? NSManagedObject).flatMap(
                    Comparison.identity)
                let found = PolicyRow(
                    number: (item.value(forKey: "number") as? NSNumber)?.intValue,
                    text: (item.value(forKey: "text") as? String).flatMap { Int($0) },
                    place: place)
                guard found.hasValues(of: row) else {
                    throw Failure("#\(identity) is \(found) in context \(number), not \(row)")
                }
            }
            for (identity, item) in items[number] where expected.rows[identity] == nil {
                guard item.isDeleted || item.managedObjectContext == nil || item.isFault else {
                    throw Failure("#\(identity) is still in context \(number)")
                }
            }
        }
    }

    private func compareStore() throws {
        let found = try storedRows()
        let wanted = reference.stored
        let wrong = Set(found.keys).union(wanted.keys).filter {
            guard let one = found[$0], let other = wanted[$0] else { return true }
            return !one.hasValues(of: other)
        }
        guard let identity = wrong.min() else { return }
        throw Failure(
            "#\(identity) is \(found[identity].map { "\($0)" } ?? "absent") in the store, not "
                + (wanted[identity].map { "\($0)" } ?? "absent"))
    }

    /// Reads the rows of the store, without the row cache.
    private func storedRows() throws -> [Identity: PolicyRow] {
        guard let store = coordinator.persistentStores.first?.backend else {
            throw Failure("the store is gone")
        }
        var rows: [Identity: PolicyRow] = [:]
        var numbers: [ObjectKey: Int] = [:]
        var links: [(Identity, ObjectKey)] = []
        for entity in coordinator.frozenModel.layout.entities {
            for block in try store.fetchRows(FetchPlan(entity: entity), generation: 0).blocks {
                for index in 0..<block.count {
                    let cells = block.cells(at: index)
                    var values: [String: Value] = [:]
                    for (slot, property) in entity.values.enumerated() {
                        values[property.name] = RowFormat.value(
                            cells, slot: slot, kind: property.kind)
                    }
                    guard case .integer(let identity) = values["identity"] else { continue }
                    guard entity.name == "Item" else {
                        let key = ObjectKey(entity: entity.index, key: RowFormat.key(cells))
                        numbers[key] = Int(identity)
                        continue
                    }
                    var row = PolicyRow()
                    if case .integer(let number) = values["number"] { row.number = Int(number) }
                    if case .string(let text) = values["text"] { row.text = Int(text) }
                    if case .reference(let key) = values["place"] {
                        links.append((Int(identity), key))
                    }
                    rows[Int(identity)] = row
                }
            }
        }
        for (identity, key) in links { rows[identity]?.place = numbers[key] }
        return rows
    }
}

extension PolicyReference.Policy {
    fileprivate var engine: NSMergePolicy {
        switch self {
        case .error: .error
        case .storeTrump: .mergeByPropertyStoreTrump
        case .objectTrump: .mergeByPropertyObjectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }
}
