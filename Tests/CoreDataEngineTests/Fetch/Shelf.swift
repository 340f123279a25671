import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import TestSupport

// Several suites use this fixture.

/// A store of books, and a log of the statements that run after the books were saved.
struct Shelf {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let log = StatementLog()

    /// - Parameter books: the books in the order of their insertion. All authors are inserted
    ///   before the books.
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
