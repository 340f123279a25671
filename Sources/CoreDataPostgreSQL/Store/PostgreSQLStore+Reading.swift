import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataStore

/// Reading rows by key and along relationships, for faults, batches and prefetching.
extension PostgreSQLStore {
    /// Runs the body with a connection for reading.
    func read<T>(
        _ body: (Connection) throws(ServerError) -> T
    ) throws(CoreDataError) -> T {
        do throws(ServerError) { return try connections.read(body) } catch { throw failure(error) }
    }

    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference? {
        try read { connection throws(ServerError) in
            let texts = texts[Int(key.entity)]
            let parameters = Parameters()
            parameters.append(int8: key.key)
            return texts.reader.row(
                try connection.execute(texts.row, parameters), generation: generation,
                timestamp: Self.now)
        }
    }

    func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        try read { connection throws(ServerError) in
            try readRows(keys, entity, connection, generation)
        }
    }

    /// Returns rows in the order of their keys. Missing rows are omitted.
    func readRows(
        _ keys: ContiguousArray<Int64>, _ entity: EntityLayout, _ connection: Connection,
        _ generation: UInt64
    ) throws(ServerError) -> FetchedRows {
        let texts = texts[entity.index]
        let parameters = Parameters()
        parameters.append(int8s: keys)
        return texts.reader.rows(
            try connection.execute(texts.rows, parameters), generation: generation,
            timestamp: Self.now)
    }

    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        guard let members = texts[Int(owner.entity)].toMany[slot] else { return [] }
        let reader = texts[members.destination].reader
        return try read { connection throws(ServerError) in
            let parameters = Parameters()
            parameters.append(int8: owner.key)
            return reader.keys(try connection.execute(members.one, parameters))
        }
    }

    func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations {
        try read { connection throws(ServerError) in
            try readDestinations(owners, entity, slot, connection, generation)
        }
    }

    func readDestinations(
        _ owners: ContiguousArray<Int64>, _ entity: EntityLayout, _ slot: Int,
        _ connection: Connection, _ generation: UInt64
    ) throws(ServerError) -> FetchedDestinations {
        guard let members = texts[entity.index].toMany[slot] else {
            return .none(for: owners.count)
        }
        let reader = texts[members.destination].reader
        let parameters = Parameters()
        parameters.append(int8s: owners)
        let result = try connection.execute(members.all, parameters)
        let counts = Self.counts(
            result, column: members.readsRows ? reader.columnCount : 2, owners: owners.count)
        if members.readsRows {
            let rows = reader.rows(result, generation: generation, timestamp: Self.now)
            return FetchedDestinations(members: .counts(counts), rows: rows)
        }
        let keys = reader.keys(result)
        var seen: Set<Int64> = []
        let distinct = ContiguousArray(keys.lazy.map(\.key).filter { seen.insert($0).inserted })
        let rows = try readRows(distinct, layout[members.destination], connection, generation)
        return FetchedDestinations(members: .keys(keys, counts: counts), rows: rows)
    }

    /// The number of rows for each owner.
    ///
    /// - Parameter column: the column with the owner's position, from 1.
    private static func counts(
        _ result: QueryResult, column: Int, owners: Int
    ) -> ContiguousArray<Int> {
        var counts = ContiguousArray(repeating: 0, count: owners)
        for row in 0..<result.rowCount { counts[Int(result[row, column].integer) - 1] += 1 }
        return counts
    }
}
