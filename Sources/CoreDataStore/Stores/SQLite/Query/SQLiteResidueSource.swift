import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import CoreDataTrace

/// Reads rows for the conditions that SQL cannot express (the residue), in the transaction of a
/// connection.
struct SQLiteResidueSource: ResidueSource {
    private let store: SQLiteStore
    private let connection: Connection

    init(_ store: SQLiteStore, _ connection: Connection) {
        assert(connection.isInTransaction, "candidates and members must be read in one transaction")
        self.store = store
        self.connection = connection
    }

    var layout: ModelLayout { store.layout }

    func candidates(of residue: Residue) throws(CoreDataError) -> FetchedRows {
        let reader = store.statements[residue.candidates.plan.entity].reader
        let select: SpelledStatement
        do throws(QueryRefusal) {
            select = try residue.candidates.select(reader.selectList)
                .spelled(in: store.schema.dialect)
        } catch {
            throw CoreDataError(error)
        }
        return try store.failing { () throws(SQLiteError) in
            try SQLiteStore.run(select, connection) { statement throws(SQLiteError) in
                try reader.readAll(statement, generation: 0, timestamp: SQLiteStore.coarseNow)
            }
        }
    }

    func rows(
        _ keys: ContiguousArray<Int64>, _ entity: EntityLayout
    ) throws(CoreDataError) -> FetchedRows {
        try store.failing { () throws(SQLiteError) in
            try store.readRows(keys, entity, connection, 0)
        }
    }

    func destinations(
        of owners: ContiguousArray<Int64>, _ entity: EntityLayout, slot: Int
    ) throws(CoreDataError) -> FetchedDestinations {
        guard let texts = store.statements[entity].toMany[slot] else {
            return .none(for: owners.count)
        }
        return try store.failing { () throws(SQLiteError) in
            try store.readDestinations(owners, texts, connection, 0)
        }
    }

    func note(_ text: String) {
        if store.trace.isOn { store.trace.record(.annotation(text)) }
    }
}
