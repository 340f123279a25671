// Owns what each operation does with a context; `EngineSide` times it.

import CoreData

/// Keeps objects alive until the clock has stopped, without touching one of them.
final class Survivors {
    private let objects: Any

    init<Object: NSManagedObject>(_ objects: [Object]) { self.objects = objects }
}

/// One operation on one context, to be run on the context's queue.
struct EngineOperation {
    let variant: WorkloadVariant
    /// The rows to insert; nil for every other operation.
    let dataset: Dataset?
    let context: NSManagedObjectContext

    /// Fetches what an operation begins with, before the clock runs.
    func prepare() throws -> [NSManagedObject] {
        switch variant.operation {
        case .update:
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.fetchLimit = variant.integer("count")
            let books = try context.fetch(request)
            for book in books { _ = book.pages }
            return books
        case .cascadeDelete:
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.fetchLimit = variant.integer("count")
            let authors = try context.fetch(request)
            for author in authors { _ = author.name }
            return authors
        case .fullFetch, .fireFaults, .batchFaults, .readToMany, .prefetchToMany, .insert:
            return []
        }
    }

    /// Does the work.
    ///
    /// - Returns: What was read adds up to, and the objects that must outlive the clock.
    func run(_ prepared: [NSManagedObject]) throws -> (checksum: UInt64, objects: Survivors) {
        let books = NSFetchRequest<Book>(entityName: "Book")
        switch variant.operation {
        case .fullFetch: return try read(books)
        case .fireFaults:
            books.includesPropertyValues = false
            return try read(books)
        case .batchFaults:
            books.fetchBatchSize = variant.integer("batch")
            return try read(books)
        case .readToMany: return try readAuthors(prefetching: nil)
        case .prefetchToMany: return try readAuthors(prefetching: ["books"])
        case .insert:
            guard let dataset else { throw MeasurementError("an insert was run without its rows") }
            let inserted = Self.insert(dataset, into: context)
            try context.save()
            return (0, Survivors(inserted))
        case .update:
            for case let book as Book in prepared { book.pages += 1 }
            try context.save()
            return (0, Survivors(prepared))
        case .cascadeDelete:
            for author in prepared { context.delete(author) }
            try context.save()
            return (0, Survivors(prepared))
        }
    }

    private func read(_ request: NSFetchRequest<Book>) throws -> (UInt64, Survivors) {
        let books = try context.fetch(request)
        var sum: UInt64 = 0
        for book in books { sum &+= book.touched }
        return (sum, Survivors(books))
    }

    private func readAuthors(prefetching keyPaths: [String]?) throws -> (UInt64, Survivors) {
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.relationshipKeyPathsForPrefetching = keyPaths
        let authors = try context.fetch(request)
        let readsBooks = variant.word("touch") == "all"
        var sum: UInt64 = 0
        for author in authors {
            let books = author.books
            sum &+= UInt64(books.count)
            guard readsBooks else { continue }
            // Safe: the model says that `books` leads to books.
            for book in books { sum &+= unsafeDowncast(book, to: Book.self).touched }
        }
        return (sum, Survivors(authors))
    }

    /// Inserts all rows and links each book with its author.
    ///
    /// - Returns: The new objects.
    @discardableResult
    static func insert(
        _ dataset: Dataset, into context: NSManagedObjectContext
    ) -> [NSManagedObject] {
        var inserted: [NSManagedObject] = []
        var index = 0
        for name in dataset.names {
            let author = Author(context: context)
            author.name = name
            inserted.append(author)
            for _ in 0..<dataset.shape.books {
                let book = Book(context: context)
                book.title = dataset.titles[index]
                book.year = dataset.years[index]
                book.pages = dataset.pages[index]
                book.copies = dataset.copies[index]
                book.author = author
                inserted.append(book)
                index += 1
            }
        }
        return inserted
    }
}
