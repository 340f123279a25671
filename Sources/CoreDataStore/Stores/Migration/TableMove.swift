import CoreDataModel
import CoreDataSQL

/// Builds the table of one root entity from the tables of the source.
///
/// A shared column may have a different source in each entity. So each entity of the family has its
/// own expressions.
package struct TableMove {
    /// The source of the rows of one entity.
    package struct Piece {
        let sourceTable: String
        /// The condition for the rows of the entity; nil if the source table has only one entity.
        let condition: String?
        let oldNumber: Int64
        let newNumber: Int64
        /// The SQL expression for each column of the new table. Columns without an expression
        /// contain NULL.
        var expressions: [String: Expression] = [:]
    }

    enum Expression: Equatable {
        case column(String)
        /// A column of the source row, or a literal if the column is NULL.
        case columnOr(String, literal: String)
        case literal(String)
        case other(String)

        var sql: String {
            switch self {
            case .column(let name): name
            case .columnOr(let name, let literal): "COALESCE(\(name), \(literal))"
            case .literal(let text), .other(let text): text
            }
        }
    }

    package enum Form {
        /// The table is kept. Columns are added if necessary, and values are filled in.
        case kept(added: [String])
        case rebuilt
    }

    package let table: String
    let rows: RowNames
    /// The definitions of the columns that every table has.
    let system: [String]
    /// The other columns with their types.
    package let columns: [(name: String, definition: String)]
    let pieces: [Piece]

    private var systemNames: [String] { [rows.key, rows.entity, rows.version] }

    /// The names of all columns.
    package var names: Set<String> { Set(systemNames + columns.map(\.name)) }

    var sourceTables: Set<String> { Set(pieces.map(\.sourceTable)) }

    /// Determines whether the table can be kept.
    ///
    /// - Parameters:
    ///   - existing: the columns of a table of this name in the file; nil if it does not exist.
    ///   - droppedRows: whether the table contains rows of removed entities.
    ///   - keepsOldColumns: whether unused columns may remain.
    package func form(existing: Set<String>?, droppedRows: Bool, keepsOldColumns: Bool) -> Form {
        guard let existing, sourceTables == [table], !droppedRows else { return .rebuilt }
        guard keepsOldColumns || existing.isSubset(of: names) else { return .rebuilt }
        for piece in pieces {
            for (name, expression) in piece.expressions where names.contains(name) {
                switch expression {
                case .column(name), .columnOr(name, literal: _): continue
                case .literal where !existing.contains(name): continue
                default: return .rebuilt
                }
            }
        }
        return .kept(added: columns.map(\.name).filter { !existing.contains($0) })
    }

    // MARK: Statements

    package func rebuild(as name: String) -> [String] {
        let definitions = (system + columns.map(\.definition)).joined(separator: ", ")
        return ["CREATE TABLE \(name) ( \(definitions) )"] + pieces.map { fill(name, $0) }
    }

    private func fill(_ name: String, _ piece: Piece) -> String {
        let filled = columns.filter { piece.expressions[$0.name] != nil }
        let names = systemNames + filled.map(\.name)
        let values =
            [rows.key, String(piece.newNumber), rows.version]
            + filled.map { piece.expressions[$0.name]?.sql ?? "NULL" }
        return "INSERT INTO \(name)(\(names.joined(separator: ", "))) SELECT "
            + "\(values.joined(separator: ", ")) FROM \(piece.sourceTable)"
            + (piece.condition.map { " WHERE \($0)" } ?? "")
    }

    package func extend(_ added: [String]) -> [String] {
        var statements = columns.filter { added.contains($0.name) }.map {
            "ALTER TABLE \(table) ADD COLUMN \($0.definition)"
        }
        for piece in pieces {
            for (name, expression) in piece.expressions.sorted(by: { $0.key < $1.key }) {
                let conditions: [String?]
                let value: String
                switch expression {
                case .literal(let literal) where literal != "NULL" && added.contains(name):
                    (value, conditions) = (literal, [piece.condition])
                case .columnOr(_, let literal):
                    (value, conditions) = (literal, [piece.condition, "\(name) IS NULL"])
                default: continue
                }
                let filter = conditions.compactMap { $0 }.joined(separator: " AND ")
                statements.append(
                    "UPDATE \(table) SET \(name) = \(value)"
                        + (filter.isEmpty ? "" : " WHERE \(filter)"))
            }
        }
        return statements + renumbering()
    }

    /// Assigns new entity numbers to the rows. The old number of one entity may be the new number
    /// of another, so one statement changes all numbers.
    private func renumbering() -> [String] {
        let moved = pieces.filter { $0.oldNumber != $0.newNumber }
        guard !moved.isEmpty else { return [] }
        guard pieces.count > 1 || moved[0].condition != nil else {
            return ["UPDATE \(table) SET \(rows.entity) = \(moved[0].newNumber)"]
        }
        let cases = moved.map { "WHEN \($0.oldNumber) THEN \($0.newNumber)" }
        return [
            "UPDATE \(table) SET \(rows.entity) = CASE \(rows.entity)"
                + " \(cases.joined(separator: " ")) ELSE \(rows.entity) END"
        ]
    }
}
