import CoreDataModel
import CoreDataSQLite

extension SQLiteStore {
    package func read<T: Sendable>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(CoreDataError) -> T {
        do throws(SQLiteError) {
            return try connections.read(body)
        } catch {
            throw failure(error)
        }
    }

    package func row(
        _ key: ObjectKey, generation: UInt64
    ) throws(CoreDataError) -> RowReference? {
        try read { connection throws(SQLiteError) in
            try readRow(key, connection, generation: generation, timestamp: Self.coarseNow)
        }
    }

    package func readRow(
        _ key: ObjectKey, generation: UInt64, into rows: LoneRows
    ) throws(CoreDataError) {
        try read { connection throws(SQLiteError) in
            try selectRow(key, connection) { statement, reader throws(SQLiteError) in
                try reader.readOne(
                    statement, generation: generation, timestamp: Self.coarseNow, into: rows)
            }
        }
    }

    package func readRow(
        _ key: ObjectKey, _ connection: Connection, generation: UInt64, timestamp: Double
    ) throws(SQLiteError) -> RowReference? {
        try selectRow(key, connection) { statement, reader throws(SQLiteError) in
            try reader.readOne(statement, generation: generation, timestamp: timestamp)
        }
    }

    @inline(__always)
    private func selectRow<T>(
        _ key: ObjectKey, _ connection: Connection,
        _ body: (Statement, StatementRowPacker) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try statements.lend(Int(key.entity)) { texts throws(SQLiteError) in
            let statement = try connection.borrowedStatement(
                number: texts.row.number, texts.row.sql)
            return try statement.lend { statement throws(SQLiteError) in
                defer { statement.finish() }
                statement.bind(1, integer: key.key)
                return try body(statement, texts.reader)
            }
        }
    }

    package func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        try read { connection throws(SQLiteError) in
            try readRows(keys, entity, connection, generation)
        }
    }

    /// Returns rows in the order of their keys. Missing rows are omitted.
    func readRows(
        _ keys: ContiguousArray<Int64>, _ entity: EntityLayout, _ connection: Connection,
        _ generation: UInt64
    ) throws(SQLiteError) -> FetchedRows {
        let texts = statements[entity]
        let statement = try connection.statement(number: texts.rows.number, texts.rows.sql)
        defer { statement.finish() }
        try bind(keys, to: statement)
        return try texts.reader.readAll(
            statement, generation: generation, timestamp: Self.coarseNow)
    }

    private func bind(
        _ keys: ContiguousArray<Int64>, to statement: Statement
    ) throws(SQLiteError) {
        let result = keys.withUnsafeBufferPointer { buffer in
            Result { () throws(SQLiteError) in try statement.bind(1, array: buffer) }
        }
        try result.get()
    }
}

// MARK: Relationships

extension SQLiteStore {
    package func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        guard let texts = statements[Int(owner.entity)].toMany[slot] else { return [] }
        let reader = statements[texts.destination].reader
        return try read { connection throws(SQLiteError) in
            let statement = try connection.statement(number: texts.one.number, texts.one.sql)
            defer { statement.finish() }
            statement.bind(1, integer: owner.key)
            return try reader.readKeys(statement)
        }
    }

    package func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations {
        guard let texts = statements[entity].toMany[slot] else {
            return .none(for: owners.count)
        }
        return try read { connection throws(SQLiteError) in
            try readDestinations(owners, texts, connection, generation)
        }
    }

    func readDestinations(
        _ owners: ContiguousArray<Int64>, _ texts: ToManyStatements, _ connection: Connection,
        _ generation: UInt64
    ) throws(SQLiteError) -> FetchedDestinations {
        let destination = statements[texts.destination]
        let statement = try connection.statement(number: texts.all.number, texts.all.sql)
        defer { statement.finish() }
        try bind(owners, to: statement)
        guard texts.readsRows else {
            let found = try destination.reader.readMembers(statement, owners: owners.count)
            let rows = try readRows(
                Self.distinct(found.keys), destination.entity, connection, generation)
            return FetchedDestinations(
                members: .keys(found.keys, counts: found.counts), rows: rows)
        }
        var counts = ContiguousArray(repeating: 0, count: owners.count)
        let rows = try destination.reader.readAll(
            statement, generation: generation, timestamp: Self.coarseNow,
            tagColumn: destination.reader.columnCount
        ) { places in
            for place in places { counts[Int(place) - 1] += 1 }
        }
        return FetchedDestinations(members: .counts(counts), rows: rows)
    }

    private static func distinct(_ keys: ContiguousArray<ObjectKey>) -> ContiguousArray<Int64> {
        var seen = KeyTable()
        var distinct: ContiguousArray<Int64> = []
        // The entries only mark their keys as present.
        let entry = UnsafeMutableRawPointer(bitPattern: 1)
        for key in keys {
            guard let entry, seen.update(key.key, entry) == nil else { continue }
            distinct.append(key.key)
        }
        return distinct
    }
}
