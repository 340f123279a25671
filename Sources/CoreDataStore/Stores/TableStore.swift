import CoreDataModel

/// A store that computes tables itself.
package protocol TableStore: StoreReading {
    /// Runs a fetch of dictionaries; in SQLite with one SELECT.
    func fetchTable(_ plan: FetchPlan, _ table: TablePlan) throws(CoreDataError) -> FetchedTable
}
