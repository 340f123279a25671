import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Fetches of dictionaries. A table that SQL cannot compute is computed in memory.
extension PostgreSQLStore: TableStore {
    func fetchTable(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        let plan = plan.stored(in: layout)
        guard let statement = try statement(plan, table) else {
            return try tableInMemory(plan, table)
        }
        do throws(ServerError) {
            return try connections.read { connection throws(ServerError) in
                let result = try Self.run(
                    statement.select.spelled(in: schema.dialect), connection)
                var rows = FetchedTable(kinds: statement.columns.map(\.shownKind))
                for row in 0..<result.rowCount {
                    for column in statement.columns {
                        rows.values.append(column.read(result, row, schema.numbers))
                    }
                }
                return rows
            }
        } catch {
            guard error.isOutOfRange else { throw failure(error) }
        }
        return try tableInMemory(plan, table)
    }

    /// The statement of a table; nil if the table must be computed in memory.
    private func statement(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> TableBuilder.Statement? {
        // The server sorts groups and distinct rows only by selected columns, and has no names of
        // computed columns in conditions.
        if table.having != nil { return nil }
        if table.isDistinct || !table.groups.isEmpty, !plan.sortDescriptors.isEmpty { return nil }
        do throws(QueryRefusal) {
            let made = try TableBuilder(
                table: table, rows: SelectBuilder(plan: plan, schema: schema)
            ).make()
            let hasEntities = made.columns.contains { $0.hasEntity }
            return hasEntities && !table.groups.isEmpty ? nil : made
        } catch {
            guard error.isBeyondSQL else { throw CoreDataError(error) }
            return nil
        }
    }

    private func tableInMemory(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        var whole = plan
        (whole.limit, whole.offset) = (0, 0)
        // The rows are read first, and the related rows later, as when faults are fired. So the two
        // reads may see different states of the database.
        let rows = try fetchRows(whole, generation: 0)
        do throws(Failure) {
            return try inOneState { connection throws(Failure) in
                let source = ServerResidueSource(self, connection)
                do throws(CoreDataError) {
                    return try ResidueTable(plan, table, source: source).result(of: rows)
                } catch {
                    throw .refused(error)
                }
            }
        } catch {
            throw error.coreDataError(self)
        }
    }
}
