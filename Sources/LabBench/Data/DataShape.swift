/// The size of a benchmark's data: the numbers of authors and books, and the length of titles.
///
/// Rows are generated from a shape. Each shape has one store file.
package struct DataShape: Sendable, Hashable, Codable {
    package var authors: Int
    package var books: Int
    /// The length of each title in UTF-8 bytes. Titles are most of a row's bytes.
    package var titleBytes: Int
    package var seed: Int

    package init(authors: Int = 1_000, books: Int = 100, titleBytes: Int = 44, seed: Int = 1) {
        self.authors = authors
        self.books = books
        self.titleBytes = titleBytes
        self.seed = seed
    }

    package var bookTotal: Int { authors * books }

    package var fileName: String { "library-\(authors)-\(books)-\(titleBytes)-\(seed).sqlite" }
}
