import CoreData
import Foundation

/// A program that puts unique values into every part of Core Data's API that accepts a value.
struct SecretRun {
    var markers: Markers
    let stack: SecretStack
    let context: NSManagedObjectContext
    let other: NSManagedObjectContext

    init(seed: UInt64, before start: (NSPersistentContainer) -> Void) throws {
        markers = Markers(seed: seed)
        stack = try SecretStack(&markers)
        start(stack.container)
        context = Stacks.context("writer", of: stack.container)
        other = Stacks.context("reader", of: stack.container)
    }

    mutating func run() throws {
        context.transactionAuthor = markers.text("author")
        let id = try insert()
        try on(context) { run, context in try run.ask(context, id) }
        try on(context) { run, context in try run.batch(context) }
        try on(other) { run, other in try run.readAll(other, id) }
        try on(context) { run, context in try run.breakRules(context, id) }
        try meetConflict(id)
        try mergeOthers(id)
    }

    private mutating func on(
        _ context: NSManagedObjectContext,
        _ work: (inout SecretRun, NSManagedObjectContext) throws -> Void
    ) throws {
        try context.performAndWait { try work(&self, context) }
    }

    // MARK: Values

    private mutating func insert() throws -> NSManagedObjectID {
        let values = (0..<3).map { _ in SecretStack.values(&markers) }
        return try context.performAndWait {
            let made = values.map { values in
                let thing = NSEntityDescription.insertNewObject(
                    forEntityName: "Thing", into: context)
                for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                    thing.setValue(value, forKey: key)
                }
                return thing
            }
            made[1].setValue(made[0], forKey: "wholeThing")
            try context.save()
            return made[0].objectID
        }
    }

    private mutating func readAll(
        _ context: NSManagedObjectContext, _ id: NSManagedObjectID
    ) throws {
        let thing = try context.existingObject(with: id)
        for (name, _) in SecretStack.kinds { _ = thing.value(forKey: name) }
        _ = thing.committedValues(forKeys: nil)
        for (key, value) in SecretStack.values(&markers) { thing.setValue(value, forKey: key) }
        _ = thing.changedValues()
        context.rollback()
        for (name, _) in SecretStack.kinds { _ = thing.primitiveValue(forKey: name) }
        let old = thing.value(forKey: "whole") as? Int ?? 0
        thing.setValue(old + markers.whole(1_000_000_000...2_000_000_000), forKey: "whole")
        context.rollback()
    }

    // MARK: Requests

    private mutating func ask(
        _ context: NSManagedObjectContext, _ id: NSManagedObjectID
    ) throws {
        let thing = try context.existingObject(with: id)
        for predicate in SecretPredicates.all(&markers, thing) {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.predicate = predicate
            request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
            _ = try? context.fetch(request)
            _ = try? context.count(for: request)
        }
        try askForDictionaries(context)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: "text != %@", markers.text())
        request.sortDescriptors = [NSSortDescriptor(key: "whole", ascending: true)]
        let list = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "text",
            cacheName: markers.text("cache"))
        try list.performFetch()
        _ = list.sections?.map(\.name)
    }

    private mutating func askForDictionaries(_ context: NSManagedObjectContext) throws {
        let sum = NSExpressionDescription()
        sum.name = "sum"
        sum.expression = NSExpression(
            format: "whole + %d", markers.whole(100_000_000...999_999_999, "expression"))
        sum.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [sum, "text"]
        request.propertiesToGroupBy = ["text"]
        request.havingPredicate = NSPredicate(format: "text != %@", markers.text("having"))
        _ = try? context.fetch(request)
    }

    private mutating func batch(_ context: NSManagedObjectContext) throws {
        var rows = (0..<2).map { _ in SecretStack.values(&markers) }
        for index in rows.indices { rows[index]["passing"] = nil }
        let insert = NSBatchInsertRequest(entityName: "Thing", objects: rows)
        _ = try context.execute(insert)
        let update = NSBatchUpdateRequest(entityName: "Thing")
        update.propertiesToUpdate = [
            "text": markers.text(), "day": markers.date(),
            "whole": NSExpression(
                format: "whole + %d", markers.whole(100_000_000...999_999_999, "expression")),
        ]
        update.predicate = NSPredicate(format: "text == %@", markers.text())
        _ = try context.execute(update)
        let gone = NSFetchRequest<any NSFetchRequestResult>(entityName: "Thing")
        gone.predicate = NSPredicate(format: "whole == %d", markers.whole(1_000_000...9_999_999))
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: gone))
    }

    // MARK: Saves that fail, and merges

    private mutating func breakRules(
        _ context: NSManagedObjectContext, _ id: NSManagedObjectID
    ) throws {
        let thing = try context.existingObject(with: id)
        let rule = thing.entity.attributesByName["code"]?.validationPredicates.first
        let wanted = (rule as? NSComparisonPredicate)?.rightExpression.constantValue
        thing.setValue(wanted, forKey: "code")
        if (try? context.save()) != nil { throw CocoaError(.validationStringPatternMatching) }
        context.rollback()
        let second = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        second.setValue(thing.value(forKey: "code"), forKey: "code")
        if (try? context.save()) != nil { throw CocoaError(.managedObjectConstraintMerge) }
        context.rollback()
    }

    private mutating func meetConflict(_ id: NSManagedObjectID) throws {
        let contexts = [context, other]
        for context in contexts {
            let values = SecretStack.values(&markers)
            try context.performAndWait {
                let thing = try context.existingObject(with: id)
                for (key, value) in values where key != "list" {
                    thing.setValue(value, forKey: key)
                }
            }
        }
        for context in contexts { context.performAndWait { try? context.save() } }
        try other.performAndWait {
            other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try other.save()
        }
    }

    private mutating func mergeOthers(_ id: NSManagedObjectID) throws {
        let store = stack.coordinator
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [id.uriRepresentation()]],
            into: [context, other])
        try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            _ = try context.execute(request)
            try context.existingObject(with: id).setValue(markers.text(), forKey: "text")
            context.undoManager = nil
            context.processPendingChanges()
            try context.save()
        }
        if let first = store.persistentStores.first {
            store.setMetadata(["owner": markers.text("metadata")], for: first)
        }
    }
}
