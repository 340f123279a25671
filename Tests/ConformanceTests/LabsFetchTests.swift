import CoreData
import XCTest

final class LabsFetchTests: LabsTestCase {
    private func books(_ count: Int) throws -> NSManagedObjectContext {
        let context = container(Ebooks.model).viewContext
        let author = insert(Author.self, into: context, ["name": "Ada"])
        for number in 0..<count {
            let values: [String: Any] = [
                "title": "Book \(number)", "year": 1900 + number % 100, "author": author,
            ]
            _ = insert(Book.self, into: context, values)
        }
        try context.save()
        context.reset()
        return context
    }

    private func request() -> NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "iTunesId", ascending: true)]
        return request
    }

    // Proves S2.8-1
    func testL25_aBatchIsReadWhenItIsTouched() throws {
        let context = try books(100)
        let request = request()
        request.fetchBatchSize = 20
        var found: [Book] = []
        let first = try log.selects { found = try context.fetch(request) }
        XCTAssertEqual(first.count, 1)
        XCTAssertEqual(found.count, 100)
        let walk = log.selects { for book in found { XCTAssertNotNil(book.title) } }
        XCTAssertEqual(walk.count, 5)
        XCTAssertEqual(Set(walk).count, 1)
        XCTAssertEqual(log.selects { for book in found { _ = book.title } }, [])
    }

    func testL26_faultsComeWithTheirRows() throws {
        let context = try books(10)
        let found = try context.fetch(request())
        XCTAssertTrue(found.allSatisfy(\.isFault))
        XCTAssertEqual(log.selects { for book in found { _ = book.title } }, [])
    }

    func testL26_returnsObjectsAsFaultsFalseGivesRealisedObjects() throws {
        let context = try books(10)
        let request = request()
        request.returnsObjectsAsFaults = false
        XCTAssertFalse(try context.fetch(request).contains(where: \.isFault))
    }

    // Proves S2.5-2
    func testL26_withoutPropertyValuesOnlyIDsAreRead() throws {
        let context = try books(3)
        let request = request()
        request.includesPropertyValues = false
        var found: [Book] = []
        let select = try log.selects { found = try context.fetch(request) }
        XCTAssertEqual(select.count, 1)
        XCTAssertFalse(select[0].contains("ZTITLE"))
        XCTAssertEqual(log.selects { XCTAssertEqual(found[0].title, "Book 0") }.count, 1)
    }

    func testL26_prefetchingReadsTheDestinationsAlong() throws {
        let context = try books(10)
        let request = request()
        request.relationshipKeyPathsForPrefetching = ["author"]
        var found: [Book] = []
        XCTAssertEqual(try log.selects { found = try context.fetch(request) }.count, 2)
        XCTAssertEqual(log.selects { for book in found { _ = book.author?.name } }, [])
    }

    // Proves S2.5-18
    func testL31_sortingBySeveralDescriptors() throws {
        let context = container(Ebooks.model).viewContext
        for (title, year) in [("b", 2000), ("a", 2000), ("c", 1999)] {
            _ = insert(Book.self, into: context, ["title": title, "year": year])
        }
        try context.save()
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [
            NSSortDescriptor(key: "year", ascending: false),
            NSSortDescriptor(key: "title", ascending: true),
        ]
        XCTAssertEqual(try context.fetch(request).map(\.title), ["a", "b", "c"])
    }

    func testL31_sortingWithoutRegardToCaseAndAsAPersonWould() throws {
        let context = container(Ebooks.model).viewContext
        for title in ["item 10", "Item 9", "apple", "Banana"] {
            _ = insert(Book.self, into: context, ["title": title])
        }
        try context.save()
        let request = NSFetchRequest<Book>(entityName: "Book")
        for selector in ["caseInsensitiveCompare:", "localizedStandardCompare:"] {
            request.sortDescriptors = [
                NSSortDescriptor(key: "title", ascending: true, selector: Selector(selector))
            ]
            let titles = try context.fetch(request).map(\.title)
            XCTAssertEqual(titles.prefix(2), ["apple", "Banana"])
            XCTAssertEqual(
                titles.suffix(2),
                selector == "localizedStandardCompare:"
                    ? ["Item 9", "item 10"] : ["item 10", "Item 9"])
        }
    }

    func testL32_anEmptyResultIsAnEmptyArray() throws {
        let context = container(Ebooks.model).viewContext
        XCTAssertEqual(try context.fetch(request()), [])
        XCTAssertEqual(try context.count(for: request()), 0)
    }

    func testL32_aFailingFetchThrows() throws {
        let context = container(Ebooks.model).viewContext
        XCTAssertThrowsError(try context.fetch(NSFetchRequest<Book>(entityName: "Bok")))
        let request = request()
        request.predicate = NSPredicate(format: "titel = %@", "x")
        XCTAssertThrowsError(try context.fetch(request))
    }
}
