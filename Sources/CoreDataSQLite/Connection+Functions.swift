import CSQLite

extension Connection {
    /// Adds `name(array)`, a table with the columns `value` and `rowid`, for arrays that are
    /// bound with ``Statement/bind(_:array:)``.
    package func addIntegerArrayFunction(named name: String) throws(SQLiteError) {
        let code =
            takesImages
            ? csqlite_add_temporary_integer_array_function(handle, name)
            : csqlite_add_integer_array_function(handle, name)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, database: handle) }
        arrayFunctions.append(name)
    }

    /// Keeps table-valued functions usable when an image (the bytes of a database) replaces the
    /// database.
    ///
    /// When a statement first names such a function, SQLite creates a table for it in the schema of
    /// `main`. Loading an image frees that schema, and SQLite would read freed memory. Tables in
    /// the temporary schema stay valid, and so do compiled statements that use them.
    func prepareForImage() throws(SQLiteError) {
        if !takesImages {
            takesImages = true
            let names = arrayFunctions
            arrayFunctions = []
            for name in names { try addIntegerArrayFunction(named: name) }
        }
        // Only a statement that was compiled since the last image can have created such a table.
        // But if that image dropped tables, SQLite may have compiled cached statements again.
        let prepares = recorder.counters.pointee.prepares
        if prepares == preparesBeforeImage && !hasForgottenTables { return }
        var forgottenCount: Int32 = 0
        let code = csqlite_forget_tables_by_name(handle, &forgottenCount)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, database: handle) }
        preparesBeforeImage = prepares
        hasForgottenTables = forgottenCount > 0
    }

    /// Adds a scalar function.
    ///
    /// - Parameters:
    ///   - argumentCount: -1 for any number.
    ///   - isDeterministic: whether equal arguments have equal results, so that SQLite may call it
    ///     less often.
    package func addFunction(
        named name: String, argumentCount: Int, isDeterministic: Bool,
        _ body: @escaping (FunctionCall) -> FunctionResult
    ) throws(SQLiteError) {
        let box = Unmanaged.passRetained(FunctionBox(body))
        // Innocuous, because triggers in the stores' schemas call some of the functions.
        var flags = SQLITE_UTF8 | SQLITE_INNOCUOUS
        if isDeterministic { flags |= SQLITE_DETERMINISTIC }
        // On failure SQLite also calls the destructor.
        let code = sqlite3_create_function_v2(
            handle, name, Int32(argumentCount), flags, box.toOpaque(),
            { context, count, arguments in
                guard let data = sqlite3_user_data(context) else { return }
                let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
                box.body(FunctionCall(count: Int(count), arguments: arguments)).give(to: context)
            }, nil, nil,
            // Safe: SQLite passes the registered box to the destructor.
            { Unmanaged<FunctionBox>.fromOpaque($0!).release() })
        guard code == SQLITE_OK else { throw SQLiteError(code: code, database: handle) }
    }

    /// Adds a collation: the body returns a negative number, zero or a positive number.
    package func addCollation(
        named name: String,
        _ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    ) throws(SQLiteError) {
        let box = Unmanaged.passRetained(CollationBox(compare))
        let code = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, box.toOpaque(),
            { data, leftCount, left, rightCount, right in
                // Safe: SQLite passes the registered box to this closure and to the next one.
                let box = Unmanaged<CollationBox>.fromOpaque(data!).takeUnretainedValue()
                return Int32(
                    clamping: box.compare(
                        UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                        UnsafeRawBufferPointer(start: right, count: Int(rightCount))))
            },
            // Safe: SQLite passes the registered box.
            { Unmanaged<CollationBox>.fromOpaque($0!).release() })
        guard code == SQLITE_OK else {
            // Unlike for functions, SQLite does not call the destructor if it rejects a collation.
            box.release()
            throw SQLiteError(code: code, database: handle)
        }
    }
}

package struct FunctionCall {
    package let count: Int
    let arguments: UnsafeMutablePointer<OpaquePointer?>?

    package subscript(index: Int) -> ColumnValue { ColumnValue(handle: arguments?[index]) }
}

package enum FunctionResult {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob([UInt8])
    /// Makes the statement fail with this message.
    case failure(String)

    func give(to context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let integer): sqlite3_result_int64(context, integer)
        case .double(let double): sqlite3_result_double(context, double)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    csqlite_result_text(context, $0.baseAddress, UInt64($0.count))
                }
            }
        case .blob(let bytes):
            bytes.withUnsafeBytes {
                csqlite_result_blob(context, $0.baseAddress, UInt64($0.count))
            }
        case .failure(let message): sqlite3_result_error(context, message, -1)
        }
    }
}

private final class FunctionBox {
    let body: (FunctionCall) -> FunctionResult

    init(_ body: @escaping (FunctionCall) -> FunctionResult) { self.body = body }
}

private final class CollationBox {
    let compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

    init(_ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) {
        self.compare = compare
    }
}
