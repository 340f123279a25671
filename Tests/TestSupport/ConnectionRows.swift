import CoreDataSQLite
import Foundation

/// All rows of a statement, as text.
package func rows(_ connection: Connection, _ sql: String) throws -> [String] {
    let statement = try connection.statement(sql)
    defer { statement.finish() }
    var rows: [String] = []
    while try statement.step() {
        rows.append(
            (0..<statement.columnCount).map { column in
                statement.value(column).storageClass == .blob
                    ? Data(statement.value(column).bytes).base64EncodedString()
                    : statement.text(column)
            }.joined(separator: "|"))
    }
    return rows
}
