import CPostgreSQL
import Foundation

/// Sends rows to a `COPY … FROM STDIN (FORMAT binary)`.
///
/// The rows are sent in pieces while they are written. All values of a row must be appended in the
/// order of the statement's columns.
package final class CopyWriter {
    private let connection: Connection
    private let columnCount: Int
    // Unchecked because one thread at a time uses the object, and every value uses these fields.
    @exclusivity(unchecked) @usableFromInline var buffer = FieldBuffer(capacity: 1 << 17)
    @exclusivity(unchecked) private var rowCount = 0

    private static var pieceSize: Int { 1 << 16 }
    /// The signature of the format, then flags and the length of an extension, which are 0.
    private static var header: [UInt8] {
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    }

    init(_ connection: Connection, columnCount: Int) {
        self.connection = connection
        self.columnCount = columnCount
        let header = Self.header
        buffer.extend(by: header.count).copyMemory(from: header, byteCount: header.count)
    }

    /// Begins a row, whose values are appended next.
    package func beginRow() throws(ServerError) {
        if buffer.count >= Self.pieceSize { try send() }
        buffer.appendHalf(UInt16(columnCount))
        rowCount += 1
    }

    @inlinable package func appendNull() { buffer.appendNull() }
    @inlinable package func append(bool value: Bool) { buffer.append(bool: value) }
    @inlinable package func append(int2 value: Int16) { buffer.append(int2: value) }
    @inlinable package func append(int4 value: Int32) { buffer.append(int4: value) }
    @inlinable package func append(int8 value: Int64) { buffer.append(int8: value) }
    @inlinable package func append(float8 value: Double) { buffer.append(float8: value) }
    package func append(numeric value: Decimal) { buffer.append(numeric: value) }
    package func append(uuid value: UUID) { buffer.append(uuid: value) }
    package func append(text: String) throws(ServerError) { try buffer.append(text: text) }

    package func append(textBytes bytes: UnsafeRawBufferPointer) throws(ServerError) {
        try buffer.append(textBytes: bytes)
    }

    package func append(bytea bytes: UnsafeRawBufferPointer) throws(ServerError) {
        try buffer.append(bytes: bytes)
    }

    package func append(data: Data) throws(ServerError) { try buffer.append(data: data) }

    private func send() throws(ServerError) {
        try connection.sendCopyData(
            UnsafeRawBufferPointer(start: buffer.start, count: buffer.count))
        buffer.removeAll()
    }

    /// Sends the last rows and the end of the data.
    func finish() throws(ServerError) -> Int {
        buffer.appendHalf(UInt16.max)
        try send()
        return rowCount
    }
}

extension Connection {
    /// Runs a `COPY … FROM STDIN (FORMAT binary)`, whose rows the body writes. Returns the number
    /// of rows.
    ///
    /// - Throws: the error of the server, or the error of the body; then no row was added.
    @discardableResult package func copy(
        _ sql: String, columnCount: Int, _ body: (CopyWriter) throws(ServerError) -> Void
    ) throws(ServerError) -> Int {
        try check(sql, noParameters)
        let run = try Run(self, [.copy])
        do throws(ServerError) {
            try beginCopy(sql)
            let rows = try sendRows(columnCount, body, sql)
            run.finish(sql, .copy, noParameters, rows: rows)
            return rows
        } catch {
            throw run.failure(error)
        }
    }

    private func beginCopy(_ sql: String) throws(ServerError) {
        let pq = library.table
        guard pq.pointee.PQsendQuery(handle, sql) != 0 else { throw sendingError }
        try flush()
        statistics.roundTrips += 1
        guard let result = try nextResult() else { throw sendingError }
        if pq.pointee.PQresultStatus(result.handle) == PGRES_COPY_IN { return }
        let error = problem(result, sql, .copy)
        while !isLost, try nextResult() != nil {}
        throw error
            ?? ServerError(
                client: "the statement does not read rows; write COPY … FROM STDIN"
                    + " (FORMAT binary)", sql: sql)
    }

    private func sendRows(
        _ columnCount: Int, _ body: (CopyWriter) throws(ServerError) -> Void, _ sql: String
    ) throws(ServerError) -> Int {
        let writer = CopyWriter(self, columnCount: columnCount)
        let rows: Int
        do throws(ServerError) {
            try body(writer)
            rows = try writer.finish()
        } catch {
            if !isLost { try endCopy("the client stopped the copy") }
            // The server reports that the copy was stopped; the reason is the relevant error.
            _ = try? collect(sql, .copy)
            throw error
        }
        try endCopy(nil)
        _ = try collect(sql, .copy)
        return rows
    }

    func sendCopyData(_ bytes: UnsafeRawBufferPointer) throws(ServerError) {
        let pq = library.table
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        while true {
            let state = pq.pointee.PQputCopyData(handle, start, Int32(bytes.count))
            if state < 0 { throw sendingError }
            try flush()
            if state > 0 { return }
        }
    }

    private func endCopy(_ problem: String?) throws(ServerError) {
        while true {
            let state = library.table.pointee.PQputCopyEnd(handle, problem)
            if state < 0 { throw sendingError }
            try flush()
            if state > 0 { return }
        }
    }
}
