import CoreData
import CoreDataEngine
import CoreDataPredicate

/// Evaluates predicates over the same objects in five contexts. Compares each result with the
/// evaluation of the individual objects.
///
/// One thread uses it.
final class EvaluatorJudge {
    /// The permitted reasons for different results. `Predicates.md` documents them.
    enum Reason: String, CaseIterable {
        /// In a SQLite store, a comparison with NULL is neither true nor false.
        case missingValues = "missing values"
    }

    struct Verdict {
        var reasons: [Reason] = []
        var isRefused = false
        var difference: String?
    }

    /// A context, with its objects and their names.
    private struct Stack {
        let name: String
        let context: NSManagedObjectContext
        let objects: [NSManagedObject]
        let names: [ObjectIdentifier: String]

        init(_ name: String, _ context: NSManagedObjectContext, _ objects: [NSManagedObject]) {
            self.name = name
            self.context = context
            self.objects = objects
            names = Dictionary(
                objects.enumerated().map { (ObjectIdentifier($1), "i\($0)") },
                uniquingKeysWith: { first, _ in first })
        }
    }

    private let saved, memory, unsaved, changed, child: Stack
    private let updated: Set<String>

    init(_ data: OddData) throws {
        saved = try Self.stack("SQLite", NSSQLiteStoreType, data, saves: true)
        memory = try Self.stack("memory", NSInMemoryStoreType, data, saves: true)
        unsaved = try Self.stack("unsaved", NSSQLiteStoreType, data, saves: false)
        changed = try Self.stack("changed", NSSQLiteStoreType, data, saves: true)
        updated = Self.change(changed, data)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = changed.context
        let ids = changed.context.performAndWait { [objects = changed.objects] in
            objects.map(\.objectID)
        }
        child = Stack("child", context, context.performAndWait { ids.map(context.object(with:)) })
    }

    private static func stack(
        _ name: String, _ type: String, _ data: OddData, saves: Bool
    ) throws -> Stack {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OddData.model())
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let made = data.insert(into: context)
            guard saves else { return Stack(name, context, made) }
            try context.save()
            context.reset()
            // Fetches the objects again, because SQLite stores NaN as NULL.
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            let found = try context.fetch(request).sorted {
                Self.name(of: $0) < Self.name(of: $1)
            }
            return Stack(name, context, found)
        }
    }

    private static func name(of object: NSManagedObject) -> String {
        object.value(forKey: "name") as? String ?? ""
    }

    /// Copies values of other objects into some objects, without saving.
    private static func change(_ stack: Stack, _ data: OddData) -> Set<String> {
        stack.context.performAndWait {
            var updated: Set<String> = []
            for (number, object) in stack.objects.enumerated() where number % 3 == 0 {
                let other = data.rows[(number + 1) % data.count]
                for key in ["text", "small", "real"] {
                    object.setValue(other.values[key], forKey: key)
                }
                updated.insert("i\(number)")
            }
            return updated
        }
    }

    // MARK: Predicates

    func verdict(_ predicate: NSPredicate) throws -> Verdict {
        var verdict = Verdict()
        let stored = found(predicate, in: saved)
        let asStored = evaluated(predicate, saved) { try $0.finds($1) }
        let asMemory = evaluated(predicate, saved) { try $0.evaluateCore(with: $1) }
        var pairs = [(stored, asStored)]
        for stack in [memory, unsaved] {
            pairs.append(
                (
                    found(predicate, in: stack),
                    evaluated(predicate, stack) { try $0.evaluateCore(with: $1) }
                ))
        }
        let overChanges = found(predicate, in: changed)
        let judged = evaluated(predicate, changed) { try $0.evaluateCore(with: $1) }
        pairs.append((overChanges, expected(stored, judged)))
        pairs.append((found(predicate, in: child), overChanges))
        let refusals = pairs.flatMap { [$0.0, $0.1] }.filter { $0.names == nil }.count
        verdict.isRefused = refusals == 2 * pairs.count
        if verdict.isRefused { return verdict }
        if let (given, wanted) = pairs.first(where: { $0.0.names != $0.1.names }) {
            verdict.difference = "\(given), and \(wanted)"
        } else if refusals > 0 {
            verdict.difference = pairs.map { "\($0.0)" }.joined(separator: "; ")
        } else if asStored.names != asMemory.names {
            verdict.reasons.append(.missingValues)
        }
        return verdict
    }

    private struct Answer: CustomStringConvertible {
        let evaluator: String
        let names: Set<String>?
        var refusal = ""

        var description: String {
            names.map { "\(evaluator) finds \($0.sorted())" } ?? "\(evaluator) refuses: \(refusal)"
        }
    }

    private func bound(_ predicate: NSPredicate, to stack: Stack) -> NSPredicate {
        let entities =
            stack.context.persistentStoreCoordinator?.managedObjectModel.entitiesByName
            ?? changed.context.persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        return predicate.mappingConstants { constant in
            switch constant {
            case let mark as ObjectMark: stack.objects[mark.number]
            case let mark as EntityMark: entities[mark.name] as Any
            default: constant
            }
        }
    }

    private func found(_ predicate: NSPredicate, in stack: Stack) -> Answer {
        stack.context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = bound(predicate, to: stack)
            do {
                let objects = try stack.context.fetch(request)
                return Answer(
                    evaluator: stack.name,
                    names: Set(objects.compactMap { stack.names[ObjectIdentifier($0)] }))
            } catch {
                return Answer(
                    evaluator: stack.name, names: nil, refusal: error.localizedDescription)
            }
        }
    }

    private func evaluated(
        _ predicate: NSPredicate, _ stack: Stack,
        _ holds: (NSPredicate, NSManagedObject) throws -> Bool
    ) -> Answer {
        stack.context.performAndWait {
            let predicate = bound(predicate, to: stack)
            do {
                let objects = try stack.objects.filter { try holds(predicate, $0) }
                return Answer(
                    evaluator: "the evaluation of its objects",
                    names: Set(objects.compactMap { stack.names[ObjectIdentifier($0)] }))
            } catch {
                return Answer(
                    evaluator: "the evaluation of its objects", names: nil, refusal: "\(error)")
            }
        }
    }

    /// The expected answer. Objects with unsaved changes are evaluated in memory, and all others by
    /// the store.
    private func expected(_ stored: Answer, _ judged: Answer) -> Answer {
        guard let stored = stored.names, let judged = judged.names else {
            return stored.names == nil ? stored : judged
        }
        return Answer(
            evaluator: "the store with the evaluation of changed objects",
            names: stored.subtracting(updated).union(judged.intersection(updated)))
    }

    // MARK: Orders

    /// The difference between the order of a fetch and the order of the same objects sorted in
    /// memory; nil if the orders agree.
    func difference(in order: [NSSortDescriptor]) throws -> String? {
        for stack in [saved, memory, unsaved, changed, child] {
            let found: (given: [String], wanted: [String]) = try stack.context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.sortDescriptors = order
                let given = try stack.context.fetch(request)
                let wanted = try SortOrder.sorted(stack.objects, by: order)
                return (
                    given.compactMap { stack.names[ObjectIdentifier($0)] },
                    wanted.compactMap { stack.names[ObjectIdentifier($0)] }
                )
            }
            if found.given != found.wanted {
                return "\(stack.name) sorts \(found.given), and memory \(found.wanted)"
            }
        }
        return nil
    }
}
