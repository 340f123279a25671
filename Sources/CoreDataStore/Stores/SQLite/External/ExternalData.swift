import CoreDataModel
import CoreDataSQLite
import CoreDataTrace
import Foundation
import Synchronization

/// Stores the large binary values of a store in separate files, as Core Data does.
///
/// The column contains the byte 1 and the value. Or it contains the byte 2 and the name of a file
/// in `.NAME_SUPPORT/_EXTERNAL_DATA`. SQL statements call ``valueFunction`` to read a value and
/// ``storedFunction`` to write it. Triggers of the writing connection call ``forgetFunction`` with
/// a row's former content.
///
/// New files are written and synced inside the row's transaction, and former files are removed
/// after it. So the file of a row always exists, even if the process ends. ``StoreSweep`` removes
/// files without a row when the store is next opened.
///
/// Source: store-format.md, "Entities, tables, columns".
final class ExternalData: Sendable {
    /// Returns the value for a column's content.
    static let valueFunction = "faultline_external_value"
    /// Returns the column's content for a value.
    static let storedFunction = "faultline_external_stored"
    /// Records that a row no longer has the column's content.
    static let forgetFunction = "faultline_external_forget"

    /// The maximum size in bytes of a value that is stored in its row: the largest size that was
    /// found in rows of Core Data's stores.
    static let inlineMax = 100_000

    /// The files of the values; nil for a store in memory, which stores all values in its rows.
    private let files: ExternalFiles?
    private let state = Mutex(State())

    private struct State {
        var written: [String] = []
        /// The files to which rows no longer refer after the running transaction.
        var forgotten: [String] = []
        /// Whether the running transaction has removed the mark, so that the next opening of the
        /// store removes files without a row.
        var isUnmarked = false
        /// While an outer transaction is open, the files of the inner transactions that have ended.
        var held: (written: [String], forgotten: [String])?
    }

    /// - Parameters:
    ///   - path: the store's file, or nil.
    ///   - owner: the file whose folder contains the values, if it is not the store's file.
    init(path: String?, valuesOf owner: String? = nil, isPrivate: Bool = false) {
        files = path.map { ExternalFiles(store: $0, valuesOf: owner, isPrivate: isPrivate) }
    }

    // MARK: Columns

    private enum Marker: UInt8 { case bytes = 1, reference = 2 }

    /// Returns the column's content for a value, and writes a file if the value is large.
    ///
    /// - Throws: an error if the file cannot be written.
    func stored(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard let files, bytes.count > Self.inlineMax else {
            return [Marker.bytes.rawValue] + bytes
        }
        let name = UUID().uuidString
        state.withLock { state in
            unmark(&state)
            state.written.append(name)
        }
        try files.save(bytes, as: name)
        return [Marker.reference.rawValue] + name.utf8 + [0]
    }

    /// Returns the value for a column's content. Returns nil and logs a line if its file does not
    /// exist.
    ///
    /// - Throws: an error if the file exists but cannot be read, because a copy of the row would
    ///   otherwise lose the value.
    private func value(of stored: UnsafeRawBufferPointer) throws -> [UInt8]? {
        guard let first = stored.first else { return [] }
        guard let marker = Marker(rawValue: first) else { return Array(stored) }
        switch marker {
        case .bytes: return Array(stored.dropFirst())
        case .reference:
            guard let name = Self.fileName(stored) else { return Array(stored.dropFirst()) }
            guard let files else { return nil }
            do { return try files.load(name) } catch let error as POSIXError {
                let text =
                    "the external value \(name) of \(files.folder) cannot be read:"
                    + " \(error.localizedDescription)"
                guard error.code == .ENOENT else { throw Unreadable(description: text) }
                EngineLog.errorOnce(text)
                return nil
            }
        }
    }

    /// A value whose file exists and cannot be read.
    private struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// The name of the file to which a column refers; nil if the column contains the value itself.
    private static func fileName(_ stored: UnsafeRawBufferPointer) -> String? {
        guard stored.count == 38, stored[0] == Marker.reference.rawValue, stored[37] == 0 else {
            return nil
        }
        let name = String(decoding: stored[1..<37], as: UTF8.self)
        return ExternalFiles.isName(name) ? name : nil
    }

    // MARK: Transactions

    private func forget(_ stored: UnsafeRawBufferPointer) {
        guard let name = Self.fileName(stored) else { return }
        state.withLock { state in
            unmark(&state)
            state.forgotten.append(name)
        }
    }

    /// Removes the mark of the last sweep before a transaction changes files. So if the process
    /// ends, the next opening removes unused files.
    private func unmark(_ state: inout State) {
        if state.isUnmarked { return }
        state.isUnmarked = true
        files?.mark.remove()
    }

    /// Ends a transaction: a commit removes the files to which rows no longer refer, and a rollback
    /// removes the new files.
    func endTransaction(isCommitted: Bool) {
        let (written, forgotten) = state.withLock { state in
            let ended = (state.written, state.forgotten)
            (state.written, state.forgotten) = ([], [])
            state.isUnmarked = false
            guard isCommitted, state.held != nil else { return ended }
            state.held?.written += ended.0
            state.held?.forgotten += ended.1
            return ([], [])
        }
        guard let files else { return }
        if isCommitted {
            if forgotten.isEmpty { return }
            // The commit must be durable before files are removed. Otherwise a power failure could
            // revert it, and the row would lack its file.
            guard files.syncStore() else { return }
            files.remove(forgotten)
        } else {
            files.remove(written)
        }
    }

    /// Begins an outer transaction. Until it ends, it collects the files that inner transactions
    /// write and remove.
    func hold() { state.withLock { $0.held = ([], []) } }

    func endHold(isCommitted: Bool) {
        state.withLock { state in
            guard let held = state.held else { return }
            state.held = nil
            (state.written, state.forgotten) = held
        }
        endTransaction(isCommitted: isCommitted)
    }

    // MARK: Connections

    func install(on connection: Connection) throws(SQLiteError) {
        try connection.addFunction(
            named: Self.valueFunction, argumentCount: 1, isDeterministic: false
        ) { [self] call in
            if call[0].isNull { return .null }
            do { return try value(of: call[0].bytes).map { .blob($0) } ?? .null } catch {
                return .failure("\(error)")
            }
        }
        try connection.addFunction(
            named: Self.storedFunction, argumentCount: 1, isDeterministic: false
        ) { [self] call in
            if call[0].isNull { return .null }
            do { return .blob(try stored(call[0].bytes)) } catch {
                return .failure("a value's file cannot be written: \(error)")
            }
        }
        try connection.addFunction(
            named: Self.forgetFunction, argumentCount: 1, isDeterministic: false
        ) { [self] call in
            if !call[0].isNull { forget(call[0].bytes) }
            return .null
        }
    }

    /// Adds triggers to the writing connection, which record the files of values that are removed
    /// from rows.
    func watch(_ layout: ModelLayout, on connection: Connection) throws(SQLiteError) {
        guard files != nil else { return }
        for (table, columns) in Self.columns(of: layout) {
            for column in columns {
                let forget = "BEGIN SELECT \(Self.forgetFunction)(OLD.\(column)); END"
                for (name, event) in [("DELETE", "DELETE"), ("UPDATE", "UPDATE OF \(column)")] {
                    try connection.execute(
                        "CREATE TEMP TRIGGER faultline_external_\(table)_\(column)_\(name) "
                            + "AFTER \(event) ON main.\(table) \(forget)")
                }
            }
        }
    }

    /// The names of all files to which rows refer. Searches all tables of the database, even those
    /// that the model does not contain.
    static func names(on connection: Connection) throws(SQLiteError) -> Set<String> {
        var columns: [(table: String, column: String)] = []
        let list = try connection.statement(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
                + " WHERE m.type = 'table' AND m.name GLOB 'Z*' AND c.type = 'BLOB'")
        defer { list.finish() }
        while try list.step() { columns.append((quoted(list.text(0)), quoted(list.text(1)))) }
        var named: Set<String> = []
        for (table, column) in columns {
            let statement = try connection.statement(
                "SELECT \(column) FROM \(table) WHERE length(\(column)) = 38")
            defer { statement.finish() }
            while try statement.step() {
                if let name = fileName(statement.value(0).bytes) { named.insert(name) }
            }
        }
        return named
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    /// The external columns by table, without duplicates.
    private static func columns(of layout: ModelLayout) -> [(String, [String])] {
        var found: [String: Set<String>] = [:]
        for entity in layout.entities {
            for slot in entity.values where slot.isExternal {
                if let column = slot.column { found[entity.tableName, default: []].insert(column) }
            }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }
}

extension ValueSlot {
    func readExpression(of column: String) -> String {
        isExternal ? "\(ExternalData.valueFunction)(\(column))" : column
    }

    func writeExpression(of value: String) -> String {
        isExternal ? "\(ExternalData.storedFunction)(\(value))" : value
    }
}
