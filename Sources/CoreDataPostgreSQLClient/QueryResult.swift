import CPostgreSQL

/// The rows and the outcome of a statement, in libpq's memory.
package final class QueryResult {
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let library: Library
    package let rowCount: Int
    package let columnCount: Int

    /// Takes over a result of libpq.
    init(_ handle: OpaquePointer, _ library: Library) {
        self.handle = handle
        self.library = library
        rowCount = Int(library.table.pointee.PQntuples(handle))
        columnCount = Int(library.table.pointee.PQnfields(handle))
    }

    deinit { library.table.pointee.PQclear(handle) }

    /// The value in a row and a column, counted from 0. The caller keeps the result in a variable
    /// while it uses the value.
    @inlinable package subscript(row: Int, column: Int) -> Cell {
        assert(row >= 0 && row < rowCount, "the row does not exist")
        assert(column >= 0 && column < columnCount, "the column does not exist")
        let cell = cpostgresql_read(
            library.table, handle, Int32(truncatingIfNeeded: row),
            Int32(truncatingIfNeeded: column))
        return Cell(bytes: cell.bytes, length: cell.length)
    }

    package func name(ofColumn column: Int) -> String {
        library.table.pointee.PQfname(handle, Int32(column)).map { String(cString: $0) } ?? ""
    }

    /// The number of a column's type.
    package func type(ofColumn column: Int) -> UInt32 {
        library.table.pointee.PQftype(handle, Int32(column))
    }

    /// The number of rows that the statement returned or changed.
    package var affectedRows: Int {
        library.table.pointee.PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The command that the server ran, such as `UPDATE 3`.
    package var command: String {
        library.table.pointee.PQcmdStatus(handle).map { String(cString: $0) } ?? ""
    }
}
