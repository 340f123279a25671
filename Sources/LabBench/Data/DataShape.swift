/// How many authors and books there are, and what they look like.
///
/// The generator makes rows from them, and one store file is made for each shape.
package struct DataShape: Sendable, Hashable, Codable {
    package var authors: Int
    /// Books of each author.
    package var books: Int
    /// The length of each title in UTF-8 bytes: the payload of a row.
    package var titleBytes: Int
    package var seed: Int

    package init(authors: Int = 1_000, books: Int = 100, titleBytes: Int = 44, seed: Int = 1) {
        self.authors = authors
        self.books = books
        self.titleBytes = titleBytes
        self.seed = seed
    }

    package var bookTotal: Int { authors * books }

    /// A file name that tells shapes apart.
    package var fileName: String { "library-\(authors)-\(books)-\(titleBytes)-\(seed).sqlite" }
}
