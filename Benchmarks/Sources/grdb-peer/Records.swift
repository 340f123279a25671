import GRDB

/// The records, written as GRDB's documentation has them: structs with columns of their own.
struct Author: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "ZAUTHOR"
    static let books = hasMany(Book.self, key: "books", using: ForeignKey(["ZAUTHOR"]))

    enum Columns {
        static let key = Column("Z_PK")
        static let entity = Column("Z_ENT")
        static let version = Column("Z_OPT")
        static let name = Column("ZNAME")
    }

    var key: Int64
    var version: Int64
    var name: String

    init(key: Int64, version: Int64, name: String) {
        self.key = key
        self.version = version
        self.name = name
    }

    init(row: Row) throws {
        key = row[Columns.key]
        version = row[Columns.version]
        name = row[Columns.name]
    }

    func encode(to container: inout PersistenceContainer) {
        container[Columns.key] = key
        container[Columns.entity] = 1
        container[Columns.version] = version
        container[Columns.name] = name
    }
}

struct Book: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "ZBOOK"

    enum Columns {
        static let key = Column("Z_PK")
        static let entity = Column("Z_ENT")
        static let version = Column("Z_OPT")
        static let copies = Column("ZCOPIES")
        static let pages = Column("ZPAGES")
        static let year = Column("ZYEAR")
        static let author = Column("ZAUTHOR")
        static let title = Column("ZTITLE")
    }

    var key: Int64
    var version: Int64
    var copies: Int64
    var pages: Int64
    var year: Int64
    var author: Int64?
    var title: String

    init(row: Row) throws {
        key = row[Columns.key]
        version = row[Columns.version]
        copies = row[Columns.copies]
        pages = row[Columns.pages]
        year = row[Columns.year]
        author = row[Columns.author]
        title = row[Columns.title]
    }

    func encode(to container: inout PersistenceContainer) {
        container[Columns.key] = key
        container[Columns.entity] = 2
        container[Columns.version] = version
        container[Columns.copies] = copies
        container[Columns.pages] = pages
        container[Columns.year] = year
        container[Columns.author] = author
        container[Columns.title] = title
    }

    /// What reading every property adds up to; the bench's other sides add up the same.
    var touched: UInt64 {
        let utf8 = title.utf8
        var sum = UInt64(bitPattern: year &* 3 &+ pages &* 5 &+ copies &* 7)
        sum &+= UInt64(truncatingIfNeeded: utf8.count) &* 11
        sum &+= UInt64(utf8.first ?? 0) &* 13
        return sum &+ (author != nil ? 17 : 0)
    }
}

/// An author with the books that an association brings.
struct AuthorWithBooks: FetchableRecord {
    var author: Author
    var books: [Book]

    init(row: Row) throws {
        author = try Author(row: row)
        books = row["books"]
    }
}
