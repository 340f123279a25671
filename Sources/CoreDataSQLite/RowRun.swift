import CSQLite
import CoreDataTrace

/// The values that one UPDATE sets in many rows with consecutive keys.
///
/// The UPDATE reads the values with `name(key, place)`, where the place is the index of a column
/// among those that it sets. Texts and blobs are not copied, so they must stay valid until the
/// statement has run. A run belongs to its connection and is only used with it.
///
/// Invariant: between ``begin(firstKey:rows:width:)`` and ``end()``, after all values were added,
/// each row has a value for each column. At other times the function has no rows.
package final class RowRun {
    package static let function = "_Z_run"

    private let run: UnsafeMutablePointer<csqlite_run>
    private var values: UnsafeMutablePointer<csqlite_run_value>
    private var capacity = 1024
    private var count = 0

    init(database: OpaquePointer) throws(SQLiteError) {
        run = .allocate(capacity: 1)
        values = .allocate(capacity: capacity)
        run.initialize(to: csqlite_run(first_key: 0, last_key: -1, width: 0, values: values))
        let code = csqlite_add_run_function(database, Self.function, run)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, database: database) }
    }

    deinit {
        values.deallocate()
        run.deallocate()
    }

    /// Begins with no values.
    ///
    /// - Parameters:
    ///   - rows: the number of rows.
    ///   - width: the number of columns that the UPDATE sets.
    package func begin(firstKey: Int64, rows: Int, width: Int) {
        trap(unless: rows > 0 && width >= 0, "the run has no rows")
        count = 0
        if rows * width > capacity {
            values.deallocate()
            capacity = rows * width
            values = .allocate(capacity: capacity)
        }
        run.pointee = csqlite_run(
            first_key: firstKey, last_key: firstKey + Int64(rows - 1), width: Int32(width),
            values: values)
    }

    package var isFull: Bool {
        let rows = Int(run.pointee.last_key - run.pointee.first_key + 1)
        return count == rows * Int(run.pointee.width)
    }

    package func end() {
        run.pointee.last_key = run.pointee.first_key - 1
        assert(
            run.pointee.last_key < run.pointee.first_key,
            "the function still finds rows after the end of the run")
    }

    // MARK: Values, row after row

    package func addNull() { add(Int32(CSQLITE_RUN_NULL)) }

    package func add(integer: Int64) { add(Int32(CSQLITE_RUN_INTEGER), integer) }

    package func add(double: Double) { add(Int32(CSQLITE_RUN_DOUBLE), real: double) }

    package func add(lastingText bytes: UnsafeRawBufferPointer) {
        add(Int32(CSQLITE_RUN_TEXT), Int64(bytes.count), bytes: bytes.baseAddress)
    }

    package func add(lastingBlob bytes: UnsafeRawBufferPointer) {
        add(Int32(CSQLITE_RUN_BLOB), Int64(bytes.count), bytes: bytes.baseAddress)
    }

    @inline(__always)
    private func add(
        _ form: Int32, _ integer: Int64 = 0, real: Double = 0, bytes: UnsafeRawPointer? = nil
    ) {
        trap(unless: count < capacity, "the run already has a value for each row and column")
        (values + count).initialize(
            to: csqlite_run_value(form: form, integer: integer, real: real, bytes: bytes))
        count += 1
    }
}

extension Connection {
    /// The values of an UPDATE of many rows; the function is added at the first call.
    package func rowRun() throws(SQLiteError) -> RowRun {
        if let rows = reusableRun { return rows }
        let made = try RowRun(database: handle)
        reusableRun = made
        return made
    }
}
