import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import Foundation

extension ResultColumn {
    package func read(_ statement: Statement, _ numbers: EntityNumbers) -> Value {
        let stored = statement.value(index)
        if stored.isNull { return .null }
        if let destination, kind == .toOne || kind == nil {
            let own = hasEntity ? numbers.index(of: statement.integer(index + 1)) : nil
            return .reference(ObjectKey(entity: own ?? destination, key: stored.integer))
        }
        return value(stored, as: kind ?? storedKind)
    }

    private func value(_ stored: ColumnValue, as kind: ValueKind?) -> Value {
        switch kind {
        case .integer16, .integer32, .integer64: .integer(stored.integer)
        case .boolean: .integer(stored.double == 0 ? 0 : 1)
        case .double, .float, .date: .double(stored.double)
        case .decimal: Decimal(string: text(stored)).map { .decimal($0) } ?? .null
        case .string, .uri: .string(text(stored))
        case .uuid: uuid(stored)
        case .binary: .data(Data(stored.bytes))
        case .toOne, nil: raw(stored)
        }
    }

    private func raw(_ stored: ColumnValue) -> Value {
        switch stored.storageClass {
        case .integer: .integer(stored.integer)
        case .real: .double(stored.double)
        case .text: .string(text(stored))
        case .blob: .data(Data(stored.bytes))
        case .null: .null
        }
    }

    private func text(_ stored: ColumnValue) -> String {
        String(decoding: stored.bytes, as: UTF8.self)
    }

    private func uuid(_ stored: ColumnValue) -> Value {
        let bytes = stored.bytes
        guard bytes.count == 16 else { return .null }
        var uuid = noBytes
        withUnsafeMutableBytes(of: &uuid) { $0.copyMemory(from: bytes) }
        return .uuid(UUID(uuid: uuid))
    }

    private var noBytes: uuid_t { (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
}

extension SQLiteStore: TableStore {
    package func fetchTable(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        var columns: [ResultColumn] = []
        return try run(
            plan,
            { builder throws(QueryRefusal) in
                let made = try TableBuilder(table: table, rows: builder).make()
                columns = made.columns
                return made.select
            },
            { statement throws(SQLiteError) in
                var rows = FetchedTable(kinds: columns.map(\.shownKind))
                while try statement.step() {
                    for column in columns { rows.values.append(column.read(statement, numbers)) }
                }
                return rows
            }
        ).found
    }
}
