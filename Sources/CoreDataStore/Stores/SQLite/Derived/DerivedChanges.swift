import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import Synchronization

/// The rows whose derived values the running transaction has computed.
///
/// Triggers report them through SQL functions, as in Core Data's own stores. The code that ends the
/// transaction takes the recorded rows. Only the writing connection has these functions.
final class DerivedChanges: Sendable {
    /// One derived value that a trigger has written.
    struct Change: Hashable {
        let entityNumber: Int64
        let key: Int64
        let attribute: String
    }

    private let told = Mutex<Set<Change>>([])

    /// The functions that triggers call for changed rows and for new rows.
    static let functions = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    ]

    /// Adds the SQL functions to the writing connection. Their arguments are `(table, entity, key,
    /// attribute, value)`.
    func install(on connection: Connection) throws(SQLiteError) {
        for name in Self.functions {
            try connection.addFunction(named: name, argumentCount: 5, isDeterministic: false) {
                [self] call in
                let attribute = String(decoding: call[3].bytes, as: UTF8.self)
                note(call[1].integer, call[2].integer, attribute)
                return .null
            }
        }
    }

    func note(_ entityNumber: Int64, _ key: Int64, _ attribute: String) {
        let change = Change(entityNumber: entityNumber, key: key, attribute: attribute)
        told.withLock { _ = $0.insert(change) }
    }

    /// Returns the recorded changes by row, and clears the record.
    func take(_ layout: ModelLayout, _ numbers: EntityNumbers) -> [(row: ObjectKey, slots: [Int])] {
        let changes = told.withLock { told in
            defer { told.removeAll(keepingCapacity: true) }
            return told
        }
        var slots: [ObjectKey: [Int]] = [:]
        for change in changes {
            guard let index = numbers.index(of: change.entityNumber),
                let slot = layout[index].valueSlot(named: change.attribute)
            else { continue }
            slots[ObjectKey(entity: index, key: change.key), default: []].append(slot)
        }
        return slots.sorted { ($0.key.entity, $0.key.key) < ($1.key.entity, $1.key.key) }
            .map { ($0.key, $0.value.sorted()) }
    }
}

extension SQLiteStore {
    /// The values that the transaction on the writing connection has computed since the last call.
    func takeDerived() -> [(row: ObjectKey, slots: [Int])] {
        derived?.take(layout, numbers) ?? []
    }
}
