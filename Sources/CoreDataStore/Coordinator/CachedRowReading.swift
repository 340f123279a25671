import CoreDataModel
import CoreDataTrace
import Foundation

/// Reads rows through a row cache. Coordinators and query generations conform.
///
/// A request for one row is answered from the row cache if possible. All other requests go to a
/// store.
package protocol CachedRowReading: ObjectSource {
    var rowCache: RowCache { get }
    var modelLayout: ModelLayout { get }

    func reader(for entity: EntityLayout) throws(CoreDataError) -> any StoreReading
}

extension CachedRowReading {
    package var generation: UInt64 { rowCache.generation }

    package func row(
        _ key: ObjectKey, notBefore: Double?
    ) throws(CoreDataError) -> (row: RowReference, source: Event.FaultSource)? {
        if let cached = rowCache.row(key), notBefore.map({ cached.block.timestamp >= $0 }) ?? true {
            return (cached, .rowCache)
        }
        let store = try reader(for: modelLayout[Int(key.entity)])
        guard let row = try store.row(key, generation: generation) else { return nil }
        rowCache.insert(row.block)
        return (row, .store)
    }

    package func rows(
        _ keys: ContiguousArray<ObjectKey>, entity: EntityLayout
    ) throws(CoreDataError) -> FetchedRows {
        let store = try reader(for: entity)
        let rows = try store.rows(Self.numbers(keys), entity: entity, generation: generation)
        rowCache.insert(rows)
        return rows
    }

    package func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        let store = try reader(for: modelLayout[Int(owner.entity)])
        return try store.destinations(of: owner, slot: slot)
    }

    package func destinations(
        ofAll owners: ContiguousArray<ObjectKey>, entity: EntityLayout, slot: Int
    ) throws(CoreDataError) -> FetchedDestinations {
        let store = try reader(for: entity)
        let found = try store.destinations(
            ofAll: Self.numbers(owners), entity: entity, slot: slot, generation: generation)
        rowCache.insert(found.rows)
        return found
    }

    private static func numbers(_ keys: ContiguousArray<ObjectKey>) -> ContiguousArray<Int64> {
        ContiguousArray(keys.lazy.map(\.key))
    }

    package func fetchRows(_ plan: FetchPlan) throws(CoreDataError) -> FetchedRows {
        let store = try reader(for: plan.entity)
        let rows = try store.fetchRows(plan, generation: generation)
        rowCache.insert(rows)
        return rows
    }

    package func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages {
        try reader(for: plan.entity).fetchKeyPages(plan)
    }

    package func count(_ plan: FetchPlan) throws(CoreDataError) -> Int {
        try reader(for: plan.entity).count(plan)
    }

    package func fetchTable(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        guard let store = try reader(for: plan.entity) as? any TableStore else {
            throw CoreDataError(
                .unsupported,
                "This type of store does not support fetches of dictionaries; fetch objects with"
                    + " .managedObjectResultType and read the properties from them.")
        }
        return try store.fetchTable(plan, table)
    }
}
