import CoreDataModel
import CoreDataSQLite

/// Statements that write many rows, whose keys follow each other and which have one version.
///
/// SQLite finds each row where it left the one before, and nothing is bound, stepped and reset for
/// each: half the time of one statement for each row.
extension SaveTransaction {
    /// Deletes the rows of a run.
    ///
    /// - Returns: whether all were deleted. If not, one statement for each tells of those that were
    ///   there with another version; it finds nothing of the others, which is no conflict.
    func deleteRun(_ group: SavePlan.Delete, _ rows: Range<Int>) throws(SQLiteError) -> Bool {
        let text = store.statements[group.entity].deleteRun
        let statement = try connection.statement(number: text.number, text.sql)
        statement.bind(1, integer: group.keys[rows.lowerBound])
        statement.bind(2, integer: group.keys[rows.upperBound - 1])
        statement.bind(3, integer: Int64(group.versions[rows.lowerBound]))
        let count = try statement.run()
        assert(count <= rows.count, "a key has one row")
        return count == rows.count
    }

    /// Updates the rows of a run.
    ///
    /// Rows of a run that are not there with their version are added to the missed ones.
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
        assert(count <= rows.count, "a key has one row")
        // A version of 0 may be none, which the statement for one row puts right.
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

    /// What has become of the rows of a run.
    enum RunEnd {
        /// Each is written, or missed.
        case written
        /// None is changed: one breaks a rule, and written by itself it is what the error names.
        case refused
        /// Some are changed, and nobody knows which.
        case broken
    }
}
