import CoreData
import Foundation

/// A book as clients see it.
public struct BookRecord: Codable, Sendable, Equatable {
    public var isbn: String
    public var title: String
    public var lentTo: String?

    public init(isbn: String, title: String, lentTo: String? = nil) {
        self.isbn = isbn
        self.title = title
        self.lentTo = lentTo
    }
}

/// An error that explains why a request was refused.
public enum LibraryError: Error, Equatable {
    case noSuchBook
    /// Another reader has borrowed the book, possibly by a concurrent request.
    case alreadyLent
    case alreadyThere
}

/// The store of the library. Each method uses a new context, so requests run concurrently except
/// while they save. Arguments and results are values, and never managed objects.
public struct LibraryStore: Sendable {
    private let container: NSPersistentContainer

    /// Opens the store, and creates it if necessary.
    public init(at url: URL) throws {
        guard let modelURL = Bundle.module.url(forResource: "Library", withExtension: "momd")
        else { throw CocoaError(.fileNoSuchFile) }
        container = NSPersistentContainer(
            name: "Library", managedObjectModel: try NSManagedObjectModel.loaded(from: modelURL))
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
    }

    public func books() async throws -> [BookRecord] {
        try await container.performBackgroundTask { context in
            let request = Book.fetchRequest()
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: true)]
            return try context.fetch(request).map(BookRecord.init)
        }
    }

    /// - Throws: ``LibraryError/alreadyThere`` if a book with this number exists.
    public func add(_ record: BookRecord) async throws {
        try await container.performBackgroundTask { context in
            let book = Book(context: context)
            book.isbn = record.isbn
            book.title = record.title
            book.lentTo = record.lentTo
            do { try context.save() } catch CocoaError.managedObjectConstraintMerge {
                throw LibraryError.alreadyThere
            }
        }
    }

    /// Lends a book to a reader. If two readers ask concurrently, only one of them gets it.
    ///
    /// - Throws: ``LibraryError/alreadyLent`` or ``LibraryError/noSuchBook``.
    public func lend(_ isbn: String, to reader: String) async throws {
        try await container.performBackgroundTask { context in
            let book = try find(isbn, in: context)
            guard book.lentTo == nil else { throw LibraryError.alreadyLent }
            book.lentTo = reader
            // The context has the error merge policy. The first save changes the version of the
            // row, so the save of a second reader fails.
            do { try context.save() } catch CocoaError.managedObjectMerge {
                throw LibraryError.alreadyLent
            }
        }
    }

    public func giveBack(_ isbn: String) async throws {
        try await container.performBackgroundTask { context in
            try find(isbn, in: context).lentTo = nil
            try context.save()
        }
    }
}

private func find(_ isbn: String, in context: NSManagedObjectContext) throws -> Book {
    let request = Book.fetchRequest()
    request.predicate = NSPredicate(format: "isbn == %@", isbn)
    request.fetchLimit = 1
    guard let book = try context.fetch(request).first else { throw LibraryError.noSuchBook }
    return book
}

extension BookRecord {
    fileprivate init(_ book: Book) {
        self.init(isbn: book.isbn ?? "", title: book.title ?? "", lentTo: book.lentTo)
    }
}
