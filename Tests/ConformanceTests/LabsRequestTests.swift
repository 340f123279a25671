import CoreData
import XCTest

final class LabsRequestTests: LabsTestCase {
    private func books(_ count: Int) throws -> NSManagedObjectContext {
        let context = container(Ebooks.model).viewContext
        let author = insert(Author.self, into: context, ["name": "Ada"])
        for number in 0..<count {
            let values: [String: Any] = [
                "title": "Book \(number)", "year": 1900 + number % 10, "author": author,
            ]
            _ = insert(Book.self, into: context, values)
        }
        try context.save()
        context.reset()
        return context
    }

    func testL27_aLimitOf100InBatchesOf20() throws {
        let context = try books(500)
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchLimit = 100
        request.fetchBatchSize = 20
        var found: [Book] = []
        XCTAssertEqual(try log.selects { found = try context.fetch(request) }.count, 1)
        XCTAssertEqual(found.count, 100)
        XCTAssertEqual(log.selects { for book in found { _ = book.title } }.count, 5)
    }

    func testL27_everyResultType() throws {
        let context = try books(5)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        XCTAssertEqual(try context.fetch(ids).filter { !$0.isTemporaryID }.count, 5)
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["title"]
        XCTAssertEqual(
            Set(try context.fetch(dictionaries).compactMap { $0["title"] as? String }),
            Set((0..<5).map { "Book \($0)" }))
        let count = NSFetchRequest<NSNumber>(entityName: "Book")
        count.resultType = .countResultType
        XCTAssertEqual(try context.fetch(count).map(\.intValue), [5])
        XCTAssertEqual(try context.count(for: dictionaries), 5)
    }

    func testL30_namesAndExpressions() throws {
        let context = try books(20)
        let latest = NSExpressionDescription()
        latest.name = "latest"
        latest.expression = NSExpression(
            forFunction: "max:", arguments: [NSExpression(forKeyPath: "year")])
        latest.expressionResultType = .integer32AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [latest]
        XCTAssertEqual(
            try context.fetch(request).map { ($0["latest"] as? NSNumber)?.intValue }, [1909])
    }

    func testL30_groupingAndHaving() throws {
        let context = try books(25)
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(
            forFunction: "count:", arguments: [NSExpression(forKeyPath: "title")])
        count.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["year", count]
        request.propertiesToGroupBy = ["year"]
        request.havingPredicate = NSPredicate(
            format: "%@ > 2", argumentArray: [NSExpression(forVariable: "count")])
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        var found: [NSDictionary] = []
        let select = try log.selects { found = try context.fetch(request) }
        XCTAssertEqual(
            found.map { ($0["year"] as? NSNumber)?.intValue }, [1900, 1901, 1902, 1903, 1904])
        XCTAssertEqual(Set(found.map { ($0["count"] as? NSNumber)?.intValue }), [3])
        XCTAssertEqual(select.count, 1)
        XCTAssertTrue(select[0].contains("COUNT( t0.ZTITLE) AS __var0"), select[0])
        XCTAssertTrue(select[0].contains("HAVING __var0 > ?"), select[0])
    }

    func testL32_aStoreThatCannotAnswerMakesTheFetchThrow() throws {
        let context = try books(1)
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["titel"]
        XCTAssertThrowsError(try context.fetch(request)) { error in
            XCTAssertTrue(
                (error as NSError).localizedDescription.contains("keypath titel not found"))
        }
        let none = NSFetchRequest<NSDictionary>(entityName: "Book")
        none.resultType = .dictionaryResultType
        none.predicate = NSPredicate(value: false)
        XCTAssertEqual(try context.fetch(none), [])
    }
}
