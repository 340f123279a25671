import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

@testable import CoreDataEngine

final class PredicatePlant: NSManagedObject {
    var name: String { value(forKey: "name") as? String ?? "" }
    var note: String? { value(forKey: "note") as? String }
    var height: Int { value(forKey: "height") as? Int ?? 0 }
    var isWild: Bool { value(forKey: "isWild") as? Bool ?? false }
    var bed: PredicateBed? { value(forKey: "bed") as? PredicateBed }
}

final class PredicateBed: NSManagedObject {
    var title: String { value(forKey: "title") as? String ?? "" }
    var plants: Set<PredicatePlant> { value(forKey: "plants") as? Set<PredicatePlant> ?? [] }
}

/// Predicates of Swift's `#Predicate` macro. Each store and the evaluation in memory must select
/// the objects that Swift itself selects.
@Suite struct SwiftPredicateTests {
    private func filled(_ type: String) throws -> NSManagedObjectContext {
        let bed = GraphModels.entity("Bed", [GraphModels.text("title")], PredicateBed.self)
        let plant = GraphModels.entity(
            "Plant",
            [
                GraphModels.text("name"), GraphModels.text("note"), GraphModels.number("height"),
                GraphModels.attribute("isWild", .booleanAttributeType),
            ], PredicatePlant.self)
        GraphModels.relate(
            .init(owner: plant, name: "bed"), .init(owner: bed, name: "plants", toMany: true))
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: GraphModels.model([bed, plant]))
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("plants-\(UUID().uuidString).sqlite")
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: type == NSInMemoryStoreType ? nil : file)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.on {
            let beds = ["sun", "shade", ""].map { context.make("Bed", ["title": $0]) }
            for number in 0..<12 {
                var values: [String: Any] = [
                    "name": ["Fern", "fern", "Rose", "Reed"][number % 4] + (number > 6 ? "s" : ""),
                    "height": number, "isWild": number % 3 == 0,
                ]
                if number % 2 == 0 { values["note"] = number % 4 == 0 ? "x" : "" }
                if number < 9 { values["bed"] = beds[number % 2] }
                context.make("Plant", values)
            }
            try context.save()
        }
        return context
    }

    private func check<T: NSManagedObject>(
        _ entity: String, _ predicate: Predicate<T>, _ format: String? = nil, matches: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let translated = try #require(NSPredicate(predicate), sourceLocation: sourceLocation)
        if let format {
            #expect(translated.predicateFormat == format, sourceLocation: sourceLocation)
        }
        for type in [NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType] {
            let context = try filled(type)
            try context.on {
                let all = try context.fetch(NSFetchRequest<T>(entityName: entity))
                let expected = Set(try all.filter { try predicate.evaluate($0) }.map(\.objectID))
                #expect(expected.isEmpty != matches, sourceLocation: sourceLocation)
                let request = NSFetchRequest<T>(entityName: entity)
                request.predicate = translated
                let fetched = Set(try context.fetch(request).map(\.objectID))
                #expect(fetched == expected, "\(type)", sourceLocation: sourceLocation)
                let inMemory = Set(all.filter { translated.evaluate(with: $0) }.map(\.objectID))
                #expect(inMemory == expected, "\(type)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `comparisons and logic have the results of Swift`() throws {
        try check("Plant", #Predicate<PredicatePlant> { $0.name == "Fern" }, "name == \"Fern\"")
        try check("Plant", #Predicate<PredicatePlant> { $0.name != "Fern" && $0.height > 3 })
        try check("Plant", #Predicate<PredicatePlant> { $0.height <= 3 || !($0.height < 9) })
        try check("Plant", #Predicate<PredicatePlant> { $0.isWild }, "isWild == 1")
        try check("Plant", #Predicate<PredicatePlant> { !$0.isWild })
        try check("Plant", #Predicate<PredicatePlant> { $0.isWild == ($0.height > 5) })
        try check("Plant", #Predicate<PredicatePlant> { _ in true }, "TRUEPREDICATE")
        try check("Plant", #Predicate<PredicatePlant> { _ in false }, matches: false)
    }

    @Test func `captured values are constants`() throws {
        let (name, heights) = ("Rose", [2, 6, 7])
        try check("Plant", #Predicate<PredicatePlant> { $0.name == name })
        try check("Plant", #Predicate<PredicatePlant> { heights.contains($0.height) })
    }

    @Test func `optionals are nil, unwrapped or replaced`() throws {
        try check("Plant", #Predicate<PredicatePlant> { $0.note == nil })
        try check("Plant", #Predicate<PredicatePlant> { $0.note != nil && $0.bed != nil })
        try check("Plant", #Predicate<PredicatePlant> { ($0.note ?? "none") == "none" })
        try check("Plant", #Predicate<PredicatePlant> { $0.bed?.title == "sun" })
        try check("Plant", #Predicate<PredicatePlant> { $0.bed != nil && $0.bed!.title == "sun" })
    }

    @Test func `strings begin, contain, are empty or long`() throws {
        try check("Plant", #Predicate<PredicatePlant> { $0.name.starts(with: "Fe") })
        try check("Plant", #Predicate<PredicatePlant> { $0.name.contains("er") })
        try check("Plant", #Predicate<PredicatePlant> { ($0.note ?? "x").isEmpty })
        try check("Plant", #Predicate<PredicatePlant> { $0.name.count > 4 })
    }

    @Test func `numbers are calculated and lie in ranges`() throws {
        try check("Plant", #Predicate<PredicatePlant> { $0.height * 2 + 1 - $0.height > 7 })
        try check("Plant", #Predicate<PredicatePlant> { $0.height % 4 == 1 })
        try check("Plant", #Predicate<PredicatePlant> { $0.height / 4 == 1 })
        try check("Plant", #Predicate<PredicatePlant> { -$0.height < -8 })
        try check("Plant", #Predicate<PredicatePlant> { (2...4).contains($0.height) })
        try check("Plant", #Predicate<PredicatePlant> { (2..<4).contains($0.height) })
        let (closed, open) = (3...5, 9...)
        try check("Plant", #Predicate<PredicatePlant> { closed.contains($0.height) })
        try check("Plant", #Predicate<PredicatePlant> { open.contains($0.height) })
        try check("Plant", #Predicate<PredicatePlant> { $0.height > 4 ? $0.isWild : !$0.isWild })
    }

    @Test func `to-many relationships are searched and counted`() throws {
        try check("Bed", #Predicate<PredicateBed> { $0.plants.contains { $0.height == 3 } })
        try check("Bed", #Predicate<PredicateBed> { $0.plants.allSatisfy { $0.height % 2 == 0 } })
        try check("Bed", #Predicate<PredicateBed> { $0.plants.filter { $0.isWild }.count > 1 })
        try check("Bed", #Predicate<PredicateBed> { $0.plants.count == 4 })
        try check("Bed", #Predicate<PredicateBed> { $0.plants.isEmpty })
        try check(
            "Bed",
            #Predicate<PredicateBed> { bed in
                bed.plants.contains { plant in
                    plant.bed?.plants.contains { $0.height == plant.height + 2 } == true
                }
            })
    }

    @Test func `an expression without a counterpart converts to nil`() {
        #expect(NSPredicate(#Predicate<PredicatePlant> { $0.name.hashValue == 1 }) == nil)
    }

    @Test func `expressions of Swift's macro are expressions`() throws {
        let made = try #require(
            NSExpression(#Expression<PredicatePlant, Int> { $0.height * 2 }))
        #expect(made.description == "height * 2")
        let context = try filled(NSSQLiteStoreType)
        try context.on {
            let plant = try #require(
                try context.fetch(NSFetchRequest<PredicatePlant>(entityName: "Plant")).last)
            let doubled = made.expressionValue(with: plant, context: nil) as? Int
            #expect(doubled == plant.height * 2)
        }
    }
}
