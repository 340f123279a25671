import CoreData
import XCTest

@testable import ReadingList

final class BookImporterTests: XCTestCase {
    private var stack: CoreDataStack!
    private var importer: BookImporter!

    override func setUp() {
        super.setUp()
        stack = CoreDataStack(inMemory: true)
        importer = BookImporter(container: stack.container)
    }

    override func tearDown() {
        importer = nil
        stack = nil
        super.tearDown()
    }

    private func importBooks(_ records: [BookRecord]) throws -> [NSManagedObjectID] {
        try importer.importBooks(from: try JSONEncoder().encode(records))
    }

    private let heights = BookRecord(
        isbn: "1", title: "Wuthering Heights", author: "Emily Brontë", pages: 416)
    private let tenant = BookRecord(
        isbn: "2", title: "The Tenant of Wildfell Hall", author: "Anne Brontë", pages: 576)

    func testImportInsertsBooksAndAuthors() throws {
        let ids = try importBooks([heights, tenant])
        let book = try XCTUnwrap(stack.container.viewContext.object(with: ids[0]) as? Book)
        XCTAssertEqual(book.title, "Wuthering Heights")
        XCTAssertEqual(book.author?.name, "Emily Brontë")
        XCTAssertEqual(book.pages, 416)
        XCTAssertNotNil(book.added)
        XCTAssertFalse(book.isFinished)
        XCTAssertEqual(stack.backgroundSaves, 1)
    }

    func testImportChangesWhatItKnows() throws {
        let first = try importBooks([heights, tenant])
        var again = heights
        again.pages = 400
        again.author = "Anne Brontë"
        XCTAssertEqual(try importBooks([again]), [first[0]])
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(key: #keyPath(Author.name), ascending: true)
        ]
        let authors = try stack.container.viewContext.fetch(request)
        XCTAssertEqual(authors.map { $0.name }, ["Anne Brontë", "Emily Brontë"])
        XCTAssertEqual(
            authors.first?.titles, ["The Tenant of Wildfell Hall", "Wuthering Heights"])
        XCTAssertEqual(authors.last?.titles, [])
    }

    func testDeletingAnAuthorDeletesItsBooks() throws {
        _ = try importBooks([heights, tenant])
        let context = stack.container.viewContext
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.predicate = NSPredicate(format: "ANY books.title BEGINSWITH %@", "The")
        for author in try context.fetch(request) { context.delete(author) }
        try context.save()
        XCTAssertEqual(try context.fetch(Book.fetchRequest()).map { $0.isbn }, ["1"])
    }

    func testListHasASectionForEachInitial() throws {
        _ = try importBooks([heights, tenant])
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: true)]
        let list = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: stack.container.viewContext,
            sectionNameKeyPath: #keyPath(Book.author.name), cacheName: nil)
        try list.performFetch()
        XCTAssertEqual(list.sections?.map { $0.name }, ["Anne Brontë", "Emily Brontë"])
        XCTAssertEqual(list.object(at: IndexPath(item: 0, section: 1)).initial, "W")
    }
}
