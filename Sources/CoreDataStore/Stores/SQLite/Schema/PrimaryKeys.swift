import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Reserves primary keys from `Z_PRIMARYKEY`, before a save is planned.
///
/// The row of a root entity in that table contains the last assigned key. So no key is assigned
/// twice, even after its row is deleted.
struct PrimaryKeys {
    package let layout: ModelLayout
    package let numbers: EntityNumbers

    /// Takes `count` keys in a short transaction of its own and returns the first.
    ///
    /// The keys of a failed save are not used again. Runs two statements in addition to BEGIN and
    /// COMMIT.
    package func reserve(
        _ count: Int, for entity: EntityLayout, _ connection: Connection
    ) throws(SQLiteError) -> Int64 {
        try connection.transaction(.immediate) { () throws(SQLiteError) -> Int64 in
            try take(count, for: entity, connection)
        }
    }

    /// Takes `count` keys in the running transaction and returns the first.
    package func take(
        _ count: Int, for entity: EntityLayout, _ connection: Connection
    ) throws(SQLiteError) -> Int64 {
        assert(connection.isInTransaction, "keys must be reserved in a transaction")
        let number = numbers.number(of: entity.rootIndex)
        let last = try largestKey(number, connection)
        guard let next = Self.end(last, count) else {
            throw SQLiteError(
                extendedCode: 13, message: "entity \(entity.name) has no primary keys left")
        }
        let update = try connection.statement(
            "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX IS ?")
        update.bind(1, integer: next)
        update.bind(2, integer: number)
        if let last { update.bind(3, integer: last) } else { update.bind(3) }
        try update.run()
        return (last ?? 0) + 1
    }

    private func largestKey(_ number: Int64, _ connection: Connection) throws(SQLiteError) -> Int64?
    {
        let select = try connection.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        defer { select.finish() }
        select.bind(1, integer: number)
        guard try select.step() else {
            throw SQLiteError(extendedCode: 11, message: "Z_PRIMARYKEY has no row \(number)")
        }
        return select.isNull(0) ? nil : select.integer(0)
    }

    /// A key has 48 bits, including the sign.
    package static let limits: Range<Int64> = 0..<1 << 46

    private static func end(_ last: Int64?, _ count: Int) -> Int64? {
        let last = last ?? 0
        guard limits.contains(last), limits.contains(Int64(count)) else { return nil }
        return last + Int64(count)
    }
}
