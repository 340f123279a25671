import CoreDataModel
import CoreDataSQLite

/// Statements that write a run: many rows with consecutive keys and the same version.
///
/// They take half the time of single-row statements. SQLite finds each row next to the previous
/// one, and only one statement is bound, stepped and reset.
extension SaveTransaction {
    /// Deletes the rows of a run.
    ///
    /// - Returns: whether all rows were deleted. If not, the caller runs one statement for each
    ///   row, to find the rows with another version. Missing rows are not a conflict.
    func deleteRun(_ group: SavePlan.Delete, _ rows: Range<Int>) throws(SQLiteError) -> Bool {
        let text = store.statements[group.entity].deleteRun
        let statement = try connection.statement(number: text.number, text.sql)
        statement.bind(1, integer: group.keys[rows.lowerBound])
        statement.bind(2, integer: group.keys[rows.upperBound - 1])
        statement.bind(3, integer: Int64(group.versions[rows.lowerBound]))
        let count = try statement.run()
        assert(count <= rows.count, "the group has fewer rows than keys")
        return count == rows.count
    }

    /// Updates the rows of a run. If no row has the expected version, all of them are added to the
    /// missed ones.
    func updateRun(
        _ group: SavePlan.Update, _ rows: Range<Int>, _ shape: UpdateShape
    ) throws(SQLiteError) -> RunEnd {
        let run = try connection.rowRun()
        shape.fill(run, group, rows, texts: &texts, numbers: store.numbers)
        defer { run.end() }
        let statement = try connection.statement(shape.runSQL)
        shape.bindRun(group, rows, to: statement)
        let count: Int
        do throws(SQLiteError) {
            count = try statement.run()
        } catch {
            guard error.isConstraintViolation else { throw error }
            return .refused
        }
        assert(count <= rows.count, "the group has fewer rows than keys")
        // If the expected version is 0, the version in a row may be NULL. Only the statement for
        // single rows repairs such a row.
        if count == rows.count { return .written }
        if count == 0, group.versions[rows.lowerBound] != 0 {
            missed.append(
                contentsOf: rows.map {
                    MissedRow(
                        entity: group.entity, key: group.keys[$0], version: group.versions[$0])
                })
            return .written
        }
        return .broken
    }

    enum RunEnd {
        /// All rows were written, or all of them are missed.
        case written
        /// No row was changed, because one violates a constraint. The statements for single rows
        /// then find that row.
        case refused
        /// Some of the rows were changed, and it is not known which ones.
        case broken
    }
}
