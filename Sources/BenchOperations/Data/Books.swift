import CoreData
import LabBench

final class Author: NSManagedObject {
    override class var propertySlots: [String]? { ["name"] }
    override class var relationshipSlots: [String]? { ["books"] }

    var name: String {
        get { read(0) }
        set { write(0, newValue) }
    }

    var books: [NSManagedObject] { readObjects(0) }
}

final class Book: NSManagedObject {
    override class var propertySlots: [String]? { ["author", "copies", "pages", "title", "year"] }

    var author: Author? {
        get { readObject(0) }
        set { writeObject(0, newValue) }
    }

    var copies: Int64 {
        get { read(1) }
        set { write(1, newValue) }
    }

    var pages: Int64 {
        get { read(2) }
        set { write(2, newValue) }
    }

    var title: String {
        get { read(3) }
        set { write(3, newValue) }
    }

    var year: Int64 {
        get { read(4) }
        set { write(4, newValue) }
    }

    var touched: UInt64 {
        Dataset.touch(
            year: year, pages: pages, copies: copies, title: title, hasAuthor: author != nil)
    }

    /// A checksum of every property except the pages, which writers change.
    var steady: UInt64 { touched &- UInt64(bitPattern: pages &* 5) }
}

/// The same attributes with the accessors that `CoreDataModelPlugin` and `CoreDataSources`
/// generate.
extension Book {
    var generatedCopies: Int64 {
        @inline(__always) get { managedValue(BookKeys.copies) }
        set { setManagedValue(BookKeys.copies, newValue) }
    }

    var generatedPages: Int64 {
        @inline(__always) get { managedValue(BookKeys.pages) }
        set { setManagedValue(BookKeys.pages, newValue) }
    }

    var generatedTitle: String {
        @inline(__always) get { managedValue(BookKeys.title) }
        set { setManagedValue(BookKeys.title, newValue) }
    }

    var generatedYear: Int64 {
        @inline(__always) get { managedValue(BookKeys.year) }
        set { setManagedValue(BookKeys.year, newValue) }
    }
}

private enum BookKeys {
    static let copies = ManagedKey("copies")
    static let pages = ManagedKey("pages")
    static let title = ManagedKey("title")
    static let year = ManagedKey("year")
}

/// Authors and their books.
struct BookLibrary: LibraryKind {
    func model(_ variant: WorkloadVariant) -> NSManagedObjectModel {
        let rules: [String: NSDeleteRule] = [
            "nullify": .nullifyDeleteRule, "deny": .denyDeleteRule,
        ]
        let rule = variant.parameters.first { $0.name == "rule" }?.value.description
        return BookModel.make(
            author: Author.self, book: Book.self,
            rule: rule.flatMap { rules[$0] } ?? .cascadeDeleteRule)
    }

    func libraryFile(_ variant: WorkloadVariant) -> String { variant.shape.fileName }

    func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant) throws {
        try Dataset(variant.shape).insert(into: context) { _ in }
    }
}

extension Dataset {
    /// Inserts all rows, and links each book with its author.
    ///
    /// - Parameter progress: called after each book with the number of inserted books.
    /// - Returns: the new objects.
    @discardableResult
    func insert(
        into context: NSManagedObjectContext, progress: (Int) throws -> Void
    ) throws -> [NSManagedObject] {
        var inserted: [NSManagedObject] = []
        var index = 0
        for name in names {
            let author = Author(context: context)
            author.name = name
            inserted.append(author)
            for _ in 0..<shape.books {
                let book = Book(context: context)
                book.title = titles[index]
                book.year = years[index]
                book.pages = pages[index]
                book.copies = copies[index]
                book.author = author
                inserted.append(book)
                index += 1
                try progress(index)
            }
        }
        return inserted
    }
}
