import CRuntimeShims
import CoreDataEngine
import CoreDataModel
import Foundation
import XCTest

/// Tests of the memory that managed objects take.
///
/// The tests run in a separate process, because they measure the heap of the whole process. The
/// tests of the labs must also be the first in their process to open a stack. See CONTRIBUTING.md.
final class ObjectMemoryTests: XCTestCase {
    private static let bookCount = 100_000

    override func setUpWithError() throws {
        let isAlone = ProcessInfo.processInfo.environment["FAULTLINE_MEMORY"] != nil
        try XCTSkipUnless(isAlone, "set FAULTLINE_MEMORY=1 and run ObjectMemoryTests alone")
    }

    /// A library whose titles are so short that their strings need no allocation.
    private func library() throws -> GraphStack {
        let author = GraphModels.entity("Author", [GraphModels.text("name")])
        let book = GraphModels.entity(
            "Book",
            [
                GraphModels.number("copies"), GraphModels.number("pages"),
                GraphModels.text("title"), GraphModels.number("year"),
            ])
        GraphModels.relate(
            GraphModels.End(owner: author, name: "books", toMany: true),
            GraphModels.End(owner: book, name: "author"))
        let stack = try GraphStack(GraphModels.model([author, book]))
        let context = stack.context()
        try context.on {
            for index in 0..<Self.bookCount / 100 {
                let author = context.make("Author", ["name": "author \(index)"])
                for number in 0..<100 {
                    context.make("Book", ["title": "b \(number)", "year": 2_000, "author": author])
                }
            }
            try context.save()
            context.reset()
        }
        return stack
    }

    private func fetchAndTouch(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let books = try context.all("Book")
        for book in books { XCTAssertNotNil(book.value(forKey: "author")) }
        return books
    }

    func testARealisedBookCostsAtMost400Bytes() throws {
        let context = try library().context()
        try context.on {
            // Statements, caches and the queue are created before the first measurement.
            _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
            let before = faultline_heap_bytes()
            let books = try fetchAndTouch(context)
            let cost = (faultline_heap_bytes() - before) / books.count
            XCTAssertEqual(books.count, Self.bookCount)
            XCTAssertLessThanOrEqual(cost, 400)
        }
    }

    func testObjectsThatAreReleasedLeaveNothingBehind() throws {
        let context = try library().context()
        try context.on {
            var heaps: [Int] = []
            for _ in 0..<3 {
                try scope { XCTAssertEqual(try fetchAndTouch(context).count, Self.bookCount) }
                XCTAssertTrue(context.registeredObjects.isEmpty)
                heaps.append(faultline_heap_bytes())
            }
            XCTAssertLessThan(heaps[2] - heaps[0], 1 << 20)
        }
    }

    /// The objects of the body are released at the end of this function.
    @inline(never)
    private func scope(_ body: () throws -> Void) rethrows { try body() }
}
