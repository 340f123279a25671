import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import TestSupport
import Testing

/// The effect of a batch deletion on remaining rows that refer to a deleted one.
@Suite struct BatchDeleteRulesTests {
    /// The kind of relationship between the entities `A` and `B`. The tests delete rows of `A`.
    enum Kind: String, CaseIterable {
        case toOne = "OTO"
        case toMany = "OTM"
        case pairs = "MTM"
    }

    private struct Pair {
        let stack: GraphStack
        let context: NSManagedObjectContext
        let log = StatementLog()

        /// Saves two rows of `A`, and a row of `B` that refers to the first one.
        init(
            _ kind: Kind, isRequired: Bool, rule: NSDeleteRule = .nullifyDeleteRule,
            ofInverse other: NSDeleteRule = .nullifyDeleteRule
        ) throws {
            let a = GraphModels.entity("A", [GraphModels.number("n")])
            let b = GraphModels.entity("B", [GraphModels.number("n")])
            GraphModels.relate(
                .init(owner: a, name: "others", toMany: kind != .toOne, rule: rule),
                .init(owner: b, name: "others", toMany: kind == .pairs, rule: other))
            b.relationshipsByName["others"]?.isOptional = !isRequired
            stack = try GraphStack(GraphModels.model([a, b]))
            context = stack.context()
            stack.coordinator.trace.add(log)
            try context.performAndWait { [context] in
                let first = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
                _ = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
                let other = NSEntityDescription.insertNewObject(forEntityName: "B", into: context)
                other.setValue(
                    kind == .pairs ? Set([first]) as Any : first, forKey: "others")
                try context.save()
            }
        }

        func delete(_ entity: String) throws {
            log.forget()
            let request = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: entity))
            try context.performAndWait { _ = try context.execute(request) }
        }

        func count(_ entity: String) throws -> Int {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            return try context.performAndWait { try context.count(for: request) }
        }

        /// The number of rows of `B` in the store that refer to a row of `A`.
        func referring() throws -> Int {
            try context.performAndWait {
                context.reset()
                return try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "B"))
                    .filter { row in
                        switch row.value(forKey: "others") {
                        case let many as NSSet: many.count > 0
                        case let one: one != nil
                        }
                    }.count
            }
        }
    }

    @Test(
        arguments: Kind.allCases, [NSDeleteRule.nullifyDeleteRule, .denyDeleteRule])
    func `a remaining row that requires a deleted one keeps all rows`(
        kind: Kind, rule: NSDeleteRule
    ) throws {
        let pair = try Pair(kind, isRequired: true, rule: rule)
        let error = try #require(throws: (any Error).self) { try pair.delete("A") } as NSError
        #expect(error.domain == NSCocoaErrorDomain && error.code == 134_050)
        #expect(
            error.localizedDescription.contains(
                "Constraint trigger violation: Batch delete failed due to mandatory"
                    + " \(kind.rawValue) nullify inverse on A/others"))
        #expect(pair.log.texts.last == "ROLLBACK")
        #expect(try pair.count("A") == 2)
        #expect(try pair.referring() == 1)
    }

    @Test(
        arguments: Kind.allCases, [NSDeleteRule.nullifyDeleteRule, .denyDeleteRule])
    func `an optional reference to a deleted row is removed, even under a deny rule`(
        kind: Kind, rule: NSDeleteRule
    ) throws {
        let pair = try Pair(kind, isRequired: false, rule: rule)
        try pair.delete("A")
        #expect(try pair.count("A") == 0)
        #expect(try pair.referring() == 0)
        #expect(!pair.log.texts.contains { $0.hasSuffix("LIMIT 1") })
    }

    @Test func `a row that the same batch deletes does not block the deletion`() throws {
        let pair = try Pair(.toMany, isRequired: true, rule: .cascadeDeleteRule)
        try pair.delete("A")
        #expect(try pair.count("A") == 0 && pair.count("B") == 0)
        // Rows of `A` do not require a row of `B`, so they remain.
        let other = try Pair(.toMany, isRequired: true)
        try other.delete("B")
        #expect(try other.count("A") == 2 && other.count("B") == 0)
    }

    @Test func `rows without references to them are deleted while others stay`() throws {
        let pair = try Pair(.toMany, isRequired: true)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "A")
        request.predicate = NSPredicate(format: "others.@count == 0")
        try pair.context.performAndWait {
            _ = try pair.context.execute(NSBatchDeleteRequest(fetchRequest: request))
        }
        #expect(try pair.count("A") == 1 && pair.count("B") == 1)
    }

    @Test func `links of other rows stay, although a deleted row has the same key`() throws {
        let a = GraphModels.entity("A", [GraphModels.number("n")])
        let b = GraphModels.entity("B", [GraphModels.number("n")])
        GraphModels.relate(
            .init(owner: a, name: "others", toMany: true),
            .init(owner: b, name: "others", toMany: true))
        let stack = try GraphStack(GraphModels.model([a, b]))
        let context = stack.context()
        try context.performAndWait {
            let owners = (0..<3).map { number in
                let owner = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
                owner.setValue(number, forKey: "n")
                return owner
            }
            for _ in owners {
                NSEntityDescription.insertNewObject(forEntityName: "B", into: context)
                    .setValue(Set([owners[0]]), forKey: "others")
            }
            try context.save()
            let others = NSFetchRequest<any NSFetchRequestResult>(entityName: "A")
            others.predicate = NSPredicate(format: "n > 0")
            try context.execute(NSBatchDeleteRequest(fetchRequest: others))
            context.reset()
            let linked = NSFetchRequest<NSManagedObject>(entityName: "B")
            linked.predicate = NSPredicate(format: "others.@count == 1")
            #expect(try context.count(for: linked) == 3)
        }
    }
}
