import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// The statements that write the rows of a save plan.
///
/// Each group of rows needs one statement, which receives the values of a column as one array.
struct PlanStatements {
    let plan: SavePlan
    let schema: StoreSchema

    /// The maximum number of rows that one statement inserts. It limits the memory for the values.
    private static let rowsMax = 8_192

    private var layout: ModelLayout { schema.layout }
    private var names: RowNames { schema.names }

    init(_ plan: SavePlan, schema: StoreSchema) {
        self.plan = plan
        self.schema = schema
    }

    /// The entity with the names of the server.
    func stored(_ entity: EntityLayout) -> EntityLayout { layout[entity.index] }

    /// The statements that write rows: first deletes, then updates, then inserts. So a new row may
    /// have a unique value of a row that the same save deletes or changes.
    ///
    /// - Parameter ending: the end of the statements that insert rows.
    /// - Throws: an error that names the attribute and the object of a value that the server cannot
    ///   store.
    func rows(ending: String = "") throws(CoreDataError) -> [PipelinedStatement] {
        var statements: [PipelinedStatement] = []
        for group in plan.deletes {
            statements.append(delete(group))
            statements += clearing(group)
        }
        for group in plan.updates { statements.append(try update(group)) }
        for group in plan.inserts {
            var start = 0
            while start < group.keys.count {
                let end = min(start + Self.rowsMax, group.keys.count)
                statements.append(try insert(group, start..<end, ending))
                start = end
            }
        }
        return statements
    }

    // MARK: Deletes

    private func delete(_ group: SavePlan.Delete) -> PipelinedStatement {
        let parameters = Parameters()
        parameters.append(int8s: group.keys)
        parameters.append(int8s: group.versions.lazy.map(Int64.init))
        return PipelinedStatement(
            "DELETE FROM \(stored(group.entity).tableName) t USING unnest($1, $2) AS a(k, v)"
                + " WHERE t.\(names.key) = a.k AND t.\(names.version) = a.v", parameters)
    }

    /// Removes references to deleted owners: rows of join tables, and foreign keys of relationships
    /// without an inverse.
    private func clearing(_ group: SavePlan.Delete) -> [PipelinedStatement] {
        let entity = stored(group.entity)
        return entity.toMany.enumerated().compactMap { index, slot in
            let sql: String
            switch slot.storage {
            case .joinTable(let table, let owner, let member, _, _):
                let isReflexive = layout.isReflexive(index, of: entity)
                sql =
                    "DELETE FROM \(table) WHERE \(owner) = ANY($1)"
                    + (isReflexive ? " OR \(member) = ANY($1)" : "")
            case .foreignKey(let column, let entityColumn, let order) where slot.inverse == .none:
                let cleared = [column, entityColumn, order].compactMap { $0 }.map { "\($0) = NULL" }
                sql =
                    "UPDATE \(layout[slot.destinationIndex].tableName)"
                    + " SET \(cleared.joined(separator: ", ")) WHERE \(column) = ANY($1)"
            case .foreignKey, .none: return nil
            }
            let parameters = Parameters()
            parameters.append(int8s: group.keys)
            return PipelinedStatement(sql, parameters)
        }
    }

    // MARK: Updates

    private func update(_ group: SavePlan.Update) throws(CoreDataError) -> PipelinedStatement {
        let entity = stored(group.entity)
        let parameters = Parameters()
        parameters.append(int8s: group.keys)
        parameters.append(int8s: group.versions.lazy.map(Int64.init))
        var sets: [String] = []
        var columns = ["k", "v"]
        for (place, slot) in group.slots.enumerated() {
            let value = entity.values[slot]
            guard let column = value.column else { continue }
            try append(value, entity, group.keys, to: parameters) { row throws(ServerError) in
                try parameters.append(
                    group.values[row * group.slots.count + place], as: value.kind.serverType)
            }
            columns.append("c\(columns.count)")
            sets.append("\(column) = a.\(columns[columns.count - 1])")
            guard let entityColumn = value.toOne?.entityColumn else { continue }
            append(entitiesTo: parameters, group.keys.count) {
                group.values[$0 * group.slots.count + place]
            }
            columns.append("c\(columns.count)")
            sets.append("\(entityColumn) = a.\(columns[columns.count - 1])")
        }
        let version = names.version
        sets.append("\(version) = CASE a.v WHEN \(Int32.max) THEN 1 ELSE a.v + 1 END")
        let arrays = columns.indices.map { "$\($0 + 1)" }
        return PipelinedStatement(
            "UPDATE \(entity.tableName) t SET \(sets.joined(separator: ", "))"
                + " FROM unnest(\(arrays.joined(separator: ", ")))"
                + " AS a(\(columns.joined(separator: ", ")))"
                + " WHERE t.\(names.key) = a.k AND t.\(version) = a.v", parameters)
    }

    /// First sets the unique columns of the updated rows to NULL, so that two rows can exchange
    /// their values.
    func parking() -> [PipelinedStatement] {
        plan.updates.compactMap { group in
            let entity = stored(group.entity)
            let unique = Set(entity.uniquenessConstraints.flatMap(\.slots))
            let columns = group.slots.filter(unique.contains)
                .compactMap { entity.values[$0].column }
            guard !columns.isEmpty else { return nil }
            let cleared = columns.map { "\($0) = NULL" }.joined(separator: ", ")
            let parameters = Parameters()
            parameters.append(int8s: group.keys)
            return PipelinedStatement(
                "UPDATE \(entity.tableName) SET \(cleared) WHERE \(names.key) = ANY($1)",
                parameters)
        }
    }

    // MARK: Inserts

    private func insert(
        _ group: SavePlan.Insert, _ rows: Range<Int>, _ ending: String
    ) throws(CoreDataError) -> PipelinedStatement {
        let entity = stored(group.entity)
        let keys = ContiguousArray(group.keys[rows])
        let parameters = Parameters()
        parameters.append(int8s: keys)
        var columns: [String] = []
        for (slot, value) in entity.values.enumerated() {
            guard let column = value.column else { continue }
            try append(value, entity, keys, to: parameters) { row throws(ServerError) in
                try parameters.append(group.cells(rows.lowerBound + row), slot, value.kind)
            }
            columns.append(column)
            guard let entityColumn = value.toOne?.entityColumn else { continue }
            append(entitiesTo: parameters, keys.count) {
                group.value(rows.lowerBound + $0, slot)
            }
            columns.append(entityColumn)
        }
        let number = schema.numbers.number(of: entity.index)
        let aliases = columns.indices.map { "c\($0)" }
        let arrays = (0...columns.count).map { "$\($0 + 1)" }
        return PipelinedStatement(
            "INSERT INTO \(entity.tableName)("
                + ([names.key, names.entity, names.version] + columns).joined(separator: ", ")
                + ") SELECT " + (["k", "\(number)", "1"] + aliases).joined(separator: ", ")
                + " FROM unnest(\(arrays.joined(separator: ", ")))"
                + " AS a(\((["k"] + aliases).joined(separator: ", ")))\(ending)", parameters)
    }

    // MARK: Values

    /// Appends the values of one column as an array.
    private func append(
        _ value: ValueSlot, _ entity: EntityLayout, _ keys: ContiguousArray<Int64>,
        to parameters: Parameters, _ body: (Int) throws(ServerError) -> Void
    ) throws(CoreDataError) {
        parameters.beginArray(of: value.kind.serverType)
        for row in keys.indices {
            do throws(ServerError) { try body(row) } catch {
                throw CoreDataError(
                    .storeSave,
                    "The value of '\(entity.name).\(value.name)' cannot be stored on the server:"
                        + " \(error.message). Change the value, and save again.",
                    objects: [ObjectKey(entity: entity.index, key: keys[row])],
                    info: ["NSValidationErrorKey": value.name])
            }
        }
        parameters.endArray()
    }

    /// Appends the entity numbers of a to-one relationship's destinations as an array.
    private func append(
        entitiesTo parameters: Parameters, _ count: Int, _ value: (Int) -> Value
    ) {
        parameters.beginArray(of: .int4)
        for row in 0..<count {
            if case .reference(let key) = value(row) {
                let number = schema.numbers.number(of: Int(key.entity))
                parameters.append(int4: Int32(truncatingIfNeeded: number))
            } else {
                parameters.append(null: .int4)
            }
        }
        parameters.endArray()
    }
}
