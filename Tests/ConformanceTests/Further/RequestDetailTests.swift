import CoreData
import Testing

/// Further conformance tests for section 8: settings of fetch requests, and predicates in the
/// store.
@MainActor struct RequestDetailTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop() }

    /// Five books are from the years 0 to 4. One author wrote the books of the even years, and
    /// another one wrote the others.
    private func fill() throws -> (authors: [NSManagedObject], books: [NSManagedObject]) {
        let authors = ["ann", "ben"].map { shop.add("Author", ["name": $0]) }
        let books = (0..<5).map { year in
            shop.add(
                "Book",
                ["title": "b\(4 - year)", "year": year, "author": authors[year % 2]])
        }
        try shop.context.save()
        return (authors, books)
    }

    private func years(_ format: String, _ arguments: Any...) throws -> [Int?] {
        try shop.find("Book", format, arguments, by: "year").map { $0.number("year") }
    }

    // MARK: Requests

    // Proves S8-33
    @Test func `a copied request has the settings and is changed by itself`() throws {
        _ = try fill()
        let request = shop.request("Book", "year > 1", by: "year")
        request.fetchLimit = 2
        request.fetchOffset = 1
        request.returnsObjectsAsFaults = false
        let copy = try #require(request.copy() as? NSFetchRequest<NSManagedObject>)
        #expect(copy.entityName == "Book" && copy.predicate == request.predicate)
        #expect(copy.sortDescriptors == request.sortDescriptors)
        #expect(copy.fetchLimit == 2 && copy.fetchOffset == 1 && !copy.returnsObjectsAsFaults)
        copy.fetchLimit = 1
        copy.predicate = nil
        #expect(try shop.context.fetch(request).map { $0.number("year") } == [3, 4])
        #expect(try shop.context.fetch(copy).map { $0.number("year") } == [1])
    }

    // Proves S8-34
    @Test func `an offset skips rows without a limit, and all of them beyond the last`() throws {
        _ = try fill()
        let request = shop.request("Book", by: "year")
        request.fetchOffset = 3
        #expect(try shop.context.fetch(request).map { $0.number("year") } == [3, 4])
        request.fetchOffset = 9
        #expect(try shop.context.fetch(request).isEmpty)
    }

    // Proves S8-39
    @Test func `sort descriptors apply in turn, also through a to-one`() throws {
        _ = try fill()
        let request = shop.request("Book")
        request.sortDescriptors = [
            NSSortDescriptor(key: "author.name", ascending: false),
            NSSortDescriptor(key: "title", ascending: true),
        ]
        let expected = [3, 1, 4, 2, 0]
        #expect(try shop.context.fetch(request).map { $0.number("year") } == expected)
        // Unsaved objects do not change the order.
        shop.add("Book", ["title": "a", "year": 9])
        #expect(try shop.context.fetch(request).map { $0.number("year") } == expected + [9])
    }

    // Proves S8-42
    @Test func `the evaluated object is a column of ids`() throws {
        let (_, books) = try fill()
        let column = NSExpressionDescription()
        column.name = "id"
        column.expression = NSExpression.expressionForEvaluatedObject()
        column.expressionResultType = .objectIDAttributeType
        let request = shop.rows("Book", [column, "year"])
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        let rows = try shop.context.fetch(request)
        #expect(rows.map { $0["id"] as? NSManagedObjectID } == books.map(\.objectID))
    }

    // Proves S8-40
    @Test func `a fetch expression gives objects or their number`() throws {
        _ = try fill()
        let request = shop.request("Book", "year < 2", by: "year")
        for countOnly in [false, true] {
            let expression = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: request),
                context: NSExpression(forConstantValue: shop.context), countOnly: countOnly)
            let value = expression.expressionValue(with: nil, context: nil)
            if countOnly {
                #expect((value as? NSNumber)?.intValue == 2)
            } else {
                #expect((value as? [NSManagedObject])?.map { $0.number("year") } == [0, 1])
            }
        }
    }

    // MARK: Predicates

    // Proves S8-35
    @Test func `%K is a key, and %@ between quotes is text`() throws {
        _ = try fill()
        shop.add("Book", ["title": "%@", "year": 7])
        try shop.context.save()
        #expect(try years("%K == %@", "title", "b1") == [3])
        #expect(try years("title == '%@'") == [7])
    }

    // Proves S8-36
    @Test func `TRUEPREDICATE chooses all and FALSEPREDICATE none`() throws {
        _ = try fill()
        #expect(try years("TRUEPREDICATE").count == 5)
        #expect(try years("FALSEPREDICATE").isEmpty)
        #expect(try years("year == 1 OR FALSEPREDICATE") == [1])
        #expect(NSPredicate(value: true).evaluate(with: nil))
    }

    // Proves S8-37
    @Test func `BETWEEN has both bounds, of dates too`() throws {
        _ = try fill()
        #expect(try years("year BETWEEN %@", [1, 3]) == [1, 2, 3])
        let days = (0..<4).map { Date(timeIntervalSinceReferenceDate: Double($0) * 86_400) }
        let dated = try Bookshop(Bookshop.thing(attribute("day", .dateAttributeType)))
        for day in days { dated.add("Thing", ["day": day]) }
        try dated.context.save()
        #expect(try dated.count("Thing", "day BETWEEN {%@, %@}", [days[1], days[2]]) == 2)
    }

    // Proves S8-38
    @Test func `IN takes sets, arrays and objects, and an empty list has nothing`() throws {
        let (authors, books) = try fill()
        #expect(try years("year IN %@", Set([0, 4])) == [0, 4])
        #expect(try years("title IN %@", ["b0", "zz"]) == [4])
        #expect(try years("SELF IN %@", [books[2], books[3]]) == [2, 3])
        #expect(try years("author IN %@", [authors[1]]) == [1, 3])
        #expect(try years("year IN %@", [Int]()).isEmpty)
        #expect(try years("NOT (year IN %@)", [0, 1, 2]) == [3, 4])
    }

    // Proves S8-41
    @Test func `variables are put into a copy of a template`() throws {
        _ = try fill()
        let template = NSPredicate(format: "year > $LEAST AND author.name == $NAME")
        let made = template.withSubstitutionVariables(["LEAST": 0, "NAME": "ann"])
        #expect(try shop.find("Book", made.predicateFormat).count == 2)
        #expect(template.predicateFormat.contains("$LEAST"))
        let other = template.withSubstitutionVariables(["LEAST": 2, "NAME": "ben"])
        let request = shop.request("Book")
        request.predicate = other
        #expect(try shop.context.fetch(request).map { $0.number("year") } == [3])
    }

    // Proves S8-43
    @Test func `a relationship compares with an object and with its id`() throws {
        let (authors, books) = try fill()
        #expect(try years("author == %@", authors[1]) == [1, 3])
        #expect(try years("author == %@", authors[1].objectID) == [1, 3])
        #expect(try years("author != %@", authors[1]) == [0, 2, 4])
        let found = try shop.find("Author", "books CONTAINS %@", [books[1]])
        #expect(found == [authors[1]])
    }
}
