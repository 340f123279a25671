import CSQLite

/// An open connection to a database in a file or in memory.
///
/// A connection has no lock: its owner lets one thread at a time use it.
package final class Connection {
    /// The database to open.
    package enum Location: Sendable, Equatable {
        case file(String)
        case memory
        /// A named database in memory that all connections of the process share. It exists as long
        /// as one of them is open.
        case sharedMemory(String)

        var isMemory: Bool { if case .file = self { false } else { true } }
    }

    package struct Options: Sendable {
        package var isReadOnly = false
        package var createsFile = true
        /// The time that a statement waits for another connection's lock.
        package var busyTimeoutMilliseconds = 5_000
        /// Whether the statements are untrusted; see ``Connection/confine()``.
        package var isConfined = false
        /// Whether the connection only reads the shared index of the write-ahead log. It then
        /// changes no file, and affects other processes only by its read locks. The database file
        /// is also opened read-only.
        package var keepsIndex = false

        package init() {}
    }

    let handle: OpaquePointer
    /// The file's path and identity; nil in memory.
    let place: Place?
    let recorder = RunRecorder()
    /// Compiled statements by their SQL text. Statements with a number are in `numbered`.
    private var cache: [String: Statement] = [:]
    // Unchecked because one thread at a time uses the connection, and every fault reads it.
    @exclusivity(unchecked) private var numbered: ContiguousArray<Statement?> = []
    private var uses: UInt64 = 0
    /// The values for UPDATEs of many rows; created on demand. The statements are released before
    /// this object.
    var reusableRun: RowRun?
    /// The names of the table-valued functions whose argument is an array.
    var arrayFunctions: [String] = []
    /// Whether an image has replaced the database, or is about to replace it.
    var takesImages = false
    /// The number of statements that had been compiled when an image last replaced the database.
    var preparesBeforeImage = -1
    /// Whether SQLite dropped its tables for table-valued functions when an image last replaced the
    /// database.
    var hasForgottenTables = false
    /// Whether an outer transaction is held open.
    package internal(set) var isHeld = false

    /// Opens a database.
    ///
    /// SQLite reads the file when the first statement runs. That statement fails if the file is not
    /// a database.
    package init(_ location: Location, options: Options = Options()) throws(SQLiteError) {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        if options.createsFile && !options.isReadOnly { flags |= SQLITE_OPEN_CREATE }
        var made: OpaquePointer?
        let path =
            switch location {
            case .file(let path): options.keepsIndex ? Self.address(keepingIndexOf: path) : path
            case .memory: ":memory:"
            case .sharedMemory(let name): Self.address(ofSharedMemory: name)
            }
        if location.isMemory {
            flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE
            if location != .memory { flags |= SQLITE_OPEN_CREATE | SQLITE_OPEN_URI }
        } else if options.keepsIndex {
            flags |= SQLITE_OPEN_URI
        }
        csqlite_keep_no_memory_account()
        let files = options.isConfined ? csqlite_guest_files() : nil
        let code = sqlite3_open_v2(path, &made, flags, files)
        guard code == SQLITE_OK, let made else {
            let error = SQLiteError(code: code, database: made)
            sqlite3_close_v2(made)
            throw error
        }
        // If SQLite cannot open a writable file for writing, it opens the file read-only and
        // reports no error. Every later write would fail.
        if !options.isReadOnly, csqlite_only_reads_what_may_be_written(made) != 0 {
            sqlite3_close_v2(made)
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN,
                message: "the file may be written, but could only be opened for reading; the"
                    + " process may have no descriptors left")
        }
        handle = made
        do throws(SQLiteError) {
            place = if case .file(let file) = location { try Place(file, of: made) } else { nil }
        } catch {
            sqlite3_close_v2(made)
            throw error
        }
        sqlite3_busy_timeout(made, Int32(clamping: options.busyTimeoutMilliseconds))
        _ = csqlite_refuse_double_quoted_strings(made)
        if options.isConfined { confine() }
    }

    deinit {
        cache.removeAll()
        numbered.removeAll()
        // The database stays in memory until every statement that other code still references is
        // released.
        sqlite3_close_v2(handle)
    }

    package var statistics: ConnectionStatistics { recorder.statistics }

    /// Sets the hook that is called for each run of a statement while ``isObserved`` is true.
    package func observe(_ hook: @escaping (StatementRun) -> Void) { recorder.hook = hook }

    /// Whether runs are timed and reported. Each step and each bind checks this.
    package var isObserved: Bool {
        get { recorder.counters.pointee.isObserved }
        set { recorder.counters.pointee.isObserved = newValue }
    }

    /// Whether reports include the bound values as text.
    package var recordsBindings: Bool {
        get { recorder.counters.pointee.recordsBindings }
        set { recorder.counters.pointee.recordsBindings = newValue }
    }

    /// Whether closing the last connection copies the write-ahead log into the database file. True
    /// by default. If false, closing leaves the file unchanged.
    package var checkpointsOnClose: Bool {
        get { csqlite_checkpoints_on_close(handle, -1) != 0 }
        set { _ = csqlite_checkpoints_on_close(handle, newValue ? 1 : 0) }
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

// MARK: Statements

extension Connection {
    /// The maximum number of compiled statements that are cached by their text.
    private static var cachedTextsMax: Int { 256 }

    /// Returns the compiled statement for an SQL text, compiling it at the first call.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        uses &+= 1
        if let known = cache[sql] {
            known.lastUse = uses
            return known
        }
        let made = try Statement(sql, database: handle, recorder: recorder)
        made.lastUse = uses
        if cache.count >= Self.cachedTextsMax { dropOldStatements() }
        cache[sql] = made
        return made
    }

    /// Returns the compiled statement for a number that identifies its text.
    ///
    /// For code that runs once for each object: it neither creates nor hashes the text.
    package func statement(
        number: Int, _ sql: @autoclosure () -> String
    ) throws(SQLiteError) -> Statement {
        try borrowedStatement(number: number, sql()).takeUnretainedValue()
    }

    /// Like ``statement(number:_:)``, but the statement is not retained, for code that runs once
    /// for each object. The connection keeps it alive.
    package func borrowedStatement(
        number: Int, _ sql: @autoclosure () -> String
    ) throws(SQLiteError) -> Unmanaged<Statement> {
        if number < numbered.count, let known = numbered[number] { return .passUnretained(known) }
        let made = try Statement(sql(), database: handle, recorder: recorder)
        if number >= numbered.count {
            numbered.append(contentsOf: repeatElement(nil, count: number + 1 - numbered.count))
        }
        numbered[number] = made
        return .passUnretained(made)
    }

    @discardableResult package func execute(_ sql: String) throws(SQLiteError) -> Int {
        try Statement(sql, database: handle, recorder: recorder).run()
    }

    package func firstText(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try Statement(sql, database: handle, recorder: recorder)
        defer { statement.finish() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// Whether a table of the file has all of the columns. Also false if the table cannot be read.
    ///
    /// Reads the schema that SQLite caches, and runs no statement.
    package func table(_ name: String, has columns: [String]) -> Bool {
        columns.allSatisfy { column in
            sqlite3_table_column_metadata(handle, "main", name, column, nil, nil, nil, nil, nil)
                == SQLITE_OK
        }
    }

    private func dropOldStatements() {
        let times = cache.values.map(\.lastUse).sorted()
        let limit = times[times.count / 4]
        cache = cache.filter { $0.value.lastUse > limit || $0.value.hasRun }
    }

    func finishAll() {
        for statement in cache.values where statement.hasRun { statement.finish() }
        for case let statement? in numbered where statement.hasRun { statement.finish() }
    }
}

// `@unchecked Sendable` because its owner (a store's writer lock, or the pool that lends a
// connection to one reader at a time) lets one thread at a time use it.
extension Connection: @unchecked Sendable {}
