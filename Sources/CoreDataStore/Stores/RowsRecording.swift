import CoreDataModel
import CoreDataTrace

extension Trace {
    /// Records the rows of a fetch for listeners that request them.
    ///
    /// - Parameters:
    ///   - store: the identifier of the store.
    ///   - keys: the keys of the rows; only called if a listener requests rows.
    package func recordRows(
        of plan: FetchPlan, _ sql: String, in store: String, _ layout: ModelLayout,
        _ keys: () -> some Sequence<ObjectKey>
    ) {
        guard isOn, wantsRows else { return }
        let names = keys().map {
            ObjectName(entity: layout[Int($0.entity)].name, key: $0.key, store: store)
        }
        record(.rows(RowsEvent(entity: plan.entity.name, sql: sql, objects: names)))
    }
}
