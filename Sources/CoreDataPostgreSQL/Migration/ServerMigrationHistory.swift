import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// Adapts the history of a store on a server to a new model: the changed properties of updates, and
/// the preserved values of deleted rows.
///
/// Entities keep their numbers. Changes of removed entities are deleted, because a new entity may
/// get the number of a removed one.
struct ServerMigrationHistory {
    let moves: RowMoves
    let history: HistoryTexts

    private var changes: String { history.names.changes }

    func run(_ connection: Connection) throws(ServerError) {
        guard try history.exist(connection) else { return }
        let entities = MigratedEntity.all(in: moves)
        let kept = Set(entities.map(\.oldNumber))
        let gone = moves.source.entities.map { moves.sourceNumbers.number(of: $0.index) }
            .filter { !kept.contains($0) }
        if !gone.isEmpty {
            let list = gone.map(String.init).joined(separator: ", ")
            try connection.execute("DELETE FROM \(changes) WHERE entity IN (\(list))")
        }
        for entity in entities {
            if let conversion = entity.bitmapConversion {
                try rewrite("properties", of: entity, .update, connection) { data in
                    data.withUnsafeBytes { Data(conversion($0)) }
                }
            }
            guard let moves = entity.preservedMoves else { continue }
            let kinds = HistoryColumns(entity.old).preserved.map { entity.old.values[$0].kind }
            try rewrite("kept", of: entity, .delete, connection) { data in
                let values = KeptValues.values(data, kinds)
                return KeptValues.data(
                    moves.map { origin in
                        origin.flatMap { values.indices.contains($0) ? values[$0] : nil } ?? .null
                    })
            }
        }
    }

    /// Rewrites one column in the history of an entity.
    private func rewrite(
        _ column: String, of entity: MigratedEntity, _ kind: HistoryChangeKind,
        _ connection: Connection, _ conversion: (Data) -> Data?
    ) throws(ServerError) {
        let rows = try connection.execute(
            "SELECT number, \(column) FROM \(changes) WHERE entity = \(entity.oldNumber)"
                + " AND kind = \(kind.rawValue) AND \(column) IS NOT NULL")
        if rows.rowCount == 0 { return }
        let parameters = Parameters()
        parameters.append(int8s: (0..<rows.rowCount).map { rows[$0, 0].integer })
        parameters.beginArray(of: .bytea)
        for row in 0..<rows.rowCount {
            if let data = conversion(rows[row, 1].data) {
                try parameters.append(data)
            } else {
                parameters.append(null: .bytea)
            }
        }
        parameters.endArray()
        try connection.execute(
            "UPDATE \(changes) c SET \(column) = a.content"
                + " FROM unnest($1, $2) AS a(number, content)"
                + " WHERE c.number = a.number", parameters)
    }
}
