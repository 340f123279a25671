import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// The rows that a save changes, deletes or expects to be unchanged.
///
/// The rows of each table are locked in the order of their keys, so that two saves which change the
/// same rows do not wait for each other.
struct RowLocks {
    /// A row and the version that it must have.
    struct Expected {
        let entity: EntityLayout
        let key: Int64
        let version: Int32
        /// Whether the row may be missing, because the save deletes it.
        let mayBeMissing: Bool
    }

    /// The expected rows of each table, by the index of the root entity.
    private let tables: [(root: Int, rows: [Expected])]
    private let schema: StoreSchema

    init(_ plan: SavePlan, schema: StoreSchema) {
        self.schema = schema
        var tables: [Int: [Expected]] = [:]
        func add(
            _ entity: EntityLayout, _ keys: ContiguousArray<Int64>,
            _ versions: ContiguousArray<Int32>, mayBeMissing: Bool = false
        ) {
            let rows = zip(keys, versions).map {
                Expected(entity: entity, key: $0, version: $1, mayBeMissing: mayBeMissing)
            }
            tables[entity.rootIndex, default: []] += rows
        }
        for group in plan.updates { add(group.entity, group.keys, group.versions) }
        for group in plan.deletes {
            add(group.entity, group.keys, group.versions, mayBeMissing: true)
        }
        for lock in plan.locks { add(lock.entity, [lock.key], [lock.version]) }
        self.tables = tables.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var count: Int { tables.count }
    var isEmpty: Bool { tables.isEmpty }

    /// The statements that lock the rows and return their versions.
    var statements: [PipelinedStatement] {
        tables.map { root, rows in
            let parameters = Parameters()
            parameters.append(int8s: rows.map(\.key))
            let names = schema.names
            return PipelinedStatement(
                "SELECT \(names.key), \(names.version) FROM \(schema.layout[root].tableName)"
                    + " WHERE \(names.key) = ANY($1) ORDER BY \(names.key) FOR NO KEY UPDATE",
                parameters)
        }
    }

    /// The rows that do not have the expected version.
    ///
    /// - Parameter results: the results of ``statements``.
    func missed(in results: ArraySlice<QueryResult>) -> [Expected] {
        zip(tables, results).flatMap { table, result in
            var versions: [Int64: Int32] = [:]
            versions.reserveCapacity(result.rowCount)
            for row in 0..<result.rowCount {
                versions[result[row, 0].integer] = Int32(
                    truncatingIfNeeded: result[row, 1].integer)
            }
            return table.rows.filter { expected in
                guard let version = versions[expected.key] else { return !expected.mayBeMissing }
                return version != expected.version
            }
        }
    }
}
