/// Where the histories of a coordinator's stores stand.
extension NSPersistentStoreCoordinator {
    /// A token for the last transaction of each store; nil where no store tracks its history.
    ///
    /// One SELECT for each store.
    ///
    /// - Parameter stores: the stores; nil or empty for all.
    public func currentPersistentHistoryToken(
        fromStores stores: [Any]?
    ) -> NSPersistentHistoryToken? {
        let named = stores?.compactMap { $0 as? NSPersistentStore } ?? []
        var numbers: [String: Int64] = [:]
        for store in named.isEmpty ? persistentStores : named {
            guard let history = store.keyed as? any HistoryStore, history.tracksHistory else {
                continue
            }
            numbers[history.identifier] = try? history.lastTransactionNumber()
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
    }
}
