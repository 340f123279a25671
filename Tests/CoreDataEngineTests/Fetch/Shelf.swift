import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import TestSupport

// Authors and their books in a store, and the statements that run after they were saved. Several
// suites use it.

/// A store of books, a context on it, and a log that begins when the books are saved.
struct Shelf {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let log = StatementLog()

    /// - Parameter books: in the order in which they are created; authors are created before all
    ///   books.
    init(
        _ books: [(title: String, year: Int16, author: String?)], type: String = NSSQLiteStoreType
    ) throws {
        coordinator = try Library.makeCoordinator(type)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { [context] in
            var authors: [String: Author] = [:]
            for case let name? in books.map(\.author) where authors[name] == nil {
                let author = Author(context: context)
                author.name = name
                authors[name] = author
            }
            for (title, year, author) in books {
                let book = Book(context: context)
                book.title = title
                book.year = year
                book.author = author.flatMap { authors[$0] }
            }
            try context.save()
        }
        coordinator.trace.add(log)
    }
}
