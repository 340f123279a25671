import CoreData
import Foundation
import Testing

/// Tests of requests, object graphs and contexts that are nested 100,000 levels deep.
@Suite struct DeepRequestTests {
    private static let levels = 100_000
    static let types = [NSSQLiteStoreType, NSInMemoryStoreType]

    /// A model of items, each of which refers to the next one. Deletions cascade.
    private static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Item"
        let number = NSAttributeDescription()
        number.name = "n"
        number.attributeType = .integer64AttributeType
        number.isOptional = true
        let (next, previous) = (NSRelationshipDescription(), NSRelationshipDescription())
        for (relationship, name, inverse) in [(next, "next", previous), (previous, "prev", next)] {
            relationship.name = name
            relationship.destinationEntity = entity
            relationship.maxCount = 1
            relationship.isOptional = true
            relationship.inverseRelationship = inverse
        }
        next.deleteRule = .cascadeDeleteRule
        entity.properties = [number, next, previous]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    /// Runs the body in a context of a new store with one item, whose `n` is 1.
    private func withContext(
        _ type: String, _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("deep-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil,
            at: folder.appendingPathComponent("items.sqlite"), options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(Int64(1), forKey: "n")
            try context.save()
            try body(context)
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// The number of objects that the predicate finds, or the text of the error.
    private func found(
        _ predicate: NSPredicate, in context: NSManagedObjectContext
    ) -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = predicate
        do { return "\(try context.fetch(request).count)" } catch {
            return (error as NSError).localizedDescription
        }
    }

    @Test(arguments: types)
    func `D-054: deep predicates match or fail with an error, saved or not`(
        type: String
    ) throws {
        let isSQLite = type == NSSQLiteStoreType
        let one = NSPredicate(format: "n == 1")
        let not = (0..<Self.levels).reduce(one) { inner, _ in
            NSCompoundPredicate(notPredicateWithSubpredicate: inner)
        }
        let or = (0..<Self.levels).reduce(one) { inner, index in
            NSCompoundPredicate(orPredicateWithSubpredicates: [
                inner, NSPredicate(format: "n == %d", index + 2),
            ])
        }
        let sum = (0..<Self.levels).reduce(NSExpression(forKeyPath: "n")) { sum, _ in
            NSExpression(
                forFunction: "add:to:", arguments: [sum, NSExpression(forConstantValue: 1)])
        }
        let comparison = NSComparisonPredicate(
            leftExpression: sum, rightExpression: NSExpression(forConstantValue: 100_001),
            modifier: .direct, type: .equalTo)
        try withContext(type) { context in
            for round in 0..<2 {
                // In the second round the context has unsaved changes. They are evaluated in
                // memory.
                if round == 1 {
                    NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                        .setValue(Int64(7), forKey: "n")
                }
                let tooDeep = "Unsupported predicate: it is nested more than 400 levels deep"
                if isSQLite {
                    #expect(found(not, in: context).hasPrefix(tooDeep))
                    #expect(found(comparison, in: context).hasPrefix(tooDeep))
                    #expect(found(or, in: context).contains("Expression tree is too large"))
                } else {
                    #expect(found(not, in: context) == "1")
                    #expect(found(comparison, in: context) == "1")
                    #expect(found(or, in: context) == (round == 1 ? "2" : "1"))
                }
            }
        }
    }

    @Test func `SQLite runs any nesting of conditions that can be flattened`() throws {
        let or = (0..<900).reduce(NSPredicate(format: "n == 5")) { inner, index in
            NSCompoundPredicate(orPredicateWithSubpredicates: [
                inner, NSPredicate(format: "n == %d", 900 - index),
            ])
        }
        try withContext(NSSQLiteStoreType) { #expect(found(or, in: $0) == "1") }
    }

    @Test func `a list of objects that cascade into each other is deleted whole`() throws {
        try withContext(NSSQLiteStoreType) { context in
            var first: NSManagedObject?
            var last: NSManagedObject?
            for index in 0..<5_000 {
                let item = NSEntityDescription.insertNewObject(
                    forEntityName: "Item", into: context)
                item.setValue(Int64(index + 10), forKey: "n")
                last?.setValue(item, forKey: "next")
                first = first ?? item
                last = item
            }
            try context.save()
            context.delete(try #require(first))
            try context.save()
            let all = NSFetchRequest<NSManagedObject>(entityName: "Item")
            #expect(try context.count(for: all) == 1)
        }
    }

    @Test func `D-054: a long chain of contexts fails with an error`() throws {
        try withContext(NSSQLiteStoreType) { root in
            var contexts = [root]
            for _ in 0..<2_000 {
                let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                child.parent = contexts[contexts.count - 1]
                contexts.append(child)
            }
            func result(_ place: Int) -> String {
                contexts[place].performAndWait {
                    found(NSPredicate(format: "n == 1"), in: contexts[place])
                }
            }
            #expect(result(100) == "1")
            #expect(result(2_000).hasPrefix("The context has more than 128 contexts above it"))
            // Releasing the innermost context first prevents nested releases.
            while contexts.count > 1 { contexts.removeLast() }
        }
    }
}
