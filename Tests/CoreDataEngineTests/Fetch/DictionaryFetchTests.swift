import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import TestSupport
import Testing

/// Tests of fetching dictionaries from four books. Two have the same author, one has another
/// author, and one has none.
@Suite struct DictionaryFetchTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let log: StatementLog

    init() throws {
        let shelf = try Shelf(
            [("a", 1999, "Ada"), ("b", 2000, "Ada"), ("c", 2007, "Bob"), ("d", 2001, nil)])
        (coordinator, context, log) = (shelf.coordinator, shelf.context, shelf.log)
    }

    private func computed(
        _ name: String, _ format: String, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        let made = NSExpressionDescription()
        made.name = name
        made.expression = NSExpression(format: format, argumentArray: [])
        made.expressionResultType = type
        return made
    }

    private func fetch(
        _ entity: String = "Book", _ change: (NSFetchRequest<NSDictionary>) -> Void
    ) throws -> [NSDictionary] {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        change(request)
        return try context.performAndWait { try context.fetch(request) }
    }

    private func byTitle(_ request: NSFetchRequest<NSDictionary>) {
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    }

    // Proves S2.7-1
    @Test func `without properties a dictionary holds every attribute and no relationship`() throws
    {
        let found = try fetch("Book", byTitle)
        #expect(found.map { $0["title"] as? String } == ["a", "b", "c", "d"])
        #expect(found[0].allKeys.count == 2)
        #expect((found[0]["year"] as? NSNumber)?.intValue == 1999)
        #expect(
            log.texts == ["SELECT t0.ZTITLE, t0.ZYEAR FROM ZBOOK t0 ORDER BY t0.ZTITLE"])
    }

    @Test func `a row can be used like any other dictionary`() throws {
        let found = try fetch("Book", byTitle)
        let plain: NSDictionary = ["title": "a", "year": NSNumber(value: 1999)]
        #expect(found[0] == plain)
        #expect(plain == found[0])
        #expect(found[0].hash == plain.hash)
        #expect(Set([found[0], plain]).count == 1)
        #expect(found[0].copy() as? NSDictionary == plain)
        #expect(Set(found[0].allKeys.compactMap { $0 as? String }) == ["title", "year"])
        #expect(found[0].allValues.count == 2)
        #expect(found[0]["pages"] == nil)
        let changed = try #require(found[0].mutableCopy() as? NSMutableDictionary)
        changed["title"] = "z"
        #expect(found[0]["title"] as? String == "a")
        let described = "\(found[0])"
        #expect(described.contains("1999"), "\(described)")
    }

    @Test func `a row converts to a Swift dictionary, to texts, and to JSON`() throws {
        let found = try fetch("Book", byTitle)
        let bridged = try #require(found[0] as? [String: Any])
        #expect(bridged.count == 2)
        #expect(bridged["title"] as? String == "a")
        #expect(bridged["year"] as? Int == 1999)
        let all = try #require(found as? [[String: Any]])
        #expect(all.map { $0["year"] as? Int } == [1999, 2000, 2007, 2001])
        let json = try JSONSerialization.data(withJSONObject: found, options: [.sortedKeys])
        #expect(String(decoding: json, as: UTF8.self).hasPrefix(#"[{"title":"a","year":1999},"#))
        var seen: [String: Int] = [:]
        for (key, value) in found[1] { seen["\(key)"] = "\(value)".count }
        #expect(seen == ["title": 1, "year": 4])
        let archived = try NSKeyedArchiver.archivedData(
            withRootObject: found[2], requiringSecureCoding: false)
        let read = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSDictionary.self, NSString.self, NSNumber.self], from: archived)
        #expect((read as? NSDictionary)?["year"] as? Int == 2007)
        let values = found.map { $0.value(forKey: "year") as? Int }
        #expect(values == [1999, 2000, 2007, 2001])
    }

    // Proves S2.7-2
    @Test func `a to-one relationship is an id, a path through it a value, and nil has no key`()
        throws
    {
        let found = try fetch {
            byTitle($0)
            $0.propertiesToFetch = ["author", "author.name"]
        }
        let id = try #require(found[0]["author"] as? NSManagedObjectID)
        #expect(id.entity.name == "Author" && !id.isTemporaryID)
        #expect(
            found[0]["author"] as? NSManagedObjectID == found[1]["author"] as? NSManagedObjectID)
        #expect(found[2]["author.name"] as? String == "Bob")
        #expect(found[3].allKeys.isEmpty)
    }

    @Test func `a predicate over a to-many relationship does not repeat dictionaries`() throws {
        let found = try fetch("Author") {
            $0.propertiesToFetch = ["name"]
            $0.predicate = NSPredicate(format: "ANY books.year < 2005")
        }
        #expect(found.map { $0["name"] as? String } == ["Ada"])
    }

    // Proves S2.7-4, S2.7-7, S2.7-8
    @Test func `aggregates over all rows return one dictionary`() throws {
        let found = try fetch {
            $0.propertiesToFetch = [
                computed("n", "count:(author)"),
                computed("mean", "average:(year)", .doubleAttributeType),
                computed("whole", "average:(year)", .integer64AttributeType),
                computed("text", "sum:(year)", .stringAttributeType),
                computed("first", "min:(year)"), computed("last", "max:(title)"),
            ]
        }
        #expect(found.count == 1)
        #expect((found[0]["n"] as? NSNumber)?.intValue == 3)
        #expect((found[0]["mean"] as? NSNumber)?.doubleValue == 2001.75)
        #expect((found[0]["whole"] as? NSNumber)?.intValue == 2001)
        #expect(found[0]["text"] as? String == "8007.0")
        #expect((found[0]["first"] as? NSNumber)?.intValue == 1999)
        #expect(found[0]["last"] as? String == "d")
        #expect(
            log.texts.first?.hasPrefix(
                "SELECT COUNT( t0.ZAUTHOR) AS __var0, avg( t0.ZYEAR) AS __var1") == true)
    }

    // Proves S2.7-6, S2.7-9
    @Test func `over no rows count and sum are zero and the others have no key`() throws {
        let found = try fetch {
            $0.predicate = NSPredicate(value: false)
            $0.propertiesToFetch = [
                computed("n", "count:(title)"), computed("sum", "sum:(year)"),
                computed("mean", "average:(year)"),
            ]
        }
        #expect(found.count == 1)
        #expect((found[0]["n"] as? NSNumber)?.intValue == 0)
        #expect((found[0]["sum"] as? NSNumber)?.doubleValue == 0)
        #expect(found[0]["mean"] == nil)
    }

    // Proves S2.7-5
    @Test func `next to a column, and without groups, every row repeats the aggregate`() throws {
        let found = try fetch {
            byTitle($0)
            $0.predicate = NSPredicate(format: "year > %d", 1999)
            $0.propertiesToFetch = ["title", computed("last", "max:(year)")]
        }
        #expect(found.map { $0["title"] as? String } == ["b", "c", "d"])
        #expect(found.map { ($0["last"] as? NSNumber)?.intValue } == [2007, 2007, 2007])
    }

    // Proves S2.7-11
    @Test func `each group has one dictionary, and HAVING selects groups by a variable`() throws {
        let count = computed("n", "count:(title)", .integer64AttributeType)
        let found = try fetch {
            $0.propertiesToFetch = ["author.name", count]
            $0.propertiesToGroupBy = ["author.name"]
            $0.havingPredicate = NSPredicate(format: "$n > 1")
        }
        #expect(found.count == 1)
        #expect(found[0]["author.name"] as? String == "Ada")
        #expect((found[0]["n"] as? NSNumber)?.intValue == 2)
        #expect(
            log.texts == [
                "SELECT t1.ZNAME, COUNT( t0.ZTITLE) AS __var0 FROM ZBOOK t0 "
                    + "LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK "
                    + "GROUP BY  t1.ZNAME HAVING __var0 > ?"
            ])
    }

    // Proves S2.7-8
    @Test func `a group counts the members of its rows' relationships`() throws {
        let found = try fetch("Author") {
            $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            $0.propertiesToFetch = ["name", computed("n", "count:(books)")]
            $0.propertiesToGroupBy = ["name"]
        }
        #expect(found.map { ($0["n"] as? NSNumber)?.intValue } == [2, 1])
    }

    @Test func `the object itself is its id`() throws {
        let own = NSExpressionDescription()
        own.name = "objectID"
        own.expression = NSExpression.expressionForEvaluatedObject()
        own.expressionResultType = .objectIDAttributeType
        let found = try fetch {
            byTitle($0)
            $0.propertiesToFetch = [own, "title"]
        }
        let ids = found.compactMap { $0["objectID"] as? NSManagedObjectID }
        #expect(ids.count == 4)
        context.performAndWait {
            #expect((context.object(with: ids[2]) as? Book)?.title == "c")
        }
    }

    @Test func `distinct results occur once`() throws {
        let found = try fetch("Book") {
            $0.propertiesToFetch = ["author.name"]
            $0.returnsDistinctResults = true
        }
        #expect(found.count == 3)
    }

    // Proves S2.5-6, S2.6-6
    @Test func `dictionaries contain only saved values`() throws {
        try context.performAndWait {
            let book = Book(context: context)
            book.title = "new"
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(format: "title = 'a'")
            try context.fetch(request).first?.title = "changed"
        }
        #expect(try fetch("Book", byTitle).map { $0["title"] as? String } == ["a", "b", "c", "d"])
    }

    // Proves S2.7-3, S2.7-11
    @Test(arguments: [
        ("books", nil, "Invalid to-many relationship in setPropertiesToFetch"),
        ("titel", nil, "keypath titel not found in entity <NSSQLEntity Author id=1>"),
        ("name", "headcount > 1", "keypath headcount not found in entity"),
        ("name", "median:(name) > 1", "Unsupported function expression median"),
    ])
    func `a property that a dictionary cannot contain is an error that names it`(
        property: String, having: String?, text: String
    ) throws {
        let message = try #require(throws: (any Error).self) {
            try fetch("Author") {
                $0.propertiesToFetch = [property]
                $0.propertiesToGroupBy = having == nil ? nil : ["name"]
                $0.havingPredicate = having.map { NSPredicate(format: $0) }
            }
        }
        #expect("\((message as NSError).localizedDescription)".contains(text))
    }

    // Proves S2.5-13
    @Test func `a column outside the groups is an error that names it`() throws {
        let error = try #require(throws: (any Error).self) {
            try fetch {
                $0.propertiesToFetch = ["title", computed("n", "count:(title)")]
                $0.propertiesToGroupBy = ["year"]
            }
        }
        #expect((error as NSError).localizedDescription.contains("'title' is neither"))
    }

    @Test func `a child context fetches its root's dictionaries`() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        #expect(try child.performAndWait { try child.fetch(request) }.count == 4)
    }
}
