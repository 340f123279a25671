import CoreDataModel

/// A store that computes the result of a fetch of dictionaries itself.
package protocol TableStore: StoreReading {
    /// Runs a fetch of dictionaries. SQLite stores run one SELECT.
    func fetchTable(_ plan: FetchPlan, _ table: TablePlan) throws(CoreDataError) -> FetchedTable
}
