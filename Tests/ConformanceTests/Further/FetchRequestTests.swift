import CoreData
import Testing

/// Conformance tests for section 8: fetch requests, dictionary results, predicates and sorting.
@MainActor struct FetchRequestTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop() }

    private static func column(
        _ name: String, _ format: String, _ type: NSAttributeType
    ) -> NSExpressionDescription {
        let made = NSExpressionDescription()
        made.name = name
        made.expression = NSExpression(format: format)
        made.expressionResultType = type
        return made
    }

    // MARK: Limits and counts

    // Proves S8-1, S8-2, S8-3
    @Test func `limit and offset follow the order, and counts respect them`() throws {
        _ = try shop.stock(["9", "8", "7", "6", "5", "4", "3", "2", "1", "0"])
        let request = shop.request("Book", by: "title")
        request.fetchLimit = 3
        request.fetchOffset = 2
        #expect(try shop.context.fetch(request).map { $0.text("title") } == ["2", "3", "4"])
        #expect(try shop.context.count(for: request) == 3)
        request.fetchOffset = 8
        #expect(try shop.context.count(for: request) == 2)
        request.fetchOffset = 20
        #expect(try shop.context.fetch(request).isEmpty)
        request.fetchOffset = 0
        request.fetchLimit = 0
        #expect(try shop.context.fetch(request).count == 10)
        let count = NSFetchRequest<NSNumber>(entityName: "Book")
        count.resultType = .countResultType
        #expect(try shop.context.fetch(count).map(\.intValue) == [10])
    }

    // Proves S8-4, S8-5
    @Test func `pending changes can be excluded from objects and are never in rows`() throws {
        _ = try shop.stock(["a"])
        shop.add("Book", ["title": "b"])
        let request = shop.request("Book")
        request.includesPendingChanges = false
        #expect(try shop.context.fetch(request).map { $0.text("title") } == ["a"])
        #expect(try shop.context.count(for: request) == 1)
        let rows = shop.rows("Book", ["title"])
        rows.includesPendingChanges = false
        #expect(try shop.context.fetch(rows).map { $0["title"] as? String } == ["a"])
        let child = shop.newChild()
        #expect(try child.count(for: shop.request("Book")) == 2)
    }

    // Proves S8-6
    @Test func `a deleted object is not fetched until a rollback restores it`() throws {
        let book = try shop.stock(["a"])[0]
        shop.context.delete(book)
        #expect(try shop.find("Book").isEmpty)
        shop.context.rollback()
        #expect(try shop.find("Book") == [book])
    }

    // MARK: Dictionaries

    private func fillPrices() throws {
        let prices: [(Int, Double)] = [(1, 1), (1, 2), (2, 5), (3, 1), (3, 1.5), (3, 2)]
        for (year, price) in prices { shop.add("Book", ["year": year, "price": price]) }
        try shop.context.save()
    }

    // Proves S8-7
    @Test func `groups have aggregates and can be filtered by them`() throws {
        try fillPrices()
        let columns = ["count", "sum", "min", "max", "average"].map { name in
            Self.column(
                name, "\(name):(price)",
                name == "count" ? .integer32AttributeType : .doubleAttributeType)
        }
        let request = shop.rows("Book", ["year" as Any] + columns)
        request.propertiesToGroupBy = ["year"]
        request.havingPredicate = NSPredicate(format: "sum:(price) > 3")
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
        let rows = try shop.context.fetch(request)
        func values(_ key: String) -> [Double?] {
            rows.map { ($0[key] as? NSNumber)?.doubleValue }
        }
        #expect(values("year") == [3, 2] && values("count") == [3, 1])
        #expect(values("sum") == [4.5, 5] && values("average") == [1.5, 5])
        #expect(values("min") == [1, 5] && values("max") == [2, 5])
    }

    // Proves S8-8
    @Test func `the name of an expression cannot be a sort key`() throws {
        try fillPrices()
        let request = shop.rows(
            "Book", ["year" as Any, Self.column("s", "sum:(price)", .doubleAttributeType)])
        request.propertiesToGroupBy = ["year"]
        request.sortDescriptors = [NSSortDescriptor(key: "s", ascending: false)]
        #expect(failure { _ = try shop.context.fetch(request) } != nil)
    }

    // Proves S8-9, S8-10, S8-11
    @Test func `rows follow to-one key paths, can be distinct, and can be grouped by links`() throws
    {
        let author = shop.add("Author", ["name": "n"])
        for year in 1...2 { shop.add("Book", ["year": year, "author": author]) }
        try shop.context.save()
        let names = shop.rows("Book", ["author.name"])
        #expect(try shop.context.fetch(names).map { $0["author.name"] as? String } == ["n", "n"])
        names.returnsDistinctResults = true
        #expect(try shop.context.fetch(names).count == 1)
        let groups = shop.rows(
            "Book", ["author" as Any, Self.column("n", "count:(year)", .integer32AttributeType)])
        groups.propertiesToGroupBy = ["author"]
        let rows = try shop.context.fetch(groups)
        #expect(rows.map { $0["author"] as? NSManagedObjectID } == [author.objectID])
        #expect(rows.map { $0["n"] as? Int } == [2])
    }

    // Proves S8-12
    @Test func `rows have arithmetic, functions and ternary expressions`() throws {
        shop.add("Book", ["title": "Abc", "year": 7, "price": 2.5])
        try shop.context.save()
        let number = NSAttributeType.integer32AttributeType
        let columns = [
            Self.column("sum", "year * 2 + 1", number),
            Self.column("upper", "uppercase:(title)", .stringAttributeType),
            Self.column("size", "length:(title)", number),
            Self.column("distance", "abs:(0 - year)", number),
            Self.column("rest", "modulus:by:(year, 4)", number),
            Self.column("choice", "TERNARY(year > 5, 'big', 'small')", .stringAttributeType),
        ]
        let row = try shop.context.fetch(shop.rows("Book", columns))[0]
        #expect(row["sum"] as? Int == 15 && row["size"] as? Int == 3)
        #expect(row["distance"] as? Int == 7 && row["rest"] as? Int == 3)
        #expect(row["upper"] as? String == "ABC" && row["choice"] as? String == "big")
    }

    // MARK: Predicates

    // Proves S8-13
    @Test func `dates are compared with now and with numbers cast to dates`() throws {
        let shop = try Bookshop(Bookshop.thing(attribute("day", .dateAttributeType)))
        for seconds in [-100.0, 100] {
            shop.add("Thing", ["day": Date(timeIntervalSinceNow: seconds)])
        }
        try shop.context.save()
        #expect(try shop.count("Thing", "day < now()") == 1)
        let later = "day < CAST(CAST(now(), 'NSNumber') + 1000, 'NSDate')"
        #expect(try shop.count("Thing", later) == 2)
    }

    // Proves S8-14
    @Test func `ids and objects are compared with SELF`() throws {
        let books = try shop.stock(["a", "b", "c"])
        let ids = books.map(\.objectID)
        #expect(try shop.count("Book", "SELF IN %@", [[ids[0], ids[2]]]) == 2)
        #expect(try shop.find("Book", "SELF == %@", [ids[1]]) == [books[1]])
        #expect(try shop.count("Book", "NOT (SELF IN %@)", [[books[0]]]) == 2)
    }

    // Proves S8-15, S8-16, S8-17
    @Test func `an abstract entity's fetch finds subentities, which predicates distinguish`() throws
    {
        let parent = Bookshop.plain("Parent", [attribute("n", .stringAttributeType)])
        let (first, second) = (Bookshop.plain("First", []), Bookshop.plain("Second", []))
        parent.isAbstract = true
        parent.subentities = [first, second]
        let shop = try Bookshop(model(parent, first, second))
        let made = (shop.add("First"), shop.add("Second"))
        try shop.context.save()
        #expect(Set(try shop.find("Parent")) == [made.0, made.1])
        #expect(try shop.find("Parent", "entity = %@", [first]) == [made.0])
        #expect(try shop.find("Parent", "entity.name == 'Second'") == [made.1])
    }

    // Proves S8-18, S8-19, S8-20
    @Test func `conditions on members quantify, count and sum`() throws {
        let authors = ["a", "b", "none"].map { shop.add("Author", ["name": $0]) }
        for number in 1...3 {
            shop.add("Book", ["year": 1, "price": Double(number), "author": authors[0]])
        }
        shop.add("Book", ["year": 2, "price": 9.0, "author": authors[1]])
        try shop.context.save()
        let table: [(String, [String])] = [
            ("NOT (SUBQUERY(books, $b, $b.year == 1 AND $b.price > 2).@count > 0)", ["b", "none"]),
            ("books.price.@sum == 6", ["a"]), ("books.@sum.price == 6", ["a"]),
            ("books.@max.price == 3", ["a"]), ("books.@min.price == 1", ["a"]),
            ("books.@avg.price == 2", ["a"]), ("books.@count == 0", ["none"]),
            ("NONE books.year == 1", ["b", "none"]), ("ANY books.price IN {2, 9}", ["a", "b"]),
            ("books.@count > 0 AND ALL books.year == 2", ["b"]),
        ]
        for (format, expected) in table {
            let found = try shop.find("Author", format, by: "name").map { $0.text("name") }
            #expect(found == expected, "\(format)")
        }
    }

    // Proves S8-21, S8-22
    @Test func `values are compared with ranges, lists and nil`() throws {
        for (index, title) in ["abc", "Abd", nil].enumerated() {
            shop.add("Book", title.map { ["title": $0, "year": index] } ?? ["year": index])
        }
        try shop.context.save()
        let table: [(String, [Any], [Int])] = [
            ("year BETWEEN {1, 5}", [], [1, 2]), ("year BETWEEN %@", [[0, 1]], [0, 1]),
            ("year IN %@", [[0, 2]], [0, 2]), ("year IN %@", [[Int]()], []),
            ("title == nil", [], [2]), ("title != nil", [], [0, 1]),
            ("title LIKE 'a?c'", [], [0]), ("title LIKE[c] 'a*'", [], [0, 1]),
            ("title MATCHES '[aA]b.'", [], [0, 1]), ("title BEGINSWITH[c] 'AB'", [], [0, 1]),
            ("title CONTAINS 'bd' OR year == 2", [], [1, 2]), ("TRUEPREDICATE", [], [0, 1, 2]),
            ("FALSEPREDICATE", [], []), ("title ENDSWITH %@ AND year < 1", ["c"], [0]),
        ]
        for (format, arguments, expected) in table {
            let found = try shop.find("Book", format, arguments, by: "year")
            #expect(found.map { $0.number("year") } == expected, "\(format)")
        }
    }

    // Proves S8-23
    @Test func `predicates without an object compare texts as Foundation documents`() {
        let table: [(String, Bool)] = [
            ("'É' ==[c] 'é'", true), ("'é' ==[d] 'e'", true), ("'É' ==[cd] 'e'", true),
            ("'é' == 'e'", false), ("'file10' LIKE 'file*'", true), ("'ABC' LIKE 'a?c'", false),
            ("'ABC' LIKE[c] 'a?c'", true), ("'école' BEGINSWITH[d] 'eco'", true),
            ("'xabc' MATCHES 'a.c'", false), ("'Zürich' MATCHES '\\\\p{L}+'", true),
            ("'b' BETWEEN {'a', 'c'}", true), ("'b' IN {'a', 'b'}", true),
            ("'bc' IN 'abcd'", true),
        ]
        for (format, expected) in table {
            #expect(NSPredicate(format: format).evaluate(with: nil) == expected, "\(format)")
        }
    }

    // Proves S8-24
    @Test func `store and memory agree about texts of all scripts`() throws {
        let words = [
            "é", "e\u{301}", "E", "straße", "STRASSE", "İstanbul", "istanbul", "ﬁ", "fi", "Å", "a",
            "😀a", "日本", "ﾆﾎﾝ", "co\u{308}op", "cöop", "", "_", "%", "a_b", "a*b", "a?b", "a\\b",
            "Ｆｕｌｌ", "full", "Σς", "σσ", "\u{1F1E9}\u{1F1EA}",
        ]
        let shop = try Bookshop(Bookshop.thing(attribute("t", .stringAttributeType)))
        for word in words { shop.add("Thing", ["t": word]) }
        try shop.context.save()
        let all = try shop.find("Thing")
        var differing: [String] = []
        for sign in ["==", "!=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "<", ">"] {
            let options = sign == "<" || sign == ">" ? [""] : ["", "[c]", "[d]", "[cd]", "[n]"]
            for format in options.map({ "t \(sign)\($0) %@" }) {
                for word in words {
                    let predicate = NSPredicate(format: format, argumentArray: [word])
                    let expected = Set(all.filter { predicate.evaluate(with: $0) })
                    guard Set(try shop.find("Thing", format, [word])) != expected else { continue }
                    differing.append("\(format) \(word)")
                }
            }
        }
        #expect(differing.isEmpty, "\(differing.count) differ: \(differing.prefix(5))")
    }

    // MARK: Orders

    // Proves S8-25, S8-26
    @Test func `orders are the same for pending and for saved objects`() throws {
        let words = ["file10", "File2", "file1", "Éa", "ez", "eb", "Zz", nil]
        for word in words { shop.add("Book", word.map { ["title": $0] } ?? [:]) }
        let selectors = [
            "localizedStandardCompare:", "caseInsensitiveCompare:", "localizedCompare:",
            "localizedCaseInsensitiveCompare:", "compare:",
        ]
        func sorted(_ selector: String) throws -> [String] {
            let request = shop.request("Book")
            request.sortDescriptors = [
                NSSortDescriptor(key: "title", ascending: true, selector: Selector(selector))
            ]
            return try shop.context.fetch(request).map { $0.text("title") ?? "nil" }
        }
        let pending = try selectors.map(sorted)
        try shop.context.save()
        shop.context.reset()
        #expect(try selectors.map(sorted) == pending)
        #expect(pending[0] == ["nil", "Éa", "eb", "ez", "file1", "File2", "file10", "Zz"])
        #expect(pending.allSatisfy { $0.first == "nil" })
    }

    // MARK: Transient values

    // Proves S8-27, S8-28
    @Test func `a transient value is compared in memory and not by a store`() throws {
        let transient = attribute("full", .stringAttributeType)
        transient.isTransient = true
        let shop = try Bookshop(Bookshop.thing(attribute("n", .stringAttributeType), transient))
        let thing = shop.add("Thing", ["full": "zz"])
        #expect(NSPredicate(format: "full == 'zz'").evaluate(with: thing))
        try shop.context.save()
        #expect(failure { _ = try shop.find("Thing", "full == 'zz'") } != nil)
    }

    // MARK: Templates

    // Proves S8-29, S8-30
    @Test func `a model's fetch request substitutes its variables`() throws {
        let model = Bookshop.library()
        let template = NSFetchRequest<any NSFetchRequestResult>()
        template.entity = model.entitiesByName["Book"]
        template.predicate = NSPredicate(format: "title == $TITLE")
        model.setFetchRequestTemplate(template, forName: "byTitle")
        let shop = try Bookshop(model)
        _ = try shop.stock(["a", "b"])
        let request = try #require(
            model.fetchRequestFromTemplate(
                withName: "byTitle", substitutionVariables: ["TITLE": "b"]))
        let found = try shop.context.fetch(request).compactMap { $0 as? NSManagedObject }
        #expect(found.map { $0.text("title") } == ["b"])
        #expect(model.fetchRequestTemplate(forName: "byTitle")?.predicate == template.predicate)
        #expect(model.fetchRequestTemplate(forName: "other") == nil)
        #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["byTitle"])
    }

    // MARK: Asynchronous use

    // Proves S8-31, S8-32
    @Test func `a private context fetches with a completion and with await`() async throws {
        _ = try shop.stock(["a"])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = shop.coordinator
        let count = try await context.perform {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
        }
        #expect(count == 1)
        let found: Int = await withCheckedContinuation { continuation in
            context.perform {
                let request = NSAsynchronousFetchRequest(
                    fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book")
                ) { continuation.resume(returning: $0.finalResult?.count ?? -1) }
                _ = try? context.execute(request)
            }
        }
        #expect(found == 1)
    }
}
