import CSQLite

/// A compiled statement. For each run, bind its parameters, step to the end, and call ``finish()``.
///
/// Every run must end with ``finish()``, even after an error, because an unfinished statement keeps
/// a lock on the file. A statement belongs to its connection's cache and is only used with that
/// connection.
///
/// Invariant: between runs, a statement is not at a row and its row count is 0. Parameters are
/// bound only between runs, and columns are read only at a row.
package final class Statement {
    @usableFromInline let handle: OpaquePointer
    package let sql: String
    package let kind: StatementKind
    let recorder: RunRecorder
    @usableFromInline let counters: UnsafeMutablePointer<RunCounters>
    // Unchecked because a statement belongs to one thread at a time, and every step and bind uses
    // these fields.
    @exclusivity(unchecked) @usableFromInline var rows = 0
    @exclusivity(unchecked) @usableFromInline var hasRun = false
    @exclusivity(unchecked) var start: UInt64 = 0
    @exclusivity(unchecked) private var bindings: [String] = []
    @exclusivity(unchecked) private var holdsArray = false
    var lastUse: UInt64 = 0

    init(_ sql: String, database: OpaquePointer, recorder: RunRecorder) throws(SQLiteError) {
        var made: OpaquePointer?
        var rest = ""
        let code = Self.prepare(sql, database: database, into: &made, rest: &rest)
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, database: database, sql: sql)
        }
        guard let made, rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
            sqlite3_finalize(made)
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE,
                message: "the text must contain exactly one statement",
                sql: sql)
        }
        handle = made
        self.sql = sql
        kind = StatementKind(sql: sql)
        self.recorder = recorder
        counters = recorder.counters
        counters.pointee.prepares += 1
    }

    deinit { sqlite3_finalize(handle) }

    private static func prepare(
        _ sql: String, database: OpaquePointer, into made: inout OpaquePointer?, rest: inout String
    ) -> Int32 {
        var sql = sql
        return sql.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    database, text.baseAddress, Int32(text.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &made, &tail)
                if let base = text.baseAddress, let tail, tail - base < text.count {
                    let left = UnsafeBufferPointer(rebasing: text[(tail - base)...])
                    rest = String(decoding: UnsafeRawBufferPointer(left), as: UTF8.self)
                }
                return code
            }
        }
    }

    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// Advances to the next row; false at the end.
    @inlinable package func step() throws(SQLiteError) -> Bool {
        if counters.pointee.isObserved { noteStart() }
        hasRun = true
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW {
            rows &+= 1
            return true
        }
        if code == SQLITE_DONE { return false }
        throw failure(code)
    }

    /// Steps to the end, ends the run and returns the number of changed rows.
    @discardableResult package func run() throws(SQLiteError) -> Int {
        defer { finish() }
        while try step() {}
        return kind.changesRows ? Int(sqlite3_changes64(sqlite3_db_handle(handle))) : rows
    }

    /// Ends the run: the lock on the file is released, and parameters can be bound again.
    package func finish() {
        guard hasRun else { return forget() }
        let rowCount = measuredRows()
        sqlite3_reset(handle)
        recorder.releaseLargeRows()
        let vmSteps = Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1))
        counters.pointee.statements[kind.rawValue] &+= 1
        counters.pointee.rows &+= rows
        counters.pointee.vmSteps &+= vmSteps
        if counters.pointee.isObserved, let hook = recorder.hook {
            hook(
                StatementRun(
                    kind: kind, sql: sql, bindings: bindings, rows: rowCount, vmSteps: vmSteps,
                    nanoseconds: start == 0 ? 0 : csqlite_nanoseconds() - start))
        }
        hasRun = false
        rows = 0
        start = 0
        forget()
        assert(brokenInvariant() == nil, brokenInvariant() ?? "")
    }

    package func releasePages() { sqlite3_db_release_memory(sqlite3_db_handle(handle)) }

    private func measuredRows() -> Int {
        guard kind.changesRows, counters.pointee.isObserved else { return rows }
        return Int(sqlite3_changes64(sqlite3_db_handle(handle)))
    }

    private func forget() {
        if !bindings.isEmpty { bindings.removeAll(keepingCapacity: true) }
        if holdsArray {
            sqlite3_clear_bindings(handle)
            holdsArray = false
        }
    }

    @usableFromInline func noteStart() {
        if start == 0 { start = csqlite_nanoseconds() }
    }

    @usableFromInline func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, database: sqlite3_db_handle(handle), sql: sql)
    }
}

extension Statement {
    /// Whether the observer of the connection wants the bound values of each run.
    @inlinable package var recordsBindings: Bool { counters.pointee.recordsBindings }

    @inlinable package func bind(_ index: Int, null: Void = ()) {
        assert(mayBind(index), "the parameter does not exist, or the statement is running")
        if counters.pointee.recordsBindings { note("nil") }
        sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index))
    }

    @inlinable package func bind(_ index: Int, integer: Int64) {
        assert(mayBind(index), "the parameter does not exist, or the statement is running")
        if counters.pointee.recordsBindings { note("\(integer)") }
        sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), integer)
    }

    @inlinable package func bind(_ index: Int, double: Double) {
        assert(mayBind(index), "the parameter does not exist, or the statement is running")
        if counters.pointee.recordsBindings { note("\(double)") }
        sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), double)
    }

    /// Binds a copy of a string.
    package func bind(_ index: Int, text: String) {
        assert(mayBind(index), "the parameter does not exist, or the statement is running")
        if counters.pointee.recordsBindings { note("\"\(text)\"") }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = csqlite_bind_text_transient(
                    handle, Int32(truncatingIfNeeded: index), $0.baseAddress, UInt64($0.count))
            }
        }
    }

    /// Binds a string in UTF-8 that must stay valid until the run has ended.
    @inlinable package func bind(_ index: Int, lastingText bytes: UnsafeRawBufferPointer) {
        assert(mayBind(index), "the parameter does not exist, or the statement is running")
        if counters.pointee.recordsBindings {
            note("\"\(String(decoding: bytes, as: UTF8.self))\"")
        }
        _ = csqlite_bind_text_static(
            handle, Int32(truncatingIfNeeded: index),
            bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
    }

    /// Binds a copy of the bytes.
    package func bind(_ index: Int, blob bytes: UnsafeRawBufferPointer) {
        assert(mayBind(index), "the parameter does not exist, or the statement is running")
        if counters.pointee.recordsBindings { note("<\(bytes.count) bytes>") }
        _ = csqlite_bind_blob_transient(
            handle, Int32(truncatingIfNeeded: index), bytes.baseAddress, UInt64(bytes.count))
    }

    /// Binds bytes that must stay valid until the run has ended.
    @inlinable package func bind(_ index: Int, lastingBlob bytes: UnsafeRawBufferPointer) {
        assert(mayBind(index), "the parameter does not exist, or the statement is running")
        if counters.pointee.recordsBindings { note("<\(bytes.count) bytes>") }
        _ = csqlite_bind_blob_static(
            handle, Int32(truncatingIfNeeded: index), bytes.baseAddress, UInt64(bytes.count))
    }

    /// Binds a copy of an array to the argument of a table-valued function
    /// (``Connection/addIntegerArrayFunction(named:)``).
    package func bind(_ index: Int, array: UnsafeBufferPointer<Int64>) throws(SQLiteError) {
        assert(mayBind(index), "the parameter does not exist, or the statement is running")
        if counters.pointee.recordsBindings { note("(\(array.count) values)") }
        let code = csqlite_bind_integer_array(
            handle, Int32(truncatingIfNeeded: index), array.baseAddress, Int64(array.count))
        guard code == SQLITE_OK else { throw failure(code) }
        holdsArray = true
    }

    @usableFromInline func note(_ binding: String) { bindings.append(binding) }
}
