import CoreData
import LabBench

/// Fetches that several operations share.
extension EngineRun {
    func readBooks(_ request: NSFetchRequest<Book>) throws -> EngineOutcome {
        let books = try context.fetch(request)
        var sum: UInt64 = 0
        if plant == .fault { try fireTwice(books) }
        for book in books { sum &+= book.touched }
        return EngineOutcome(sum, keeping: books)
    }

    private func fireTwice(_ books: [Book]) throws {
        context.stalenessInterval = 0
        for book in books {
            _ = book.touched
            context.refresh(book, mergeChanges: false)
        }
    }

    /// The first books of the file. Their values are loaded.
    func firstBooks(in context: NSManagedObjectContext) throws -> [Book] {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchLimit = variant.integer("count")
        let books = try context.fetch(request)
        for book in books { _ = book.touched }
        return books
    }

    /// Another context of the coordinator. It holds all books, so the row cache contains their
    /// rows.
    func contextWithAllBooks() throws -> (NSManagedObjectContext, [Book]) {
        let other = stack.container.newBackgroundContext()
        return try other.performAndWait {
            let books = try other.fetch(NSFetchRequest<Book>(entityName: "Book"))
            for book in books { _ = book.pages }
            return (other, books)
        }
    }
}
