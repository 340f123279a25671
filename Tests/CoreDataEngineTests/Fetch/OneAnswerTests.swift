import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Testing

@testable import CoreDataEngine

/// A predicate selects the same objects in a SQLite store, in memory, among unsaved objects and in
/// `evaluate(with:)`.
@Suite struct OneAnswerTests {
    /// Unsaved people with their bosses.
    struct Firm {
        let context: NSManagedObjectContext

        init(_ type: String) throws {
            let person = GraphModels.entity(
                "Person",
                [
                    GraphModels.text("name"), GraphModels.number("age"),
                    GraphModels.attribute("pay", .doubleAttributeType),
                    GraphModels.attribute("photo", .binaryDataAttributeType),
                ])
            GraphModels.relate(
                .init(owner: person, name: "boss"),
                .init(owner: person, name: "staff", toMany: true))
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: GraphModels.model([person]))
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            self.context = context
            try context.on {
                let ann = context.make("Person", ["name": "ann"])
                for (name, age, pay) in [("bob", 3, 1.5), ("cyd", 4, nil), ("🙂é", nil, 3)]
                    as [(String, Int?, Double?)]
                {
                    let person = context.make("Person", ["name": name, "boss": ann])
                    person.setValue(age, forKey: "age")
                    person.setValue(pay, forKey: "pay")
                }
                let low = context.make("Person", ["name": "low", "age": Int.min])
                low.setValue(Data([1, 2, 3]), forKey: "photo")
            }
        }

        func names(_ predicate: NSPredicate) throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = predicate
            return try context.fetch(request).map(Self.name).sorted()
        }

        static func name(_ person: NSManagedObject) -> String {
            person.value(forKey: "name") as? String ?? "-"
        }
    }

    static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]

    private typealias Question = (format: String, names: [String])

    private static let questions: [Question] = [
        ("length(name) == 3", ["ann", "bob", "cyd", "low", "🙂é"]),
        ("length(name) == 4", []), ("length(photo) == 3", ["low"]),
        ("staff.@avg.pay == 1.5", ["ann"]),
        ("staff.@avg.pay == 0", ["bob", "cyd", "low", "🙂é"]),
        ("average:(staff.pay) == 2.25", ["ann"]),
        ("average:(staff.pay) == nil", ["bob", "cyd", "low", "🙂é"]),
        ("staff.@count == 0", ["bob", "cyd", "low", "🙂é"]),
        ("boss.staff.@count == 3", ["bob", "cyd", "🙂é"]), ("boss.staff.@count == 0", []),
        ("boss.staff.@count == nil", ["ann", "low"]),
        ("boss.staff.@sum.age == 7", ["bob", "cyd", "🙂é"]), ("boss.staff.@sum.age == 0", []),
        ("count:(boss.staff) == 0", ["ann", "low"]),
        ("SUBQUERY(boss.staff, $p, $p.age > 3).@count == nil", ["ann", "low"]),
        ("SUBQUERY(boss.staff, $p, $p.age > 3).@count == 1", ["bob", "cyd", "🙂é"]),
        ("count:(SUBQUERY(boss.staff, $p, $p.age > 3)) == 0", ["ann", "low"]),
        ("SELF == 1", []), ("boss == 1", []), ("SELF IN {1, 2}", []),
        ("abs(age) > 9223372036854775807", ["low"]), ("abs(age) == 3", ["bob"]),
        ("name.length == 4", []), ("name.uppercaseString == 'ANN'", ["ann"]),
        ("floor(pay) == 1", ["bob"]), ("ceiling(pay) == 2", ["bob"]), ("sqrt(age) == 2", ["cyd"]),
        ("{3, 4} CONTAINS age", ["bob", "cyd"]), ("boss.name.length == 3 AND age < 4", ["bob"]),
        ("ANY staff.staff.name == 'x'", []),
        ("ANY boss.staff.boss.name == 'ann'", ["bob", "cyd", "🙂é"]),
        ("ANY staff.boss.staff.age == 3", ["ann"]),
        ("ALL staff.boss.staff.age < 4", ["bob", "cyd", "low", "🙂é"]),
        ("median:(staff.age) == 3.5", ["ann"]), ("sum:(staff.age) == 7", ["ann"]),
        ("count:(staff.age) == 2", ["ann"]), ("name MATCHES ''", []),
        ("ALL boss.staff.age > 0", ["ann", "low"]), ("ANY staff.age == nil", ["ann"]),
        ("ALL staff.age > 0", ["bob", "cyd", "low", "🙂é"]), ("modulus:by:(age, 2) == 1", ["bob"]),
        ("pay * 2 == 3", ["bob"]), ("age / 2 == 1", ["bob"]),
        ("SUBQUERY(staff, $p, $p.name.length == 3).@count == 3", ["ann"]),
        ("SUBQUERY(staff.boss, $p, $p.name == 'ann').@count == 1", ["ann"]),
        ("FUNCTION(name, 'stringByAppendingString:', 'x') == 'annx'", ["ann"]),
    ]

    // The text 🙂é consists of three UTF-16 units, which are two scalars.
    @Test(arguments: stores)
    func `saved and unsaved objects have the same results`(_ type: String) throws {
        let firm = try Firm(type)
        try firm.context.on {
            for (format, names) in Self.questions {
                let predicate = NSPredicate(format: format)
                let all = try firm.context.all("Person")
                let holding = all.filter(predicate.evaluate).map(Firm.name).sorted()
                #expect(holding == names, "\(format), evaluated")
                #expect(try firm.names(predicate) == names, "\(format), not saved")
            }
            try firm.context.save()
            firm.context.reset()
            for (format, names) in Self.questions {
                let found = try firm.names(NSPredicate(format: format))
                #expect(found == names, "\(format), saved in a store of \(type)")
            }
        }
    }

    @Test(arguments: stores)
    func `a value that is not a number is neither the minimum nor the maximum`(
        _ type: String
    ) throws {
        let firm = try Firm(type)
        try firm.context.on {
            let cyd = try #require(try firm.context.all("Person", "name == 'cyd'").first)
            cyd.setValue(Double.nan, forKey: "pay")
            for isSaved in [false, true] {
                if isSaved { try firm.context.save() }
                for (format, names) in [
                    ("staff.@min.pay == 1.5", ["ann"]), ("staff.@max.pay == 3", ["ann"]),
                    ("min:(staff.pay) == 1.5", ["ann"]), ("max:(staff.pay) == 3", ["ann"]),
                ] {
                    let found = try firm.names(NSPredicate(format: format))
                    #expect(found == names, "\(format), saved: \(isSaved)")
                }
            }
        }
    }

    // MARK: Groups

    private static let groups: [(group: String, having: String, count: Int)] = [
        ("name", "name != nil", 5), ("boss.name", "boss.name != nil", 1),
        ("boss.name", "boss.name == 'ann'", 1), ("boss.name", "$number > 2", 1),
        ("boss.name", "count:(name) > 2", 1), ("boss.name", "count:(age) == 2", 1),
        ("boss.name", "max:(age) == 4 AND sum:(pay) > 4", 1), ("boss.name", "min:(age) > 3", 0),
        ("boss.name", "average:(age) == 3.5", 1), ("boss", "boss == %@", 1),
        ("boss", "count:(name) > 1 AND boss != nil", 1),
    ]

    @Test(arguments: stores)
    func `having reads paths, columns and aggregates of groups`(_ type: String) throws {
        let firm = try Firm(type)
        try firm.context.on {
            try firm.context.save()
            let ann = try #require(try firm.context.all("Person", "name == 'ann'").first)
            let number = NSExpressionDescription()
            number.name = "number"
            number.expression = NSExpression(format: "count:(name)")
            number.expressionResultType = .integer64AttributeType
            for (group, having, count) in Self.groups {
                let request = NSFetchRequest<NSDictionary>(entityName: "Person")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = [group, number]
                request.propertiesToGroupBy = [group]
                request.havingPredicate = NSPredicate(format: having, argumentArray: [ann])
                let found = try firm.context.fetch(request)
                #expect(found.count == count, "\(group) having \(having)")
            }
        }
    }

    // MARK: What SQL cannot say

    private func request(
        _ format: String, _ adjust: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        adjust(request)
        return request
    }

    @Test(arguments: stores)
    func `every kind of fetch accepts conditions that SQL cannot express`(_ type: String) throws {
        let firm = try Firm(type)
        let context = firm.context
        try context.on {
            try context.save()
            context.reset()
            let format = "name.length == 3 AND boss != nil AND age > 2"
            #expect(try context.count(for: request(format)) == 2)
            let limited = request(format) {
                $0.fetchLimit = 1; $0.fetchOffset = 1
            }
            #expect(try context.fetch(limited).map(Firm.name) == ["cyd"])
            #expect(try context.count(for: limited) == 1)
            let batched = request(format) { $0.fetchBatchSize = 1 }
            #expect(try context.fetch(batched).map(Firm.name) == ["bob", "cyd"])
            let table = NSFetchRequest<NSDictionary>(entityName: "Person")
            table.resultType = .dictionaryResultType
            table.propertiesToFetch = ["name"]
            table.predicate = NSPredicate(format: format)
            #expect(try context.fetch(table).count == 2)
            // The predicate also matches an unsaved object.
            let person = context.make("Person", ["name": "new", "age": 5])
            person.setValue(try context.all("Person", "name == 'ann'").first, forKey: "boss")
            #expect(try context.fetch(request(format)).map(Firm.name) == ["bob", "cyd", "new"])
        }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try child.on {
            let found = try child.fetch(request("name.length == 3 AND boss != nil AND age > 2"))
            #expect(found.map(Firm.name) == ["bob", "cyd", "new"])
        }
    }

    @Test func `batches accept conditions that SQL cannot express`() throws {
        let firm = try Firm(NSSQLiteStoreType)
        let context = firm.context
        try context.on {
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Person")
            update.predicate = NSPredicate(format: "name.length == 4 OR floor(pay) == 1")
            update.propertiesToUpdate = ["age": 77]
            update.resultType = .updatedObjectsCountResultType
            let updated = try context.execute(update) as? NSBatchUpdateResult
            #expect(updated?.result as? Int == 1)
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
            fetch.predicate = NSPredicate(format: "sqrt(age - 13) == 8")
            let delete = NSBatchDeleteRequest(fetchRequest: fetch)
            delete.resultType = .resultTypeCount
            let deleted = try context.execute(delete) as? NSBatchDeleteResult
            #expect(deleted?.result as? Int == 1)
            context.reset()
            #expect(try context.count(for: request("TRUEPREDICATE")) == 4)
            fetch.predicate = NSPredicate(format: "name.tone == 8")
            #expect(throws: (any Error).self) {
                try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
            }
        }
    }
}
