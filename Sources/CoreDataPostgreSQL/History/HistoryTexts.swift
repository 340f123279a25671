import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// The tables of a store's history, and the statements that record a transaction.
///
/// Transactions are numbered in the order of their commits. At its end, a transaction increases a
/// counter in a table of one row, and the lock of this row is held until the commit. So a reader
/// that has seen number 8 never finds number 7 later.
struct HistoryTexts {
    static let transactions = "_history"
    static let changes = "_history_change"
    private static let last = "_history_last"
    static let tables = [transactions, changes, last]

    private let name: String
    /// The name of the schema in SQL.
    private let schema: String

    /// - Parameter name: the name of the schema.
    init(_ name: String) {
        self.name = name
        schema = Identifier(name).sql
    }

    /// The statements that create the tables if they are missing.
    var creation: [String] {
        [
            "CREATE TABLE IF NOT EXISTS \(schema).\(Self.last) (number bigint NOT NULL)",
            "INSERT INTO \(schema).\(Self.last) SELECT 0"
                + " WHERE NOT EXISTS (SELECT FROM \(schema).\(Self.last))",
            "CREATE TABLE IF NOT EXISTS \(schema).\(Self.transactions) (number bigint PRIMARY KEY,"
                + " date double precision NOT NULL, author text, bundle text, context text,"
                + " process text)",
            "CREATE TABLE IF NOT EXISTS \(schema).\(Self.changes)"
                + " (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " transaction bigint NOT NULL, kind smallint NOT NULL, entity integer NOT NULL,"
                + " key bigint NOT NULL, properties bytea, kept bytea)",
            "CREATE INDEX IF NOT EXISTS _history_change_idx"
                + " ON \(schema).\(Self.changes) (transaction, number)",
        ]
    }

    func exist(_ connection: Connection) throws(ServerError) -> Bool {
        try StoreRecord.exists(Self.changes, in: name, connection)
    }

    func holdTransactions(_ connection: Connection) throws(ServerError) -> Bool {
        try connection.execute("SELECT FROM \(schema).\(Self.transactions) LIMIT 1").rowCount > 0
    }

    var emptying: [String] {
        [Self.changes, Self.transactions].map { "DELETE FROM \(schema).\($0)" }
    }

    /// The statements that copy another history into the empty tables.
    func copying(from other: HistoryTexts) -> [String] {
        let changes = "\(schema).\(Self.changes)"
        return [
            "UPDATE \(schema).\(Self.last)"
                + " SET number = (SELECT number FROM \(other.schema).\(Self.last))",
            "INSERT INTO \(schema).\(Self.transactions)"
                + " SELECT * FROM \(other.schema).\(Self.transactions)",
            "INSERT INTO \(changes) OVERRIDING SYSTEM VALUE"
                + " SELECT * FROM \(other.schema).\(Self.changes)",
            "SELECT setval(pg_get_serial_sequence(\(changes.sqlLiteral), 'number'),"
                + " (SELECT coalesce(max(number), 0) + 1 FROM \(changes)), false)",
        ]
    }

    /// The names of the tables and columns for the builder of statements.
    var names: HistoryStatements.Names {
        HistoryStatements.Names(
            transactions: "\(schema).\(Self.transactions)", changes: "\(schema).\(Self.changes)",
            key: "number", timestamp: "date", transaction: "transaction")
    }

    var lastNumber: String { "SELECT number FROM \(schema).\(Self.last)" }

    /// The statements that record a transaction; the first one returns its number. Empty if the
    /// transaction contains no changes.
    func recording(
        _ record: HistoryRecord, _ schema: StoreSchema
    ) throws(ServerError) -> [PipelinedStatement] {
        guard record.isOn, !record.changes.isEmpty else { return [] }
        let row = Parameters()
        row.append(float8: PostgreSQLStore.now)
        let names = [
            record.origin.author, HistoryIdentity.bundle, record.origin.contextName,
            HistoryIdentity.process,
        ]
        for name in names {
            if let name { try row.append(text: name) } else { row.append(null: .text) }
        }
        return [
            PipelinedStatement(
                "WITH taken AS (UPDATE \(self.schema).\(Self.last) SET number = number + 1"
                    + " RETURNING number)"
                    + " INSERT INTO \(self.schema).\(Self.transactions)(number, date, author,"
                    + " bundle, context, process) SELECT number, $1, $2, $3, $4, $5 FROM taken"
                    + " RETURNING number", row),
            PipelinedStatement(
                "INSERT INTO \(self.schema).\(Self.changes)(transaction, kind, entity, key,"
                    + " properties, kept) SELECT l.number, a.kind, a.entity, a.key, a.properties,"
                    + " a.kept FROM \(self.schema).\(Self.last) l,"
                    + " unnest($1, $2, $3, $4, $5) WITH ORDINALITY"
                    + " AS a(kind, entity, key, properties, kept, place) ORDER BY a.place",
                try parameters(record.changes, schema)),
        ]
    }

    private func parameters(
        _ changes: [HistoryRecord.Change], _ schema: StoreSchema
    ) throws(ServerError) -> Parameters {
        let parameters = Parameters()
        parameters.beginArray(of: .int2)
        for change in changes { parameters.append(int2: Int16(change.kind.rawValue)) }
        parameters.endArray()
        parameters.beginArray(of: .int4)
        for change in changes {
            let number = schema.numbers.number(of: Int(change.key.entity))
            parameters.append(int4: Int32(truncatingIfNeeded: number))
        }
        parameters.endArray()
        parameters.append(int8s: changes.map(\.key.key))
        parameters.beginArray(of: .bytea)
        for change in changes {
            if change.columns.isEmpty {
                parameters.append(null: .bytea)
            } else {
                try parameters.append(Data(change.columns))
            }
        }
        parameters.endArray()
        parameters.beginArray(of: .bytea)
        for change in changes {
            if let kept = KeptValues.data(change.tombstone) {
                try parameters.append(kept)
            } else {
                parameters.append(null: .bytea)
            }
        }
        parameters.endArray()
        return parameters
    }
}

/// The values of a deleted row that the history keeps, as a property list.
enum KeptValues {
    static func data(_ values: [Value]) -> Data? {
        guard values.contains(where: { !$0.isNull }) else { return nil }
        let list = values.map { value -> Any in
            switch value {
            case .null, .object: ""
            case .integer(let integer): NSNumber(value: integer)
            case .double(let double): NSNumber(value: double)
            case .decimal(let decimal): "\(decimal)"
            case .string(let text): "=\(text)"
            case .uuid(let uuid): uuid.uuidString
            case .data(let data): data
            case .reference(let key): NSNumber(value: Int64(bitPattern: key.packed))
            }
        }
        return try? PropertyListSerialization.data(
            fromPropertyList: list, format: .binary, options: 0)
    }

    /// - Parameter kinds: the kinds of the values.
    static func values(_ data: Data, _ kinds: [CoreDataModel.ValueKind]) -> [Value] {
        guard let list = PropertyListReader.read(data) as? [Any], list.count == kinds.count else {
            return []
        }
        return zip(list, kinds).map { value($0, $1) }
    }

    private static func value(_ kept: Any, _ kind: CoreDataModel.ValueKind) -> Value {
        switch (kind, kept) {
        case (.decimal, let text as String):
            Decimal(string: text).map { .decimal($0) } ?? .null
        case (.uuid, let text as String): UUID(uuidString: text).map { .uuid($0) } ?? .null
        case (_, let text as String): text.isEmpty ? .null : .string(String(text.dropFirst()))
        case (_, let data as Data): .data(data)
        case (.double, let number as Double), (.float, let number as Double),
            (.date, let number as Double):
            .double(number)
        case (.toOne, let number as Int):
            .reference(ObjectKey(packed: UInt64(bitPattern: Int64(number))))
        case (_, let number as Int): .integer(Int64(number))
        case (_, let flag as Bool): .integer(flag ? 1 : 0)
        default: .null
        }
    }
}
