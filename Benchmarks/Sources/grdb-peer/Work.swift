import Foundation
import GRDB

/// One run of an operation on an open file.
///
/// `Main` times it.
struct Work {
    let request: Request
    let pool: DatabasePool
    /// The rows to insert.
    let rows: (authors: [Author], books: [Book])

    var sentence: String {
        switch request.operation {
        case "full-fetch": "Book.fetchAll, every property read."
        case "fire-faults" where isPinned: "Book.fetchOne for each key inside one read."
        case "fire-faults": "Book.fetchOne for each key, a read of its own for each."
        case "batch-faults": "Book.fetchAll(keys:) for each batch inside one read."
        case "read-to-many": "A request for each author's books inside one read."
        case "prefetch-to-many": "Author.including(all: books)."
        case "insert": "insert(_:) of each record in one write."
        case "update": "updateChanges of each record in one write; nothing checks versions."
        default: "A request for each author's books, delete of each record in one write."
        }
    }

    private var isPinned: Bool { request.word("generation") == "pinned" }

    /// What an operation begins with, before the clock runs.
    func prepare() throws -> (authors: [Author], books: [Book]) {
        let count = request.integer("count")
        return try pool.read { db in
            switch request.operation {
            case "update": ([], try Book.limit(count).fetchAll(db))
            case "delete-owners": (try Author.limit(count).fetchAll(db), [])
            default: ([], [])
            }
        }
    }

    /// Does the work.
    ///
    /// - Returns: What was read adds up to, and what must outlive the clock.
    func run(_ prepared: (authors: [Author], books: [Book])) throws -> (UInt64, Any) {
        switch request.operation {
        case "full-fetch":
            let books = try pool.read { try Book.fetchAll($0) }
            return (sum(books), books)
        case "fire-faults" where request.word("source") == "store":
            let books = try isPinned ? fireInOneRead() : fireOneByOne()
            return (sum(books), books)
        case "batch-faults":
            let books = try fetchBatches(request.integer("batch"))
            return (sum(books), books)
        case "read-to-many": return try readOwnerByOwner()
        case "prefetch-to-many": return try prefetch()
        case "insert" where request.integer("chunk") == 0 && request.word("context") == "own":
            try insert()
            return (0, ())
        case "update":
            try pool.write { db in
                for var book in prepared.books {
                    try book.updateChanges(db) {
                        $0.pages += 1
                        $0.version += 1
                    }
                }
            }
            return (0, ())
        case "delete-owners" where request.word("rule") == "cascade":
            try pool.write { db in
                for author in prepared.authors {
                    let books = try Book.filter(Book.Columns.author == author.key).fetchAll(db)
                    for book in books { try book.delete(db) }
                    try author.delete(db)
                }
            }
            return (0, ())
        default: throw Refusal(description: "this peer does no \(request.operation)")
        }
    }

    private func sum(_ books: [Book]) -> UInt64 { books.reduce(0) { $0 &+ $1.touched } }

    private func keys(_ db: Database) throws -> [Int64] {
        try Book.select(Book.Columns.key, as: Int64.self).fetchAll(db)
    }

    private func fireInOneRead() throws -> [Book] {
        try pool.read { db in
            try keys(db).compactMap { try Book.fetchOne(db, key: $0) }
        }
    }

    private func fireOneByOne() throws -> [Book] {
        let all = try pool.read { try keys($0) }
        return try all.compactMap { key in try pool.read { try Book.fetchOne($0, key: key) } }
    }

    private func fetchBatches(_ size: Int) throws -> [Book] {
        try pool.read { db in
            let all = try keys(db)
            var books: [Book] = []
            for start in stride(from: 0, to: all.count, by: size) {
                let batch = all[start..<min(start + size, all.count)]
                books += try Book.fetchAll(db, keys: batch)
            }
            return books
        }
    }

    private func readOwnerByOwner() throws -> (UInt64, Any) {
        try pool.read { db in
            var kept: [[Book]] = []
            var sum: UInt64 = 0
            for author in try Author.fetchAll(db) {
                let own = Book.filter(Book.Columns.author == author.key)
                guard request.word("touch") == "all" else {
                    sum &+= UInt64(try own.fetchCount(db))
                    continue
                }
                let books = try own.fetchAll(db)
                sum &+= UInt64(books.count) &+ self.sum(books)
                kept.append(books)
            }
            return (sum, kept)
        }
    }

    private func prefetch() throws -> (UInt64, Any) {
        let authors = try pool.read { db in
            try Author.including(all: Author.books).asRequest(of: AuthorWithBooks.self)
                .fetchAll(db)
        }
        let readsAll = request.word("touch") == "all"
        let total = authors.reduce(UInt64(0)) {
            $0 &+ UInt64($1.books.count) &+ (readsAll ? sum($1.books) : 0)
        }
        return (total, authors)
    }

    private func insert() throws {
        try pool.write { db in
            for var author in rows.authors { try author.insert(db) }
            for var book in rows.books { try book.insert(db) }
        }
    }
}
