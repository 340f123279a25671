extension NSPersistentStoreCoordinator {
    func historyToken(ofStores stores: [Any]?) -> NSPersistentHistoryToken? {
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
