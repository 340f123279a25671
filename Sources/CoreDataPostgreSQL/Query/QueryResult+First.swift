import CoreDataPostgreSQLClient

extension QueryResult {
    /// The first column of the first row; nil without rows.
    var first: Cell? { rowCount > 0 && columnCount > 0 ? self[0, 0] : nil }
}
