import CoreData
import XCTest

@testable import ReadingList

/// Tests the contents of a screen. The tests run on the main actor, like the view context.
@MainActor final class ViewContextTests: XCTestCase {
    func testTheViewContextShowsAnImport() throws {
        let stack = CoreDataStack(inMemory: true)
        let records = [BookRecord(isbn: "1", title: "Emma", author: "Jane Austen", pages: 474)]
        let importer = BookImporter(container: stack.container)
        _ = try importer.importBooks(from: try JSONEncoder().encode(records))
        let books = try stack.container.viewContext.fetch(Book.fetchRequest())
        XCTAssertEqual(books.compactMap(\.title), ["Emma"])
        XCTAssertTrue(Thread.isMainThread)
    }
}
