import CoreDataStore

extension LabWorld {
    /// Returns the number of the last transaction in the store's history; 0 if the scenario does
    /// not use the history.
    func lastTransaction() throws(CoreDataError) -> Int64 {
        guard plan.tracksHistory else { return 0 }
        let token = store.main.currentPersistentHistoryToken(fromStores: nil)
        if let number = token?.numbers.values.first { return number }
        throw CoreDataError(
            .unsupported,
            "This store keeps no history. History needs a SQLite store that is open.")
    }

    func historyToken(
        _ number: Int64
    ) throws(CoreDataError) -> NSPersistentHistoryToken? {
        _ = try lastTransaction()
        return store.main.persistentStores.first?.identifier.map {
            NSPersistentHistoryToken(numbers: [$0: number])
        }
    }
}
