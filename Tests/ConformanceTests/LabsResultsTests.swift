import CoreData
import XCTest

final class LabsResultsTests: LabsTestCase {
    private final class Listener: NSObject, NSFetchedResultsControllerDelegate {
        var told: [String] = []

        func controllerWillChangeContent(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>
        ) { told.append("will") }

        func controllerDidChangeContent(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>
        ) { told.append("did") }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChange sectionInfo: any NSFetchedResultsSectionInfo,
            atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
        ) { told.append("section \(type.rawValue) \(sectionInfo.name) \(sectionIndex)") }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChange anObject: Any, at indexPath: IndexPath?,
            for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            func text(_ path: IndexPath?) -> String { path.map { "\($0[0]).\($0[1])" } ?? "-" }
            let title = (anObject as? Book)?.title ?? ""
            told.append("\(type.rawValue) \(title) \(text(indexPath)) \(text(newIndexPath))")
        }
    }

    private func shelf() throws -> NSManagedObjectContext {
        let context = container(Ebooks.model).viewContext
        for (name, titles) in [("Ada", ["a", "b"]), ("Grace", ["c"])] {
            let author = insert(Author.self, into: context, ["name": name])
            for title in titles {
                _ = insert(Book.self, into: context, ["title": title, "author": author])
            }
        }
        try context.save()
        return context
    }

    private func controller(
        _ context: NSManagedObjectContext, cache: String? = nil
    ) -> NSFetchedResultsController<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [
            NSSortDescriptor(key: "author.name", ascending: true),
            NSSortDescriptor(key: "title", ascending: true),
        ]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context,
            sectionNameKeyPath: "author.name", cacheName: cache)
    }

    func testL33_sectionsHaveTheNamesOfTheirKeyPath() throws {
        let controller = controller(try shelf())
        try controller.performFetch()
        XCTAssertEqual(controller.sections?.map(\.name), ["Ada", "Grace"])
        XCTAssertEqual(controller.sections?.map(\.numberOfObjects), [2, 1])
        XCTAssertEqual(controller.sectionIndexTitles, ["A", "G"])
        let path = IndexPath(indexes: [0, 1])
        XCTAssertEqual(controller.object(at: path).title, "b")
        XCTAssertEqual(controller.indexPath(forObject: controller.object(at: path)), path)
        XCTAssertEqual(controller.fetchedObjects?.compactMap(\.title), ["a", "b", "c"])
    }

    func testL33_theDelegateIsToldInOrder() throws {
        let context = try shelf()
        let controller = controller(context)
        let listener = Listener()
        controller.delegate = listener
        try controller.performFetch()
        let books = try XCTUnwrap(controller.fetchedObjects)
        let author = try XCTUnwrap(books[0].author)
        context.delete(books[2])
        books[0].title = "z"
        books[1].rating = 5
        let next = insert(Author.self, into: context, ["name": "Hedy"])
        _ = insert(Book.self, into: context, ["title": "h", "author": next])
        _ = insert(Book.self, into: context, ["title": "aa", "author": author])
        context.processPendingChanges()
        XCTAssertEqual(
            listener.told,
            [
                "will", "section 2 Grace 1", "section 1 Hedy 1", "2 c 1.0 -", "1 aa - 0.0",
                "1 h - 1.0", "3 z 0.0 0.2", "4 b 0.1 0.1", "did",
            ])
        XCTAssertEqual(controller.fetchedObjects?.compactMap(\.title), ["aa", "b", "z", "h"])
    }

    func testL33_aCacheIsDeletedBeforeItsRequestChanges() throws {
        let context = try shelf()
        let controller = controller(context, cache: "shelf")
        defer { NSFetchedResultsController<Book>.deleteCache(withName: nil) }
        try controller.performFetch()
        controller.fetchRequest.predicate = NSPredicate(format: "title > 'a'")
        XCTAssertThrowsError(try controller.performFetch())
        NSFetchedResultsController<Book>.deleteCache(withName: "shelf")
        try controller.performFetch()
        XCTAssertEqual(controller.fetchedObjects?.compactMap(\.title), ["b", "c"])
    }
}
