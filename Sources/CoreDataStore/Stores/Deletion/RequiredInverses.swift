import CoreDataModel
import CoreDataSQL

/// Finds remaining rows that require a row which a batch deletes.
///
/// Core Data's triggers reject such a deletion immediately. Here the check runs at the end, because
/// the batch may also delete the row that has the requirement.
struct RequiredInverses<Source: BatchDeletionSource> {
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

    private let source: Source
    private var checks: [Check] = []

    init(_ source: Source) { self.source = source }

    private var key: String { source.schema.names.key }

    /// Records the rows that require the rows to delete. Runs before the deletion, while the rows
    /// and their pairs in join tables exist.
    mutating func note(
        _ keys: ContiguousArray<Int64>, of entity: EntityLayout
    ) throws(Source.Failure) {
        for slot in entity.values {
            guard let toOne = slot.toOne, let column = slot.column, toOne.deleteBehavior.letsGo
            else { continue }
            let name = "\(entity.name)/\(slot.name)"
            let destination = source.schema.layout[toOne.destinationIndex]
            noteToOne(toOne.inverse, of: destination, name, "OTO", keys)
            guard requiresMembers(toOne.inverse, destination) else { continue }
            let owners = try source.integers(
                "SELECT DISTINCT \(column) FROM \(entity.tableName) "
                    + "WHERE \(source.isAmong(key)) AND \(column) IS NOT NULL", keys)
            note(owners, in: destination, name, "OTO")
        }
        for slot in entity.toMany where slot.deleteBehavior.letsGo {
            let name = "\(entity.name)/\(slot.name)"
            let destination = source.schema.layout[slot.destinationIndex]
            noteToOne(slot.inverse, of: destination, name, "OTM", keys)
            guard requiresMembers(slot.inverse, destination),
                case .joinTable(let table, let owner, let member, _, _) = slot.storage
            else { continue }
            let members = try source.integers(
                "SELECT DISTINCT \(member) FROM \(table) WHERE \(source.isAmong(owner))", keys)
            note(members, in: destination, name, "MTM")
        }
    }

    /// - Throws: the error that a trigger of Core Data would raise, if a remaining row requires a
    ///   deleted one.
    func check() throws(Source.Failure) {
        for check in checks {
            let sql =
                "SELECT \(key) FROM \(check.table) WHERE \(source.isAmong(check.column)) LIMIT 1"
            guard try !source.integers(sql, check.keys).isEmpty else { continue }
            let problem =
                "\(BatchDeletionRefusal.beginning) due to mandatory \(check.kind) nullify inverse"
                + " on \(check.relationship)"
            throw source.refusal(BatchDeletionRefusal(problem: problem), sql: sql)
        }
    }

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
                relationship: name, kind: kind, table: destination.tableName, column: key,
                keys: owners))
    }
}

extension DeleteBehavior {
    /// Whether a batch removes the deleted row from the inverse.
    ///
    /// Also true for the deny rule: a batch does not check it, and a reference to a deleted row is
    /// useless.
    var letsGo: Bool { self == .nullify || self == .deny }
}
