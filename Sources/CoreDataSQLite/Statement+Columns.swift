import CSQLite

package enum StorageClass: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}

/// Columns of the current row are counted from 0.
///
/// SQLite owns the bytes of a column. They are valid until the next step, finish or conversion of
/// that column.
extension Statement {
    /// A column of the current row, whose value can be read several times with one look-up.
    @inlinable @inline(__always) package func value(_ column: Int) -> ColumnValue {
        assert(hasColumn(column), "the column does not exist, or no row is current")
        return ColumnValue(handle: sqlite3_column_value(handle, Int32(truncatingIfNeeded: column)))
    }

    @inlinable @inline(__always) package func isNull(_ column: Int) -> Bool {
        assert(hasColumn(column), "the column does not exist, or no row is current")
        return sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    @inlinable @inline(__always) package func integer(_ column: Int) -> Int64 {
        assert(hasColumn(column), "the column does not exist, or no row is current")
        return sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
    }

    @inlinable @inline(__always) package func double(_ column: Int) -> Double {
        assert(hasColumn(column), "the column does not exist, or no row is current")
        return sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
    }

    package func text(_ column: Int) -> String {
        String(decoding: value(column).bytes, as: UTF8.self)
    }
}

package struct ColumnValue {
    @usableFromInline let handle: OpaquePointer?

    @inlinable init(handle: OpaquePointer?) { self.handle = handle }

    @inlinable package var storageClass: StorageClass {
        StorageClass(rawValue: sqlite3_value_type(handle)) ?? .null
    }

    @inlinable @inline(__always) package var isNull: Bool {
        sqlite3_value_type(handle) == SQLITE_NULL
    }

    /// The value as an integer; texts and reals are converted as SQLite's CAST does.
    @inlinable @inline(__always) package var integer: Int64 { sqlite3_value_int64(handle) }

    @inlinable @inline(__always) package var double: Double { sqlite3_value_double(handle) }

    /// The bytes of a string in UTF-8, or of a blob. Numbers are first converted to text.
    @inlinable @inline(__always) package var bytes: UnsafeRawBufferPointer {
        if sqlite3_value_type(handle) == SQLITE_BLOB {
            let start = sqlite3_value_blob(handle)
            return UnsafeRawBufferPointer(
                start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(handle)))
        }
        let start = sqlite3_value_text(handle)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(handle)))
    }
}
