import CoreData

/// A server's record of a book.
struct BookRecord: Codable {
    var isbn: String
    var title: String
    var author: String
    var pages: Int32
}

/// Imports books into the store: updates a book whose ISBN is known, and inserts any other book.
final class BookImporter {
    private let context: NSManagedObjectContext

    init(container: NSPersistentContainer) {
        context = container.newBackgroundContext()
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    }

    /// - Returns: the ids of the books, in the order of the records.
    func importBooks(from data: Data) throws -> [NSManagedObjectID] {
        let records = try JSONDecoder().decode([BookRecord].self, from: data)
        var result: Result<[NSManagedObjectID], Error> = .success([])
        context.performAndWait {
            result = Result { try self.insert(records) }
        }
        return try result.get()
    }

    private func insert(_ records: [BookRecord]) throws -> [NSManagedObjectID] {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = NSPredicate(
            format: "%K IN %@", #keyPath(Book.isbn), records.map(\.isbn) as CVarArg)
        request.relationshipKeyPathsForPrefetching = [#keyPath(Book.author)]
        var known: [String: Book] = [:]
        for book in try context.fetch(request) {
            known[book.isbn ?? ""] = book
        }
        let books = try records.map { record -> Book in
            let book = known[record.isbn] ?? Book(context: context)
            book.isbn = record.isbn
            book.title = record.title
            book.pages = record.pages
            if book.author?.name != record.author {
                book.author?.removeFromBooks(book)
                try author(named: record.author).addToBooks(book)
            }
            known[record.isbn] = book
            return book
        }
        try context.obtainPermanentIDs(for: books)
        try context.save()
        return books.map(\.objectID)
    }

    private func author(named name: String) throws -> Author {
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.predicate = NSPredicate(format: "%K == %@", #keyPath(Author.name), name)
        request.fetchLimit = 1
        if let author = try context.fetch(request).first { return author }
        let author = Author(context: context)
        author.name = name
        return author
    }
}
