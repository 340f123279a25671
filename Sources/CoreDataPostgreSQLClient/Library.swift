import CPostgreSQL

/// The functions of libpq, which is loaded when the first connection is opened.
///
/// `@unchecked Sendable` because the table of functions never changes.
package struct Library: @unchecked Sendable {
    @usableFromInline let table: UnsafePointer<cpostgresql_functions>

    /// The name under which every supported version of libpq is installed.
    package static let file = "libpq.so.5"

    private static let shared = Result { () throws(ServerError) in try Library(file: file) }

    /// Returns the functions of libpq.
    ///
    /// - Throws: an error that names the file and the package, if the library cannot be loaded.
    package static func load() throws(ServerError) -> Library { try shared.get() }

    /// Loads a library with the functions of libpq.
    package init(file: String) throws(ServerError) {
        let made = UnsafeMutablePointer<cpostgresql_functions>.allocate(capacity: 1)
        let capacity = 512
        let problem = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
            // Safe: the allocation is not empty.
            let start = text.baseAddress!
            return cpostgresql_load(file, made, start, capacity) == 0 ? nil : String(cString: start)
        }
        if let problem {
            made.deallocate()
            throw ServerError(
                client: "the client library of PostgreSQL cannot be loaded: \(problem); install"
                    + " libpq 14 or later, whose file is \(file) and whose package is libpq5 on"
                    + " Debian")
        }
        table = UnsafePointer(made)
    }
}
