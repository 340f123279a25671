import CoreDataModel

/// A store that computes tables itself.
package protocol TableStore: StoreReading {
    /// Runs a fetch of dictionaries. One SELECT in SQLite.
    func fetchTable(_ plan: FetchPlan, _ table: TablePlan) throws(CoreDataError) -> FetchedTable
}
