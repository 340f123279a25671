import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Finds remaining rows that require a row which a batch deletes.
///
/// Core Data's triggers reject such a deletion immediately. Here the check runs at the end, because
/// the batch may also delete the row that requires the other row.
struct RequiredInverses {
    /// A search for a row whose existence makes the deletion invalid.
    private struct Check {
        /// The relationship of the deleted rows, such as `Author/books`.
        let relationship: String
        /// Core Data's abbreviation of the relationship's kind: `OTO`, `OTM` or `MTM`.
        let kind: String
        let table: String
        let column: String
        let keys: ContiguousArray<Int64>
    }

    private let store: SQLiteStore
    private let connection: Connection
    private var checks: [Check] = []

    init(store: SQLiteStore, connection: Connection) {
        self.store = store
        self.connection = connection
    }

    /// Records the rows that require the rows to delete. Runs before the deletion, while the rows
    /// and their pairs in join tables exist.
    mutating func note(
        _ keys: ContiguousArray<Int64>, of entity: EntityLayout
    ) throws(SQLiteError) {
        for slot in entity.values {
            guard let toOne = slot.toOne, let column = slot.column, toOne.deleteBehavior.letsGo
            else { continue }
            let name = "\(entity.name)/\(slot.name)"
            let destination = store.layout[toOne.destinationIndex]
            noteToOne(toOne.inverse, of: destination, name, "OTO", keys)
            guard requiresMembers(toOne.inverse, destination) else { continue }
            let owners = try integers(
                "SELECT DISTINCT \(column) FROM \(entity.tableName) "
                    + "WHERE Z_PK IN \(Self.keyList) AND \(column) IS NOT NULL", keys)
            note(owners, in: destination, name, "OTO")
        }
        for slot in entity.toMany where slot.deleteBehavior.letsGo {
            let name = "\(entity.name)/\(slot.name)"
            let destination = store.layout[slot.destinationIndex]
            noteToOne(slot.inverse, of: destination, name, "OTM", keys)
            guard requiresMembers(slot.inverse, destination),
                case .joinTable(let table, let owner, let member, _, _) = slot.storage
            else { continue }
            let members = try integers(
                "SELECT DISTINCT \(member) FROM \(table) WHERE \(owner) IN \(Self.keyList)", keys)
            note(members, in: destination, name, "MTM")
        }
    }

    /// - Throws: the error that a trigger of Core Data would raise, if a remaining row requires a
    ///   deleted one.
    func check() throws(SQLiteError) {
        for check in checks {
            let sql =
                "SELECT Z_PK FROM \(check.table) WHERE \(check.column) IN \(Self.keyList) LIMIT 1"
            guard try !integers(sql, check.keys).isEmpty else { continue }
            throw SQLiteError.trigger(
                "\(Self.refusal) due to mandatory \(check.kind) nullify inverse on"
                    + " \(check.relationship)", sql: sql)
        }
    }

    /// The prefix of the error message. It distinguishes this error from that of a trigger in the
    /// file.
    static let refusal = "Batch delete failed"

    static let keyList = "(SELECT value FROM \(StoreFunctions.integerArray)(?))"

    private mutating func noteToOne(
        _ inverse: InverseSlot, of destination: EntityLayout, _ name: String, _ kind: String,
        _ keys: ContiguousArray<Int64>
    ) {
        guard case .value(let index) = inverse, !destination.values[index].isOptional,
            let column = destination.values[index].column
        else { return }
        checks.append(
            Check(
                relationship: name, kind: kind, table: destination.tableName, column: column,
                keys: keys))
    }

    private func requiresMembers(_ inverse: InverseSlot, _ destination: EntityLayout) -> Bool {
        guard case .toMany(let index) = inverse else { return false }
        return !destination.toMany[index].isOptional
    }

    private mutating func note(
        _ owners: ContiguousArray<Int64>, in destination: EntityLayout, _ name: String,
        _ kind: String
    ) {
        if owners.isEmpty { return }
        checks.append(
            Check(
                relationship: name, kind: kind, table: destination.tableName, column: "Z_PK",
                keys: owners))
    }

    private func integers(
        _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(SQLiteError) -> ContiguousArray<Int64> {
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        try statement.bind([.array(keys)])
        var found: ContiguousArray<Int64> = []
        while try statement.step() { found.append(statement.integer(0)) }
        return found
    }
}

extension DeleteBehavior {
    /// Whether a batch removes the deleted row from the inverse.
    ///
    /// Also true for the deny rule: a batch does not check it, and a reference to a deleted row is
    /// useless.
    package var letsGo: Bool { self == .nullify || self == .deny }
}
